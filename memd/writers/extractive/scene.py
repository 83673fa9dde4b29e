"""scene.md from the record: the running turn, what was done, what is waited for, what comes next, what failed, exact strings."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter

from memd.checkpoint.mind import MISSION, parse
from memd.extract import files, shell, turns, work
from memd.extract.journal import outcomes
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State, marks
from memd.model.text import line, oneline, quote
from memd.render import cited
from memd.writers.extractive.phrases import NONE, changed, ended, failed, machine, ran
from memd.writers.extractive.references import exact

FILES, TOLD, ERRORS, EFFECTS, DONE = 40, 8, 6, 12, 12
"""So many of each are listed, the newest of them; `TOLD` files with their last change and its reason."""
DONE_ONCE, DOUBTED = (
    "Done, not to be repeated",
    "May have failed (the exit status is another command's), to be looked at first",
)
_number = attrgetter("number")
LAST_WORDS = 1_500
"""Characters of the agent's last text."""


def scene(material: Material, mind: str) -> str:
    """The six sections of scene.md, beside a mind whose active missions are where a step leads back to."""
    turn, touched = turns.current(material), files.of(material)
    step, goes = list(_step(material, turn)), list(_next(material, turn, _after(mind)))
    waits = list(_waiting(material))
    sections = {
        "Current step": step,
        "Progress": list(_progress(material, touched)),
        "Waiting on": waits,
        "Next step": goes,
        "Pitfalls": list(_pitfalls(material)),
        "Exact references": list(exact(material, touched, "\n".join((*step, *goes, *waits)))),
    }
    return "\n\n".join(f"## {name}\n\n" + "\n".join(rows or [NONE]) for name, rows in sections.items()) + "\n"


def _step(material: Material, turn: turns.Turn) -> Iterator[str]:
    tasks = work.tasks(material)
    if material.agent and material.agent[-1] in material.telling:
        yield _last_words(material.agent[-1])
    for task in (task for task in tasks if task.status == "in_progress"):
        yield f"- Task {task.id} of {len(tasks)} (W1): {oneline(task.text, 300)}"
    if turn.running and turn.starter is not None and not turn.own:
        yield f"- The running turn was not started by the request but by {machine(turn.starter)}"
    for done in [d for d in material.in_state(State.RUNNING) if d.kind not in {Kind.ASK, Kind.PLAN}][-3:]:
        yield f"- Under way: {done.name} `{line(done.target, 200)}` (result not known yet)"


def _last_words(record: Record) -> str:
    """The agent's last text with its lines, as one entry of the list."""
    text = record.text.strip()
    cut = text if len(text) <= LAST_WORDS else text[:LAST_WORDS].rstrip() + "…"
    rows = [row for row in marks.escape(cut).splitlines() if row.strip()]
    return f"- I wrote last (#{record.number}):" + "".join(f"\n  > {row}" for row in rows)


def _progress(material: Material, found: Sequence[files.Touched]) -> Iterator[str]:
    completed = [task for task in work.tasks(material) if task.status == "completed"]
    finished = [f"- Done: {oneline(task.text, 160)}" for task in completed[-DONE:]]
    done = [
        f"- {DOUBTED if outcomes.doubted(one) else DONE_ONCE}: {ran(one)}" for one in work.effects(material, EFFECTS)
    ]
    touched = files.changed(found)[:FILES]
    names = files.short_names(file.path for file in touched)
    told = [changed(file, names[file.path], _why(material, file)) for file in touched[:TOLD]]
    # a goal's continuation reports nothing: it is the client's wording, the same each time, also of a goal that has ended
    notes = [record for record in work.notes(material) if record.channel is not Channel.BACKGROUND_GOAL]
    reported = [f"- {machine(record)}" for record in notes[-3:]]
    yield from (
        *reversed(done[-3:]),
        *_tests(material),
        *told[:2],
        *reported,
        *told[2:],
        *finished,
        *reversed(done[:-3]),
    )


