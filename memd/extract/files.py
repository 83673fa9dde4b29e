"""Which files were changed and read, when, and what the last change was.

What a shell line deletes or moves of them counts too; what else it does to files is told as a command.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import PurePosixPath
from posixpath import basename

from msgspec import Struct
from msgspec.structs import replace

from memd.extract import shell
from memd.extract.journal import commands, outcomes
from memd.extract.journal.paths import Change, may_take_away
from memd.extract.material import Material, of_calls
from memd.model import Done, Kind, Operation, Session, State
from memd.model.journal import Op
from memd.model.once import once
from memd.model.text import named

_BY_TARGET = frozenset({Kind.READ, Kind.EDIT, Kind.CREATE})
_WRITTEN = frozenset({Op.EDIT, Op.CREATE})

Part = tuple[object, ...]
"""Which part of a file was shown: where from and how much, or the shell's command for it."""


class Touched(Struct, frozen=True):
    """One file: how often it was changed and read, its last change, and the number of that entry; else of the last reading.

    Attributes:
        was: the path that it had before it was moved.
        gone: it was deleted, and nothing wrote it again.
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
    """The last that changed what is in it."""
    was: str = ""
    gone: bool = False

    def take(self, call: Done) -> None:
        if call.kind is Kind.READ or call.kind is Kind.COMMAND:
            self.reads += 1
            self.number = self.number if self.changes else call.number
            return
        self.created = self.created or (call.kind is Kind.CREATE and not self.reads and not self.changes)
        self.changes += 1
        self.number = call.number
        self.last = call
        self.gone = bool(call.detail.get("deleted"))

    def told(self, path: str) -> Touched:
        detail = self.last.detail if self.last else {}
        old, new = str(detail.get("old") or ""), str(detail.get("new") or "")
        return Touched(path, self.changes, self.created, self.reads, self.number, old, new, self.was, self.gone)


class _Found:
    """The files so far by their paths, least recently touched first; `cwd` is where a shell line begins that does not say it."""

    def __init__(self, cwd: str | None, files: dict[str, _Tally] | None = None) -> None:
        self.cwd = cwd
        self.files = files or {}

    def fresh(self) -> "_Found":
        return _Found(self.cwd, {path: copy(tally) for path, tally in self.files.items()})

    def told(self) -> list[Touched]:
        return [tally.told(path) for path, tally in self.files.items()]

    def take(self, call: Done) -> None:
        for path in _paths(call) if call.state is State.DONE else ():
            tally = self.files.pop(path, None) or _Tally()
            tally.take(call)
            self._put(path, _moved(call) or path, tally)
        if call.kind is Kind.COMMAND and call.state is State.DONE and self._bears(call.target):
            for change in _changes(call, str(call.detail.get("cwd") or ""), self.cwd or ""):
                self._shell(change, call.number)

    def _bears(self, line: str) -> bool:
        """Whether a shell line may do something to a known file: away with it, or back with one that is gone."""
        gone = (path for path, tally in self.files.items() if tally.gone)
        return bool(self.files) and (may_take_away(line) or any(basename(path) in line for path in gone))

    def _shell(self, change: Change, number: int) -> None:
        """A known file is gone, elsewhere or there again; a folder takes all in it along. One that was only read is forgotten."""
        inside = change.target.rstrip("/") + "/"
        for path in [path for path in self.files if path == change.target or path.startswith(inside)]:
            tally = self.files[path]
            if change.op in _WRITTEN:
                tally.gone = tally.gone and path != change.target
            if change.op in _WRITTEN or tally.gone:
                continue
            del self.files[path]
            tally.number = number if tally.changes else tally.number
            if change.new is not None:
                self._put(path, change.new + path[len(change.target) :], tally)
            elif tally.changes:
                tally.gone, self.files[path] = True, tally

    def _put(self, was: str, now: str, tally: _Tally) -> None:
        """Where a file is now; what was there before is no more."""
        if now != was:
            tally.was = was
            self.files.pop(now, None)
        self.files[now] = tally


def touched(done: Iterable[Done], cwd: str | None = None) -> list[Touched]:
    """Every file of the finished calls, least recently touched first; what a shell showed was read."""
    found = _Found(cwd)
    for call in done:
        found.take(call)
    return found.told()


def of(material: Material) -> list[Touched]:
    """The same of a session's calls."""
    return _of_calls(material).told()


def _begin(session: Session) -> _Found:
    return _Found(session.cwd)


_of_calls = of_calls(_begin, _Found.take, _Found.fresh)


@once(4_096)
def _changes(call: Done, cwd: str, usual: str) -> tuple[Change, ...]:
    """What a shell line did to files, as far as it is known to have done so.

    Where only the `usual` directory is known, names stand for what is there, and as they are for what a shell showed by them.
    """
    found = dict[Change, None]()
    for place in dict.fromkeys((cwd,) if cwd else (usual, "")):
        steps = commands.steps(call.target, place or None)
        files = (step for step in steps if step.change.op in {*_WRITTEN, Op.DELETE, Op.RENAME})
        done = (step.change for step in files if outcomes.told(call, step, alone=len(steps) == 1)[1])
        found.update(dict.fromkeys(done))
    return tuple(found)


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
    return sorted((file for file in reversed(files) if file.changes), key=lambda file: -file.number)


def only_read(files: Sequence[Touched]) -> list[Touched]:
    """The ones that were only read, newest first."""
    return [file for file in reversed(files) if not file.changes]


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
