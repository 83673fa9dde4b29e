"""scene.md from the record: the running turn, what was done, what is waited for, what comes next, what failed, exact strings."""

from collections.abc import Iterable, Iterator, Sequence

from memd.extract import files, references, turns, work
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import clock, line, oneline, quote

FILES, ERRORS, COMMANDS, EFFECTS, DONE = 30, 6, 20, 12, 12
"""So many of each are listed, the newest or best of them."""
_GROUPS = {"value": "values, ids, links", "path": "paths", "name": "names"}
_MACHINES = {
    Channel.BACKGROUND_NOTIFICATION: "task notification",
    Channel.BACKGROUND_SCHEDULE: "schedule",
    Channel.BACKGROUND_PEER: "another agent",
    Channel.BACKGROUND_QUEUE: "queue",
    Channel.BACKGROUND_GOAL: "goal",
}


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
    for task in (task for task in listed if task.status == "in_progress"):
        yield f"- Task {task.id} of {len(listed)} (W1): {oneline(task.text, 300)}"
    if turn.starter is not None and turn.starter is not turn.request and turn.running:
        yield f"- The running turn was started by a machine: {machine(turn.starter)}"
    elif turn.request is not None:
        state = "is running" if turn.running else "has ended"
        yield f"- The turn on the current request (#{turn.request.number}) {state}."
    for done in [d for d in material.done if d.state is State.RUNNING and d.kind is not Kind.ASK][-3:]:
        yield f"- Under way: {done.name} `{line(done.target, 200)}` (result not known yet)"
    if material.agent:
        last = material.agent[-1]
        yield f"- I wrote last (#{last.number}): {quote(last.text, 700)}"
    if turn.request is None and not material.agent:
        yield "- Nothing has begun."


def machine(record: Record) -> str:
    """A machine's text as it must be shown: how it was delivered, then the words."""
    how = _MACHINES.get(record.channel, "not known who")
    return f"background ({how}), not typed by the person: {quote(record.text, 300)} (#{record.number})"


def _progress(material: Material) -> Iterator[str]:
    root = material.session.cwd
    completed = [task for task in work.tasks(material) if task.status == "completed"]
    lines = [f"- Done: {oneline(task.text, 160)}" for task in completed[-DONE:]]
    lines += [_changed(file, root) for file in files.changed(files.touched(material.done))[:FILES]]
    lines += [f"- Done, not to be repeated: {_ran(done)}" for done in work.effects(material)[-EFFECTS:]]
    tests = work.last_tests(material)
    if tests is not None:
        run, counted = tests
        told = f": {counted}" if counted else ""
        lines.append(f"- Last test run: `{line(run.target, 160)}` {_ended(run)}{told} (#{run.number})")
    yield from lines or ["- Nothing was changed yet."]


def _changed(file: files.Touched, root: str | None) -> str:
    what = "created" if file.created else "changed"
    times = f", {file.changes} changes" if file.changes > 1 else ""
    edited = bool(file.old) or (bool(file.new) and not file.created)
    change = f": last `{line(file.old, 120)}` -> `{line(file.new, 120)}`" if edited else ""
    return f"- {what} `{files.relative(file.path, root)}` (#{file.number}{times}){change}"


def _ran(done: Done) -> str:
    said = next((row.strip() for row in reversed(done.result.splitlines()) if row.strip()), "")
    told = f" -> {line(said, 160)}" if said else ""
    return f"`{line(done.target, 240)}` {_ended(done)}{told} (#{done.number}, {clock(done.ended_at or done.at)})"


def _ended(done: Done) -> str:
    code = done.detail.get("exit")
    return f"exit {code}" if code is not None else done.state.value


def _waiting(material: Material) -> Iterator[str]:
    yield from [_goes_on(waiting) for waiting in work.waiting(material)[-12:]] or ["- Nothing that I know of."]


def _goes_on(waiting: work.Waiting) -> str:
    ident = f" `{waiting.id}`" if waiting.id else ""
    note = f" ({waiting.note})" if waiting.note else ""
    return f"- {waiting.what}{ident}{note}: {line(waiting.text, 200)} (#{waiting.number})"


def _next(material: Material, turn: turns.Turn) -> Iterator[str]:
    if turn.request is not None:
        goes = "go on with" if turn.running else "answered as far as the record shows; see whether anything is left of"
        yield f"- {goes} the latest explicit request (#{turn.request.number}): {quote(turn.request.text, 240)}"
    for record in turn.added[-5:]:
        yield f"- with what was added while I worked (#{record.number}): {quote(record.text, 240)}"
    pending = [task for task in work.tasks(material) if task.status != "completed"]
    for task in pending[:12]:
        yield f"- task {task.id} [{task.status}]: {oneline(task.text, 200)}"
    if not pending:
        yield "- when that is done: back to the mission M1, or ask the person; M1 is not done before they say so."


def _pitfalls(material: Material) -> Iterator[str]:
    lines = [_failed(done) for done in work.failures(material)[-ERRORS:]]
    lines += [
        f"- refused by the person, not to be tried again unasked: {d.name} `{line(d.target, 160)}` (#{d.number})"
        for d in work.refusals(material)[-4:]
    ]
    lines += [f"- {machine(record)}" for record in work.notes(material)[-3:]]
    yield from lines or ["- None recorded."]


def _failed(done: Done) -> str:
    return f"- `{line(done.target, 160)}` failed: {line(work.error_line(done), 200)} (#{done.number})"


def _references(material: Material) -> Iterator[str]:
    root, touched = material.session.cwd, files.touched(material.done)
    if root:
        yield f"- directory: `{root}` (paths without a leading / are relative to it)"
    yield from (_command(command) for command in references.commands(material)[:COMMANDS])
    shown = {files.relative(file.path, root) for file in files.changed(touched)[:FILES]}
    reads = [files.relative(file.path, root) for file in files.only_read(touched)][:COMMANDS]
    yield from _grouped("read", reads)
    ranked = [r for r in references.references(material) if files.relative(r.text, root) not in shown.union(reads)]
    for kind, title in _GROUPS.items():
        yield from _grouped(title, [files.relative(r.text, root) for r in ranked if r.kind == kind][:40])


def _command(command: references.Command) -> str:
    failed = "" if command.ok else " and failed"
    runs = f", {command.runs} times" if command.runs > 1 else ""
    return f"- ran{failed} (#{command.number}{runs}): `{command.line}`"


def _grouped(title: str, items: Sequence[str]) -> Iterable[str]:
    """Lines of at most eight items each, so that a budget can cut between them."""
    for start in range(0, len(items), 8):
        yield f"- {title}: " + ", ".join(f"`{item}`" for item in items[start : start + 8])
