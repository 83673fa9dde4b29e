"""Which anchors a call sets, moves and takes away. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from memd.extract.journal import Whose, functions, values
from memd.model import Done, Kind, State
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry, Op

MOST = 12
"""Anchors that one call may set: a file written whole has more functions than anybody looks for."""
_FILES = {Kind.EDIT, Kind.CREATE}
_LONG = 240
"""Characters; a longer path or name is nobody's anchor."""


class Moves(Struct, frozen=True):
    """What a call did to the anchors: those that were used, paths that are gone, and paths that have another name."""

    used: tuple[Anchor, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    """(path, name) of what is there no more; a path without a name takes everything in it along."""
    moved: tuple[tuple[str, str], ...] = ()


def inside(path: str) -> bool:
    """Whether a path, as it was made relative, is one in the project."""
    return bool(path) and not path.startswith(("/", "~", "..", "$")) and len(path) <= _LONG and path.isprintable()


def moves(done: Done, entries: Sequence[JournalEntry], whose: Whose, now: int) -> Moves:
    """What a call that ended did to the anchors of its project."""
    if done.state is not State.DONE:
        return Moves()
    at = done.ended_at or done.at or now
    if done.kind is Kind.READ:
        path = whose.relate(done.target)
        return Moves((Anchor(path, "", "file", at),) if inside(path) else ())
    file = whose.relate(str(done.detail.get("moved") or done.target)) if done.kind in _FILES else ""
    placed = [(e, *_place(e.target, file)) for e in entries]
    gone = [(path, name) for e, path, name in placed if _ended(e, name)]
    moved = [(path, e.new) for e, path, name in placed if e.op is Op.RENAME and e.new and not name]
    used = [
        anchor
        for e, path, name in placed
        if e.op in {Op.EDIT, Op.CREATE, Op.RENAME} or name
        for anchor in _of(e, path, name, at)
        if inside(anchor.path) and len(anchor.name) <= _LONG
    ]
    used += [anchor for anchor in _defined(done, whose, at) if inside(anchor.path)]
    kept = tuple(dict.fromkeys(used))[:MOST]
    return Moves(
        kept, tuple(one for one in gone if inside(one[0])), tuple(pair for pair in moved if all(map(inside, pair)))
    )


def _place(target: str, file: str) -> tuple[str, str]:
    """The path and the name in it that an entry tells of; a colon may stand in a file's own name."""
    inner = file and target.startswith(f"{file}:")
    return (file, target.removeprefix(f"{file}:")) if inner else (target, "")


def _ended(entry: JournalEntry, name: str) -> bool:
    """Whether something was there under this name before and is not since: deleted, renamed, or a key without a value."""
    if entry.op is Op.EDIT:
        return bool(name) and entry.old is not None and entry.new is None
    return entry.op is Op.DELETE or (entry.op is Op.RENAME and bool(name))


def _of(entry: JournalEntry, path: str, name: str, at: int) -> list[Anchor]:
    if entry.op is Op.RENAME:
        name, path = (entry.new or "", path) if name else ("", entry.new or path)
    elif _ended(entry, name):
        name = ""
    file = Anchor(path, "", "file", at)
    return [file, Anchor(path, name, kind(path, name), at)] if name else [file]


def _defined(done: Done, whose: Whose, at: int) -> list[Anchor]:
    """The functions that an edit or a new file shows."""
    if done.kind not in {Kind.EDIT, Kind.CREATE} or done.detail.get("deleted"):
        return []
    path = whose.relate(str(done.detail.get("moved") or done.target))
    return [Anchor(path, name, "function", at) for name in functions.defined(path, str(done.detail.get("new") or ""))]


def kind(path: str, name: str) -> str:
    """What a name in a file is."""
    if not values.readable(path):
        return "function"
    if path.endswith(".py"):
        return "constant" if name.isupper() else "function"
    return "key"
