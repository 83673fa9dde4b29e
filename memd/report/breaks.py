"""Continuity breaks: calls after a place that do again, or run against, what was done, found out or said before it. Pure.

The same is counted at a place without a compaction, because agents repeat themselves there too. docs/continuity.md has the rules
in words; they see one session's own calls, not what other programs or people changed.
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import count
from posixpath import join, normpath

from msgspec import Struct, field

from memd.extract import effects, shell
from memd.extract.journal.commands import changes
from memd.model import Boundary, Done, Kind, State
from memd.model.journal import Op
from memd.report import stated
from memd.report.past import Past

SPAN = 40
"""Calls on each side of a place."""
KINDS = ("reread", "missing", "edit", "effect", "against")

_MISSING = re.compile(
    r"(?i)no such file|file does(?: not|n't) exist|path does(?: not|n't) exist|file not found|\benoent\b|cannot find the file"
)
_ONCE = re.compile(r"(?:gh|glab|curl|mail|sendmail|msmtp)\s|git tag\s")
"""What other people see: doing it again is a break, whatever was changed in between."""
_FILES = {Op.EDIT, Op.CREATE, Op.DELETE, Op.RENAME}
_EDITS = {Kind.EDIT, Kind.CREATE}
_ONE_FILE = {Kind.READ, *_EDITS}


class Break(Struct, frozen=True):
    """One call that breaks continuity.

    Attributes:
        kind: `reread`, `missing`, `edit`, `effect`, `against`.
        number: the entry with the call's result.
        what: the file or the command.
        earlier: the entry from before the place that it repeats or runs against; None for a path that is not there.
    """

    kind: str
    number: int
    what: str
    earlier: int | None = None


class Window(Struct, frozen=True):
    """The calls behind a place: from the entry after which they begin, how many they are, and which of them break."""

    after: int
    calls: int
    breaks: tuple[Break, ...]

    def tally(self) -> dict[str, int]:
        """How many of each kind."""
        return {kind: sum(one.kind == kind for one in self.breaks) for kind in KINDS}


def windows(past: Past, boundary: Boundary) -> tuple[Window, Window] | None:
    """The calls after a compaction, and as many directly before it as the control; None where there are too few calls.

    Both are of the same length: at most `SPAN`, all until the next compaction, and half of those since the one before, so that
    the control too has as many calls of its own stretch before it.
    """
    _, last = past.stretch(boundary)
    start = next((b.number for b in reversed(past.boundaries) if b.ordinal < boundary.ordinal), 0)
    place = sum(call.number <= boundary.number for call in past.calls)
    before = sum(start < call.number <= boundary.number for call in past.calls)
    behind = sum(boundary.number < call.number <= last for call in past.calls)
    span = min(SPAN, before // 2, behind)
    if span < 1:
        return None
    return window(past, place, span), window(past, place - span, span)


def window(past: Past, place: int, span: int) -> Window:
    """The `span` calls from the place (an index into the session's calls in the order of their results)."""
    calls = sorted(past.calls, key=lambda call: call.number)
    looked = _Looked(past, calls[:place])
    found = dict.fromkeys(one for call in calls[place : place + span] for one in looked.at(call))
    return Window(calls[place - 1].number if place else 0, span, tuple(found))


class _Done(Struct):
    """What was done up to a moment; a number is that of an entry, a time counts calls."""

    read: dict[str, tuple[int, int]] = field(default_factory=dict)
    """A file: when it was last read, or some of it, and the number."""
    edited: dict[tuple[str, ...], int] = field(default_factory=dict)
    ran: dict[str, tuple[int, int]] = field(default_factory=dict)
    """A command with side effects: when it last ran to its end, and the number."""
    refused: dict[tuple[str, ...], int] = field(default_factory=dict)


class _Looked:
    """What was read, changed, run and refused before a place; follows the calls behind it."""

    def __init__(self, past: Past, before: Sequence[Done]) -> None:
        self._cwd = past.session.cwd or ""
        self._rules, self._spoken = stated.rules(past), stated.spoken(past)
        self._time = count(1)
        self._now = _Done()
        self._changed: dict[str, int] = {}
        """When a file was last changed."""
        self._last = 0
        """When anything was."""
        for call in before:
            self._remember(call)
        self._old = deepcopy(self._now)
        self._place = before[-1].number if before else 0

    def at(self, call: Done) -> Iterator[Break]:
        """The breaks of a call behind the place, which is then remembered like the others."""
        if call.state is not State.REFUSED:
            yield from self._again(call)
            yield from self._against(call)
        if call.state is State.FAILED and _MISSING.search(call.result):
            yield Break("missing", call.number, self._path(call.target) if call.kind in _ONE_FILE else call.target)
        self._remember(call)

    def _again(self, call: Done) -> Iterator[Break]:
        for path in self._reads(call):
            at, number = self._old.read.get(path, (0, 0))
            if at and self._now.read[path][0] == at and self._changed.get(path, 0) < at:
                yield Break("reread", call.number, path, number)
        same = self._edit(call)
        if same in self._old.edited and self._now.edited[same] == self._old.edited[same]:
            yield Break("edit", call.number, same[0], self._old.edited[same])
        for effect in _effects(call):
            at, number = self._old.ran.get(effect, (0, 0))
            if at and self._now.ran[effect][0] == at and (_ONCE.match(effect) or self._last <= at):
                yield Break("effect", call.number, effect, number)

    def _against(self, call: Done) -> Iterator[Break]:
        act = self._act(call)
        refused = self._old.refused.get(act) if act else None
        if refused is not None and not any(refused < number < call.number for number in self._spoken):
            yield Break("against", call.number, act[0], refused)
        for path in self._touched(call) if call.state is State.DONE else ():
            rule = next((r for r in self._rules if r.number <= self._place and r.forbids(path)), None)
            if rule is not None:
                yield Break("against", call.number, path, rule.number)

    def _remember(self, call: Done) -> None:
        now = next(self._time)
        if call.state is State.REFUSED and (act := self._act(call)):
            self._now.refused[act] = call.number
        if call.state is not State.DONE:
            return
        self._now.read |= dict.fromkeys(self._reads(call), (now, call.number))
        for path in self._touched(call):
            self._changed[path] = self._last = now
        if same := self._edit(call):
            self._now.edited[same] = call.number
        for effect in _effects(call):
            self._now.ran[effect] = (now, call.number)
            self._last = now

    def _path(self, path: str) -> str:
        """A path as seen from the session's directory."""
        whole = path if path.startswith("~") else normpath(join(self._cwd, path))
        return whole.removeprefix(f"{self._cwd.rstrip('/')}/") if self._cwd else whole

    def _reads(self, call: Done) -> list[str]:
        """The files that a call reads, or parts of them."""
        shown = [path for path, _ in shell.looked_at(call.target)] if call.kind is Kind.COMMAND else []
        named = [call.target] if call.kind is Kind.READ else shown
        return [self._path(path) for path in named if path]

    def _touched(self, call: Done) -> list[str]:
        """The files that a call changes."""
        if call.kind is Kind.COMMAND:
            found = (part for part in changes(call.target, self._cwd or None) if part.op in _FILES)
            return [self._path(path) for part in found for path in (part.target, part.new) if path]
        named = (call.target, *call.detail.get("files", ()), str(call.detail.get("moved") or ""))
        return [self._path(path) for path in named if path] if call.kind in _EDITS else []

    def _edit(self, call: Done) -> tuple[str, ...]:
        """What makes two edits the same; nothing for other calls."""
        old, new = (str(call.detail.get(name) or "") for name in ("old", "new"))
        return (self._path(call.target), old, new) if call.kind in _EDITS and (old or new) else ()

    def _act(self, call: Done) -> tuple[str, ...]:
        """What a person refuses: an edit or a command; nothing for other calls."""
        return (call.target,) if call.kind is Kind.COMMAND else self._edit(call)


def _effects(call: Done) -> tuple[str, ...]:
    return effects.lasting(call.target) if call.kind is Kind.COMMAND else ()
