"""A session looked back upon: its record, what its transcript had when, and what memd gave back. Reads only.

Which text was given at a compaction is told by the transcript where it holds what hooks gave (memd's own marks stand in it), else
by the deliveries that were noted at that time, whose texts are kept with their checkpoints.
"""

from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from json import loads
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memd import tokens
from memd.config import Config, Paths
from memd.daemon.keeper import Keeper
from memd.daemon.pipeline import wall_clock
from memd.errors import Fault, SourceUnreadable
from memd.extract.occasions import given_for
from memd.model import Boundary, Channel, Delivered, Session, marks
from memd.report import needs, past, told
from memd.report.past import Past
from memd.report.told import Given, How, Told
from memd.store import Store
from memd.store.folders import Folders
from memd.tail.batch import Line
from memd.tools.registry import tool as named

CHUNK = 1 << 22
"""Bytes of a transcript that are looked at in one go."""


class Hindsight:
    """Looks back with one record."""

    def __init__(self, store: Store, settings: Config, places: Paths) -> None:
        self._store = store
        self._folders = Folders(places.state)
        self._keeper = Keeper(store, self._folders, settings, wall_clock)
        self._sessions = places.state / "sessions"

    def report(self, session: Session) -> Iterator[Boundary | Told]:
        """The session's report, after each of its compactions as it was measured."""
        seen, done = self.past(session), list[told.Compacted]()
        for boundary in seen.boundaries:
            done.append(told.compacted(seen, boundary, self.given(seen, boundary), tokens))
            yield boundary
        kept = (
            self._store.checkpoints.get(session.id, number) for number in self._store.checkpoints.numbers(session.id)
        )
        yield Told(
            session,
            tuple(done),
            tuple(self._store.fills(session.id)),
            tuple(made for made in kept if made is not None),
            session.window or named(session.tool).window(session.model),
            seen.rows is not None,
        )

    def past(self, session: Session) -> Past:
        """What is recorded of a session, with the words of its transcript."""
        store, name = self._store, session.id
        boundaries = tuple(store.boundaries(name))
        bare = Past(session, tuple(store.messages(name)), tuple(store.operations(name)), boundaries, {})
        try:
            return self._read(bare)
        except Fault:
            return past.recorded(bare)

    def _read(self, bare: Past) -> Past:
        """The same session with the words of its transcript.

        Raises:
            Fault: it is gone, or cannot be read.
        """
        own, since, rows = past.here(bare.session), dict[str, int](), dict[int, AbstractSet[str]]()
        ends, shown = [_end(bare, boundary) for boundary in bare.boundaries], past.shows(bare)
        for line in self._lines(bare.session):
            behind = bisect_right(ends, line.offset)
            words = needs.words(_flat(line.data).replace(own, ""))
            for word in words:
                since.setdefault(word, behind)
            rows |= dict.fromkeys(shown.get(line.offset, ()), words)
        return replace(bare, since=since, rows=rows)

    def _lines(self, session: Session) -> Iterator[Line]:
        """The rows of a session's transcript.

        Raises:
            Fault: it is gone, or cannot be read.
        """
        tool, path, cursor = named(session.tool), Path(session.path or ""), None
        while True:
            batch = tool.read(path, cursor, CHUNK, self._sessions / tool.name)
            if batch.gone or not session.path:
                raise SourceUnreadable(f"{path}: it is gone")
            if not batch.lines:
                return
            yield from batch.lines
            cursor = batch.cursor.dumps()

    def given(self, seen: Past, boundary: Boundary) -> Given | None:
        """The text of memd's for one compaction; None where it has none."""
        shown = self._shown(seen, boundary)
        if shown is not None:
            return shown
        noted = self._noted(seen, boundary)
        if noted is not None and (text := self._kept(seen.session, noted)):
            return Given(How.GIVEN if noted.seen else How.HANDED, text, noted.number)
        if seen.session.parent is not None:
            return None
        return Given(How.COMPUTED, self._keeper.foreseen(seen.session, boundary).text)

    def _shown(self, seen: Past, boundary: Boundary) -> Given | None:
        """The parts of the first checkpoint that stands in the transcript after a compaction."""
        first, last = seen.stretch(boundary)
        own = (r.text for r in seen.records if first < r.number <= last and r.channel is Channel.MEMD_INJECTION)
        parts = [(found, text) for text in own if (found := marks.find(text)) is not None]
        if not parts:
            return None
        number = parts[0][0].number
        texts = {found.part: text for found, text in parts if found.number == number}
        return Given(How.GIVEN, "\n".join(text for _, text in sorted(texts.items())), number)

    def _noted(self, seen: Past, boundary: Boundary) -> Delivered | None:
        """The first delivery for one compaction, one that was seen before others."""
        every = self._store.deliveries.all(seen.session.id)
        own = zip(every, given_for(every, seen.boundaries), strict=True)
        found = [one for one, given in own if given is not None and given.ordinal == boundary.ordinal]
        return next((one for one in found if one.seen), found[0] if found else None)

    def _kept(self, session: Session, noted: Delivered) -> str | None:
        return self._folders.text(self._folders.session(session.tool, session.native), noted.number)


def _end(bare: Past, boundary: Boundary) -> int:
    """Where the rows end that stood in the transcript before a compaction, and before its summary."""
    known = (r for r in bare.records if r.number <= boundary.number and r.channel is not Channel.HARNESS_SUMMARY)
    before = [record.source for record in known if record.copy_of is None]
    return max((source.offset + source.length for source in before), default=0)


def _flat(row: bytes) -> str:
    """All strings of a row."""

    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from strings(item)

    try:
        return "\n".join(strings(loads(row)))
    except (ValueError, RecursionError):
        return row.decode("utf-8", "replace")
