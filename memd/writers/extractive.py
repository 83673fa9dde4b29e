"""The default writer: mind and scene from structure alone, no model, no network, no cost.

It states what the record shows and nothing else. Whose words something rests on stands behind it as `(#n)`; what memd itself
read off the record ends in `(own judgement)`.
"""

from collections.abc import Iterable, Iterator, Sequence

from memd.extract import files, references, turns, work
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import clock, line, oneline, quote

MISSION_WORDS = 1_200
"""Characters of the first directing message that stand in the mission; the memo has all of it."""
_TRIFLES = frozenset(
    {
        "hi",
        "hello",
        "hey",
        "ok",
        "okay",
        "yes",
        "no",
        "continue",
        "go on",
        "go ahead",
        "test",
        "thanks",
        "hallo",
        "你好",
        "继续",
    }
)
_LESSONS, _DECISIONS, _FILES, _ERRORS = 10, 24, 30, 6


def mind(material: Material) -> str:
    """The four sections of mind.md."""
    sections = {
        "Where I am": _where(material),
        "Goals": _goals(material),
        "Key decisions": _decisions(material),
        "Lessons": _lessons(material),
    }
    return "\n\n".join(f"# {name}\n\n" + "\n".join(lines) for name, lines in sections.items()) + "\n"


def _where(material: Material) -> Iterator[str]:
    session = material.session
    if session.cwd:
        yield f"- I work in `{session.cwd}`. (own judgement)"
    asked = turns.words(material)
    operator = bool(asked) and all(r.channel is Channel.OPERATOR_HEADLESS for r in asked)
    if operator:
        yield "- No person is known in this session: its prompts come from whoever runs it headless, called the operator here. (own judgement)"
    elif asked:
        yield f"- A person talks to me in this session: {len(asked)} messages so far. (own judgement)"


def _goals(material: Material) -> Iterator[str]:
    yield "## Mission"
    yield ""
    mission = first_directing(material)
    if mission is None:
        yield "(nobody has asked for anything yet)"
    else:
        who = "the operator's prompt (headless): " if mission.channel is Channel.OPERATOR_HEADLESS else ""
        yield f"- M1 [active] {who}{oneline(mission.text, MISSION_WORDS)} (#{mission.number})"
    yield ""
    yield "## Workstreams"
    yield ""
    yield from _workstreams(material) or ["(no task list)"]


def first_directing(material: Material) -> Record | None:
    """The message that set the mission: the first that says more than a greeting or "go on"."""
    asked = turns.words(material)
    goals = [r for r in asked if r.channel is Channel.HUMAN_COMMAND and r.extra.get("command") == "goal"]
    telling = [
        r
        for r in asked
        if r.text.strip().lower().rstrip(".!?") not in _TRIFLES and r.channel is not Channel.HUMAN_ANSWER
    ]
    return (goals[-1:] or telling[:1] or asked[:1] or [None])[0]


def _workstreams(material: Material) -> list[str]:
    listed = work.tasks(material)
    if not listed:
        return []
    done = sum(task.status == "completed" for task in listed)
    now = [task.text for task in listed if task.status == "in_progress"]
    after = [task.text for task in listed if task.status not in {"in_progress", "completed"}]
    status = "done" if done == len(listed) else "active"
    doing = f"doing: {oneline(now[0], 160)}, " if now else ""
    following = f"next: {oneline(after[0], 160)}" if after else "nothing after it"
    return [f"- W1 (M1) [{status}] the agent's task list: {done}/{len(listed)} done, {doing}{following}"]


def _decisions(material: Material) -> Iterator[str]:
    plans = {d.call: d for d in material.done if d.kind is Kind.PLAN and d.state is State.DONE}
    lines: list[tuple[int, str]] = []
    for record in material.said:
        if record.channel is Channel.HUMAN_ANSWER and record.in_force:
            lines.append((record.number, _answer(record, material)))
    for plan in plans.values():
        lines.append((plan.number, f"- A plan was approved: {oneline(_plan_title(plan), 200)} (own judgement)"))
    yield from [text for _, text in sorted(lines)[-_DECISIONS:]] or ["(none recorded)"]