def _why(material: Material, file: files.Touched) -> str:
    """The sentence that the agent wrote right before a change, in the same turn, without its marks."""
    began = bisect_left(material.begun, file.number, key=_number)
    after = max(file.number - 6, material.begun[began - 1].number if began else 0)
    start, end = (bisect_left(material.agent, number, key=_number) for number in (after, file.number + 1))
    before = [text for text in material.agent[start:end] if text.text.strip()]
    if not before:
        return ""
    return re.split(r"(?<=[.!?:])\s|\n", before[-1].text.strip())[0].strip("*# :")


def _tests(material: Material) -> Iterator[str]:
    tests = work.last_tests(material)
    if tests is not None:
        run, counted = tests
        told = f": {oneline(counted, 160)}" if counted else ""
        yield f"- Last test run: `{line(shell.tests(run.target), 160)}` {ended(run)}{told} (#{run.number})"


def _waiting(material: Material) -> Iterator[str]:
    yield from (_goes_on(waiting) for waiting in work.waiting(material)[-12:])
    asked = material.asked[-1].number if material.asked else 0
    for plan in [d for d in material.of(Kind.PLAN) if d.state is State.RUNNING and d.number >= asked][-1:]:
        yield f"- the person's word on my plan: {quote(str(plan.detail.get('plan', '')), 240)} (#{plan.number})"
    for record in turns.undelivered(material)[-3:]:
        yield f"- typed by the person and not delivered to me: {quote(record.text, 240)} (#{record.number})"


def _goes_on(waiting: work.Waiting) -> str:
    ident = f" `{waiting.id}`" if waiting.id else ""
    note = f" ({waiting.note})" if waiting.note else ""
    if waiting.what == "schedule":
        said = (
            f"I set it; what it will say is background (schedule), not typed by the person: {quote(waiting.text, 200)}"
        )
        return f"- schedule{ident}{note}: {said} (#{waiting.number})"
    return f"- {waiting.what}{ident}{note}: {line(waiting.text, 200)} (#{waiting.number})"


def _after(mind: str) -> str:
    """Where a request leads back to once it is done."""
    read = parse(mind)
    active = [mission.id for mission in read.missions.values() if mission.status == "active"]
    if len(read.missions) < len(read.bullets.get(MISSION, ())):  # in a form of the person's own
        active.append("the mission")
    return f"back to {' and '.join(active)}" if active else "ask what comes next: no mission is active"


def _next(material: Material, turn: turns.Turn, after: str) -> Iterator[str]:
    pending = [task for task in work.tasks(material) if task.status != "completed"]
    if turn.request is not None:
        goes = "see what is left of" if turn.ended else "go on with"
        yield f"- {goes} {cited(turn.request)}" + ("" if pending else f", then {after}")
        if (before := turns.resumed(material, turn.request)) is not None:
            yield f"- it says only to go on; asked last before it: {quote(before.text, 300)} (#{before.number})"
    yield from _added(material, turn.added[-5:])
    for task in pending[:20]:
        yield f"- task {task.id} [{task.status}]: {oneline(task.text, 200)}"


def _added(material: Material, added: Sequence[Record]) -> Iterator[str]:
    """What was said into the running turn: open until the agent wrote something after it."""
    heard = {record.number: text for record in added if (text := turns.taken_in(material, record))}
    if heard:
        told = ", ".join(f"#{number} (I wrote #{text} after it)" for number, text in heard.items())
        yield f"- added while I worked and taken in, not to be answered again: {told}"
    for record in (record for record in added if record.number not in heard):
        yield f"- added while I worked (#{record.number}), not answered yet: {quote(record.text, 40)}"


def _pitfalls(material: Material) -> Iterator[str]:
    yield from (f"- {failed(done)}" for done in work.failures(material)[-ERRORS:])
    explained = {r.extra.get("call") for r in material.by(Channel.HUMAN_ANSWER)}
    for done in work.refusals(material)[-4:]:
        if done.kind is not Kind.PLAN and done.call not in explained:  # with words it is a decision
            yield f"- {_refused(done)} (#{done.number})"


def _refused(done: Done) -> str:
    if done.kind is Kind.ASK:
        asked = "; ".join(str(question) for question in done.detail.get("questions", ()))
        return f"my question was left without an answer: {quote(asked, 120)}"
    return f"refused by the person, not to be tried again unasked: {done.name} `{line(done.target, 120)}`"
