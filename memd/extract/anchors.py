"""Which anchors a call sets, moves and takes away. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from memd.extract.journal import Whose, functions, values
from memd.model import Done, Kind, State
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry, Op

MOST = 12
"""Anchors that one call may set: a file written whole has more functions than anybody looks for."""
_LONG = 240
"""Characters; a longer path or name is nobody's anchor."""


@dataclass(frozen=True, slots=True)
class Moves:
    """What a call did to the anchors: those that were used, paths that are gone, and paths that have another name."""

    used: tuple[Anchor, ...] = ()
    gone: tuple[str, ...] = ()
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
    gone = [e.target for e in entries if e.op is Op.DELETE and ":" not in e.target]
    moved = [(e.target, e.new) for e in entries if e.op is Op.RENAME and e.new and ":" not in e.target]
    used = [
        anchor
        for e in entries
        if e.op in {Op.EDIT, Op.CREATE, Op.RENAME}
        for anchor in _of(e, at)
        if inside(anchor.path) and len(anchor.name) <= _LONG
    ]
    used += [anchor for anchor in _defined(done, whose, at) if inside(anchor.path)]
    kept = tuple(dict.fromkeys(used))[:MOST]
    return Moves(kept, tuple(filter(inside, gone)), tuple(pair for pair in moved if all(map(inside, pair))))


def _of(entry: JournalEntry, at: int) -> list[Anchor]:
    path, _, name = entry.target.partition(":")
    if entry.op is Op.RENAME:
        name = (entry.new or "") if name else ""
        path = path if name else (entry.new or path)
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