def _answer(record: Record, material: Material) -> str:
    if record.extra.get("refusal"):
        call = next((d for d in material.done if d.call == record.extra.get("call")), None)
        what = f"{call.name} {oneline(call.target, 120)}" if call else "a tool call"
        return f"- The person refused {what} and said: {quote(record.text, 400)} (#{record.number})"
    return f"- I asked: {quote(str(record.extra.get('question', '')), 200)} The person answered: {quote(record.text, 400)} (#{record.number})"


def _plan_title(plan: Done) -> str:
    text = str(plan.detail.get("plan") or plan.result)
    return next((row.strip("# ").strip() for row in text.splitlines() if row.strip()), "untitled")


def _lessons(material: Material) -> Iterator[str]:
    found = list({work.program(r.failed.target) + r.worked.target: r for r in work.recoveries(material)}.values())
    lines = [
        f"- [confirmed] `{line(r.failed.target, 160)}` failed ({line(work.error_line(r.failed), 120)}); `{line(r.worked.target, 160)}` worked (own judgement)"
        for r in found[-_LESSONS:]
    ]
    yield from lines or ["(none recorded)"]


def scene(material: Material) -> str:
    """The six sections of scene.md."""
    turn = turns.current(material)
    sections = {
        "Current step": _step(material, turn),
        "Progress": _progress(material),
        "Waiting on": _waiting(material),
        "Next step": _next(material, turn),
        "Pitfalls": _pitfalls(material),
        "Exact references": _references(material),
    }
    return "\n\n".join(f"## {name}\n\n" + "\n".join(lines) for name, lines in sections.items()) + "\n"


def _step(material: Material, turn: turns.Turn) -> Iterator[str]:
    listed = work.tasks(material)
    for task in listed:
        if task.status == "in_progress":
            yield f"- Task {task.id} of {len(listed)} (W1): {oneline(task.text, 300)}"
    if turn.starter is not None and turn.starter is not turn.request and turn.running:
        yield f"- The running turn was started by a machine: {machine(turn.starter)}"
    elif turn.request is not None:
        state = (
            "The turn on the current request is running"
            if turn.running
            else "The turn on the current request has ended"
        )
        yield f"- {state} (#{turn.request.number})."
    running = [d for d in material.done if d.state is State.RUNNING and d.kind is not Kind.ASK]
    for done in running[-3:]:
        yield f"- Under way: {done.name} `{line(done.target, 200)}` (result not known yet)"
    if material.agent:
        last = material.agent[-1]
        yield f"- I wrote last (#{last.number}): {quote(last.text, 700)}"
    if turn.request is None and not material.agent:
        yield "- Nothing has begun."


def machine(record: Record) -> str:
    """A machine's text as it must be shown: how it was delivered, then the words."""
    kinds = {
        Channel.BACKGROUND_NOTIFICATION: "task notification",
        Channel.BACKGROUND_SCHEDULE: "schedule",
        Channel.BACKGROUND_PEER: "another agent",
        Channel.BACKGROUND_QUEUE: "queue",
        Channel.BACKGROUND_GOAL: "goal",
    }
    how = kinds.get(record.channel, "not known who")
    return f"background ({how}), not typed by the person: {quote(record.text, 300)} (#{record.number})"


def _progress(material: Material) -> Iterator[str]:
    root = material.session.cwd
    listed = work.tasks(material)
    lines = [f"- Done: {oneline(task.text, 160)}" for task in listed if task.status == "completed"][-12:]
    touched = files.touched(material.done)
    lines += [_changed(file, root) for file in files.changed(touched)[:_FILES]]
    lines += [f"- Done, not to be repeated: {_ran(done)}" for done in work.effects(material)[-12:]]
    tests = work.last_tests(material)
    if tests is not None:
        run, counted = tests
        lines.append(
            f"- Last test run: `{line(run.target, 160)}` {_ended(run)}{': ' + counted if counted else ''} (#{run.number})"
        )
    yield from lines or ["- Nothing was changed yet."]


