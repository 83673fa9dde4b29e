"""One commit in the making: events in, rows out. No SQL, no clock.

The writer looks up once what is recorded of the keys in hand (`Known`), feeds the events in file order, and then writes
what has come together here, table by table. Nothing depends on where a stream was cut into commits: a message gets the
number that it would have got alone, a change reaches only what was there before it.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from memd.model import (
    Amend,
    Compaction,
    Done,
    Event,
    Facts,
    Gap,
    Message,
    Operation,
    Receipt,
    Record,
    Rewind,
    TurnEnd,
    Usage,
)
from memd.store.calls import merge
from memd.store.ranges import Rewound, bounds, without

_FACTS = ("cwd", "title", "model", "window", "version", "entrypoint", "branch", "forked_from")


class Known(Struct):
    """The keys that occur in the events, as they are kept, and what was recorded before of them."""

    hashes: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    calls: dict[str, Done] = field(default_factory=dict)
    usages: set[str] = field(default_factory=set)
    boundaries: set[str] = field(default_factory=set)


class Batch(Struct):
    """What a run of events makes of a session.

    Attributes:
        session: the session's row by column name, changed in place.
        position: the number of the last entry read from this source, new or not.
        known: see `Known`; grows with what is taken.
        now: when the events were read, milliseconds.
    """

    session: dict[str, Any]
    position: int
    known: Known
    now: int
    added: dict[str, Record] = field(default_factory=dict)
    duplicates: int = 0
    amends: list[Amend] = field(default_factory=list)
    rewinds: list[Rewound] = field(default_factory=list)
    calls: dict[str, Done] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    usages: dict[str, tuple[int, Usage]] = field(default_factory=dict)
    boundaries: list[tuple[int, int, Compaction]] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    gaps: Counter[tuple[str, str]] = field(default_factory=Counter)

    def take(self, events: Iterable[Event]) -> None:
        """Feed events in file order; call once."""
        for event in events:
            self._take(event)
        for key, record in self.added.items() if self.rewinds else ():
            if record.withdrawn is not (withdrawn := self._withdrawn(record)):
                self.added[key] = replace(record, withdrawn=withdrawn)

    def _take(self, event: Event) -> None:
        match event:
            case Message():
                self._message(event)
            case Operation():
                known = self.known.calls
                if event.call not in known:
                    self.begun.append(event.call)
                known[event.call] = self.calls[event.call] = merge(known.get(event.call), event, self.position)
            case Usage() | Compaction():
                self._context(event)
            case Amend() | Rewind():
                self._change(event)
            case Facts() | TurnEnd():
                self._facts(event)
            case Receipt():
                self.receipts.append(event)
            case Gap():
                self.gaps[event.kind, event.what] += event.count
            case _:
                assert_never(event)

    def _message(self, event: Message) -> None:
        number = self.known.numbers.get(event.key)
        if number is not None:
            self.duplicates += 1
            self.position = number
            return
        self.position = self.session["messages"] = self.session["messages"] + 1
        self.known.numbers[event.key] = self.position
        self.added[event.key] = _record(event, self.known.hashes[event.key], self.position)
        self._lived(event.at)

    def _lived(self, at: int | None) -> None:
        """An entry from after the end means that the session goes on; a late one from before it does not."""
        session = self.session
        if session["ended_at"] is not None and (at is None or at > session["ended_at"]):
            session["ended_at"] = None
        if at is not None:
            session["created_at"] = at if session["created_at"] is None else min(at, session["created_at"])
            session["last_at"] = at if session["last_at"] is None else max(at, session["last_at"])

    def _change(self, event: Amend | Rewind) -> None:
        match event:
            case Amend():
                if isinstance(event.key, str) and event.key in self.added:
                    self.added[event.key] = _amended(self.added[event.key], event)
                else:
                    self.amends.append(event)
            case Rewind():
                self._rewind(event)
            case _:
                assert_never(event)

    def _rewind(self, event: Rewind) -> None:
        """A rewind whose ends are all known decides over everything before it, so earlier ones no longer matter.

        Before it lies what was read up to here: where a transcript is read again, more is recorded already.
        """
        upto = self.session["messages"] if event.everything else self.position
        found = [bounds(self.known.numbers, first, last, upto) for first, last in event.path]
        kept = tuple(pair for pair in found if pair is not None)
        sure = len(kept) == len(found)
        kept = without(kept, (self.known.numbers[key] for key in event.out if key in self.known.numbers))
        self.rewinds = [*([] if sure else self.rewinds), Rewound(upto, kept, sure=sure)]

    def _withdrawn(self, record: Record) -> bool:
        withdrawn = record.withdrawn
        for rewound in self.rewinds:
            withdrawn = rewound.withdrawn(record.number, before=withdrawn)
        return withdrawn

    def _context(self, event: Usage | Compaction) -> None:
        match event:
            case Usage():
                self._usage(event)
            case Compaction():
                self._compaction(event)
            case _:
                assert_never(event)

    def _usage(self, event: Usage) -> None:
        """The newest answer tells how full the context is; an older one that is read again does not."""
        if event.key in self.known.usages and event.key != self.session["usage_key"]:
            return
        self.known.usages.add(event.key)
        self.usages[event.key] = (self.position, event)
        self.session.update(tokens=event.tokens, usage_key=event.key, model=event.model or self.session["model"])

    def _compaction(self, event: Compaction) -> None:
        if event.key in self.known.boundaries:
            return
        self.known.boundaries.add(event.key)
        self.session["compactions"] += 1
        self.boundaries.append((self.session["compactions"], self.position, event))
        self.session.update(tokens=event.after, usage_key=None)

    def _facts(self, event: Facts | TurnEnd) -> None:
        match event:
            case Facts():
                told = {name: getattr(event, name) for name in _FACTS}
                told["forked_from"] = self._full(event.forked_from)
                self.session.update((name, value) for name, value in told.items() if value is not None)
            case TurnEnd():
                at = event.at or self.session["last_at"] or self.now
                self.session["turn_ended_at"] = max(at, self.session["turn_ended_at"] or at)
            case _:
                assert_never(event)

    def _full(self, origin: str | None) -> str | None:
        """The id of the session that this one came from; the tool's rows have only their own half of it."""
        prefix = f"{self.session['tool']}:"
        return origin if origin is None or origin.startswith(prefix) else prefix + origin


def _record(event: Message, key: int, number: int) -> Record:
    return Record(
        number=number,
        key=key,
        at=event.at,
        channel=event.channel,
        grade=event.grade,
        text=event.text,
        source=event.source,
        turn=event.turn,
        withdrawn=event.withdrawn,
        undelivered=event.undelivered,
        extra=event.extra,
    )


def _amended(record: Record, event: Amend) -> Record:
    return replace(
        record,
        undelivered=record.undelivered if event.undelivered is None else event.undelivered,
        channel=event.channel or record.channel,
        grade=event.grade or record.grade,
    )
