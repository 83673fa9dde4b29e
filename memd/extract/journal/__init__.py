"""From a tool call whose result is known to the journal's lines. Pure.

An edit of a settings file or of constants is told key by key, with both values; one that adds, takes away or renames functions
by their names; any other by the first line that it took out and the first that it put in. A shell line is told by what its
simple commands do (`commands`). A failed operation is told as failed, a refused one did not happen.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from memd.extract import servers, work
from memd.extract.difference import difference
from memd.extract.journal import commands, functions, outcomes, values
from memd.extract.journal.commands import hashed
from memd.model import Done, Kind, State
from memd.model.journal import JournalEntry, Op
from memd.model.secrets import mask
from memd.model.text import oneline, printable

TEXT, RESULT = 200, 240
"""Characters of a value or a line, and of a result, that are kept."""
CUT = 2_000
"""A piece of this many characters may have been cut by the reader: what only one of two such pieces shows proves nothing."""
_ENDED = {State.DONE, State.FAILED, State.INTERRUPTED}
_TELLING = {Kind.EDIT, Kind.CREATE, Kind.COMMAND, Kind.SERVER}

Relate = Callable[[str], str]
"""From a path as a call names it to the path from the project's root; one outside of it stays as it is."""


class Whose(Struct, frozen=True):
    """Whose work a call is, and where it was done."""

    session: str
    cwd: str | None
    relate: Relate
    agent: str | None = None
    text: Callable[[str], str | None] = lambda _: None
    """What a file holds now, by its path from the root; None where that is not to be seen."""


def ended(done: Done) -> bool:
    """Whether a call is one that the journal may tell of, with its result known."""
    return done.state in _ENDED and done.kind in _TELLING


def entries(done: Done, whose: Whose) -> tuple[JournalEntry, ...]:
    """The journal's lines for one call; none where it changed nothing or its result is not known."""
    if not ended(done) or not done.target:
        return ()
    match done.kind:
        case Kind.COMMAND:
            told = _shell(done, whose)
        case Kind.SERVER:
            told = _server(done, whose)
        case _:
            told = _file(done, whose)
    return tuple(dict.fromkeys(_clean(entry) for entry in told))


def _clean(entry: JournalEntry) -> JournalEntry:
    """On one line, without characters that act, without secrets."""

    def text(value: str, limit: int) -> str:
        return printable(oneline(mask(value), limit), "\\x{:02x}")

    old, new = (None if value is None else text(value, TEXT) for value in (entry.old, entry.new))
    limit = commands.COMMAND * 2
    return replace(entry, target=text(entry.target, limit), result=text(entry.result, RESULT), old=old, new=new)


def _entry(done: Done, whose: Whose, op: Op, target: str, old: str | None, new: str | None) -> JournalEntry:
    return JournalEntry(
        done.ended_at or done.at,
        op,
        target,
        _result(done),
        done.state is State.DONE,
        whose.session,
        done.number,
        old,
        new,
        whose.agent,
    )


def _result(done: Done) -> str:
    match done.state:
        case State.DONE:
            return "done"
        case State.FAILED:
            return f"failed: {work.error_line(done)}".rstrip(": ")
        case _:
            return "interrupted"


def _file(done: Done, whose: Whose) -> Iterator[JournalEntry]:
    path, detail = whose.relate(done.target), done.detail
    old, new = str(detail.get("old") or ""), str(detail.get("new") or "")
    if detail.get("deleted"):
        yield _entry(done, whose, Op.DELETE, path, None, None)
        return
    if moved := str(detail.get("moved") or ""):
        yield _entry(done, whose, Op.RENAME, path, path, whose.relate(moved))
        path = whose.relate(moved)
    if done.kind is Kind.CREATE and not old and not detail.get("existed"):
        lines = detail.get("lines")
        yield _entry(done, whose, Op.CREATE, path, None, _counted(lines) if lines else None)
        return
    unknown = done.kind is Kind.CREATE and not old
    told = [] if unknown else list(_inside(done, whose, path, old, new))
    yield from told
    if not told and (old or new or not moved):
        yield _plain(done, whose, path, old, new)


def _counted(lines: object) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _inside(done: Done, whose: Whose, path: str, old: str, new: str) -> Iterator[JournalEntry]:
    """What changed inside a file: values and definitions."""
    if cut := max(len(old), len(new)) >= CUT:
        old, new = (piece[:CUT].rpartition("\n")[0] if len(piece) >= CUT else piece for piece in (old, new))
    file = whose.text(path) if values.nested(path) else None
    for key, before, after in values.changes(path, old, new, file or ""):
        if cut and None in {before, after}:
            continue
        yield _entry(done, whose, Op.EDIT, f"{path}:{key}", _value(path, before), _value(path, after))
    for name, now in () if cut else functions.changes(path, old, new):
        if name is not None and now is not None:
            yield _entry(done, whose, Op.RENAME, f"{path}:{name}", name, now)
        elif name is not None:
            yield _entry(done, whose, Op.DELETE, f"{path}:{name}", name, None)
        else:
            yield _entry(done, whose, Op.CREATE, f"{path}:{now}", None, now)


def _plain(done: Done, whose: Whose, path: str, old: str, new: str) -> JournalEntry:
    before, after = ("", "") if values.secretive(path) else difference(old, new)
    return _entry(done, whose, Op.EDIT, path, before or None, after or None)


def _value(path: str, value: str | None) -> str | None:
    return hashed(value) if value is not None and values.secretive(path) else value


def _shell(done: Done, whose: Whose) -> Iterator[JournalEntry]:
    steps = commands.steps(done.target, whose.cwd)
    code = done.detail.get("exit")
    for step in steps:
        change = step.change
        is_path = change.op not in {Op.TEST, Op.COMMAND, Op.COMMIT}
        target = whose.relate(change.target) if is_path else change.target
        moved = None if change.new is None else whose.relate(change.new)
        entry = _entry(done, whose, change.op, target, target if moved else None, moved)
        result, good = outcomes.told(done, step, alone=len(steps) == 1)
        yield replace(entry, result=result, good=good, exit=code if isinstance(code, int) else None)


def _server(done: Done, whose: Whose) -> Iterator[JournalEntry]:
    """What a connected server was asked to change."""
    if servers.changes(done.name):
        entry = _entry(done, whose, Op.COMMAND, done.target, None, None)
        said = work.outcome(done) if done.state is State.DONE else ""
        yield replace(entry, result=f"{entry.result}: {said}".rstrip(": "))