def _changed(file: files.Touched, root: str | None) -> str:
    what = "created" if file.created else "changed"
    times = f", {file.changes} changes" if file.changes > 1 else ""
    change = f": last {_small(file.old)} -> {_small(file.new)}" if file.old or (file.new and not file.created) else ""
    return f"- {what} `{files.relative(file.path, root)}` (#{file.number}{times}){change}"


def _small(text: str) -> str:
    return f"`{line(text, 120)}`"


def _ran(done: Done) -> str:
    said = next((row.strip() for row in reversed(done.result.splitlines()) if row.strip()), "")
    return f"`{line(done.target, 240)}` {_ended(done)}{' -> ' + line(said, 160) if said else ''} (#{done.number}, {clock(done.ended_at or done.at)})"


def _ended(done: Done) -> str:
    code = done.detail.get("exit")
    return f"exit {code}" if code is not None else done.state.value


def _waiting(material: Material) -> Iterator[str]:
    found = [
        f"- {w.what}{' `' + w.id + '`' if w.id else ''}{' (' + w.note + ')' if w.note else ''}: {line(w.text, 200)} (#{w.number})"
        for w in work.waiting(material)
    ]
    yield from found[-12:] or ["- Nothing that I know of."]


def _next(material: Material, turn: turns.Turn) -> Iterator[str]:
    if turn.request is not None:
        goes = "go on with" if turn.running else "answered as far as the record shows; see whether anything is left of"
        yield f"- {goes} the latest explicit request (#{turn.request.number}): {quote(turn.request.text, 240)}"
    for record in turn.added[-5:]:
        yield f"- with what was added while I worked (#{record.number}): {quote(record.text, 240)}"
    pending = [task for task in work.tasks(material) if task.status not in {"completed"}]
    for task in pending[:12]:
        yield f"- task {task.id} [{task.status}]: {oneline(task.text, 200)}"
    if not pending:
        yield "- when that is done: back to the mission M1, or ask the person; M1 is not done before they say so."


def _pitfalls(material: Material) -> Iterator[str]:
    lines = [
        f"- `{line(d.target, 160)}` failed: {line(work.error_line(d), 200)} (#{d.number})"
        for d in work.failures(material)[-_ERRORS:]
    ]
    lines += [
        f"- refused by the person, not to be tried again unasked: {d.name} `{line(d.target, 160)}` (#{d.number})"
        for d in work.refusals(material)[-4:]
    ]
    lines += [f"- {machine(record)}" for record in work.notes(material)[-3:]]
    yield from lines or ["- None recorded."]


def _references(material: Material) -> Iterator[str]:
    root = material.session.cwd
    if root:
        yield f"- directory: `{root}` (paths without a leading / are relative to it)"
    seen = {files.relative(f.path, root) for f in files.changed(files.touched(material.done))[:_FILES]}
    for command in references.commands(material)[:20]:
        yield f"- ran {'' if command.ok else 'and failed '}(#{command.number}{f', {command.runs} times' if command.runs > 1 else ''}): `{command.line}`"
    reads = [files.relative(f.path, root) for f in files.only_read(files.touched(material.done))]
    yield from _grouped("read", [path for path in reads if path not in seen][:20])
    ranked = [r for r in references.references(material) if files.relative(r.text, root) not in seen]
    for kind, title in (("value", "values, ids, links"), ("path", "paths"), ("name", "names")):
        yield from _grouped(title, [files.relative(r.text, root) for r in ranked if r.kind == kind][:40])


def _grouped(title: str, items: Sequence[str]) -> Iterable[str]:
    """Lines of at most eight items each, so that a budget can cut between them."""
    for start in range(0, len(items), 8):
        yield f"- {title}: " + ", ".join(f"`{item}`" for item in items[start : start + 8])


class Extractive:
    """The writer of `checkpoint.Writer`'s shape."""

    name = "extractive"

    def write(self, material: Material) -> tuple[str, str]:
        """The texts of mind.md and scene.md."""
        return mind(material), scene(material)
