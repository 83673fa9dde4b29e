"""Which files were changed and read, when, and what the last change was."""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from memd.extract import shell
from memd.extract.material import Material, of_calls
from memd.model import Done, Kind, Operation, State
from memd.model.once import once
from memd.model.text import named

_BY_TARGET = frozenset({Kind.READ, Kind.EDIT, Kind.CREATE})

Part = tuple[object, ...]
"""Which part of a file was shown: where from and how much, or the shell's command for it."""


class Touched(Struct, frozen=True):
    """One file: how often it was changed and read, its last change, and the number of that entry.

    Attributes:
        was: the path that it had before a patch moved it.
        gone: a patch deleted it, and nothing wrote it again.
    """

    path: str
    changes: int
    created: bool
    reads: int
    number: int
    old: str = ""
    new: str = ""
    was: str = ""
    gone: bool = False


class _Tally(Struct):
    """What the calls so far did to one file."""

    changes: int = 0
    created: bool = False
    reads: int = 0
    number: int = 0
    last: Done | None = None
    """The last that changed it."""
    was: str = ""

    def take(self, call: Done) -> None:
        self.number = call.number
        if call.kind is Kind.READ or call.kind is Kind.COMMAND:
            self.reads += 1
            return
        self.created = self.created or (call.kind is Kind.CREATE and not self.reads and not self.changes)
        self.changes += 1
        self.last = call

    def told(self, path: str) -> Touched:
        detail = self.last.detail if self.last else {}
        old, new = str(detail.get("old") or ""), str(detail.get("new") or "")
        gone = bool(detail.get("deleted"))
        return Touched(path, self.changes, self.created, self.reads, self.number, old, new, self.was, gone)


_Found = dict[str, _Tally]


def touched(done: Iterable[Done]) -> list[Touched]:
    """Every file of the finished calls, least recently touched first; what a shell showed was read."""
    found: _Found = {}
    for call in done:
        _take(found, call)
    return _told(found)


def of(material: Material) -> list[Touched]:
    """The same of a session's calls."""
    return _told(_of_calls(material))


def _take(found: _Found, call: Done) -> None:
    for path in _paths(call) if call.state is State.DONE else ():
        tally = found.pop(path, None) or _Tally()
        tally.take(call)
        if now := _moved(call):
            tally.was = path
            found.pop(now, None)
        found[now or path] = tally


def _told(found: _Found) -> list[Touched]:
    return [tally.told(path) for path, tally in found.items()]


def _fresh(found: _Found) -> _Found:
    return {path: copy(tally) for path, tally in found.items()}


_of_calls = of_calls(_Found, _take, _fresh)


def _moved(call: Done) -> str:
    """Where a patch put the file that it changed, if elsewhere."""
    now = str(call.detail.get("moved") or "") if call.kind is Kind.EDIT else ""
    return "" if now == call.target else now


def _paths(call: Done) -> tuple[str, ...]:
    if call.kind in _BY_TARGET:
        return (call.target,) if call.target else ()
    return _shown(call) if call.kind is Kind.COMMAND else ()


@once(4_096)
def _shown(command: Done) -> tuple[str, ...]:
    return tuple(path for path, _ in looks(command))


def looks(call: Operation | Done) -> list[tuple[str, Part]]:
    """The files that a call shows, and which part of each; equal for calls that show the same.

    One that a shell named from its own directory stays relative where that is not known.
    """
    if call.kind is Kind.READ:
        shown = shell.shows(str(call.detail.get("command") or "cat "))
        return [(call.target, (*(call.detail.get(name) for name in ("offset", "limit")), shown))]
    found = shell.looked_at(call.target) if call.kind is Kind.COMMAND else []
    where = PurePosixPath(str(call.detail.get("cwd") or shell.entered(call.target)))
    whole = [(path if path.startswith("~") else str(where / path), part) for path, part in found]
    return [(path, (None, None, part)) for path, part in whole]


def with_reads(calls: Iterable[Operation]) -> list[Operation]:
    """Calls, and behind each shell line the reading that it does, as a call of its own."""
    found = list[Operation]()
    for call in calls:
        found.append(call)
        shown = looks(call) if call.kind is Kind.COMMAND else []
        found += [replace(call, kind=Kind.READ, target=path, detail={"command": part[-1]}) for path, part in shown]
    return found


def changed(files: Sequence[Touched]) -> list[Touched]:
    """The changed ones, newest first."""
    return [file for file in reversed(files) if file.changes]


def only_read(files: Sequence[Touched]) -> list[Touched]:
    """The ones that were only read, newest first."""
    return [file for file in reversed(files) if not file.changes]


def difference(old: str, new: str) -> tuple[str, str]:
    """The first line that a change took out and the first that it put in; empty where there is none."""
    before, after = old.splitlines(), new.splitlines()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return _first(before), _first(after)


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


@once(4_096)
def relative(path: str, root: str | None) -> str:
    """The path as seen from the session's directory, or as it is when it lies elsewhere; on one line; remembered by both."""
    if root and path.startswith(root.rstrip("/") + "/"):
        return named(str(PurePosixPath(path).relative_to(root)))
    return named(path)


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """Each path's last part, with the folder before it where two would be the same."""
    every = dict.fromkeys(paths)
    shared = Counter(path.rsplit("/", 1)[-1] for path in every)
    kept = {path: 2 if shared[path.rsplit("/", 1)[-1]] > 1 else 1 for path in every}
    return {path: named("/".join(path.split("/")[-parts:])) for path, parts in kept.items()}
