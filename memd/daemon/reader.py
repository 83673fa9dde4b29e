"""Reading one transcript on: from its cursor to records, in steps that are each one transaction."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memd.daemon import moved
from memd.daemon.gate import Gate
from memd.daemon.ignore import Ignore
from memd.errors import SourceUnreadable
from memd.model import (
    Amend,
    Channel,
    Compaction,
    Envelope,
    Event,
    Facts,
    Gap,
    Message,
    Origin,
    Receipt,
    Record,
    Session,
    TurnEnd,
)
from memd.model.masking import masked
from memd.provenance import classify
from memd.store import Seed, SourceRow, Store
from memd.tail.batch import Batch
from memd.tools.places import Kept, Places
from memd.tools.protocol import Identity, Tool

HEAD = 1 << 16
"""Bytes of a transcript's start that are looked at to tell whose it is."""
STEP = 2 << 20
"""Bytes that one step reads. Steps of half the size take 6 % more time in all, of twice the size 1 % less; while old transcripts
are read a live one waits for the step that runs, 60 ms at most instead of 40 (recorded sessions of two tools)."""


class Step(Struct, frozen=True):
    """What one step did: which session, what was added, and whether more is waiting."""

    session: str | None
    added: tuple[Record, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    turn_ended: bool = False
    """A turn ended, or the context was compacted: what hooks give back changes now."""
    changed: bool = False
    more: bool = False
    gone: bool = False


class Reader:
    """Reads transcripts into the record.

    `sessions` is the state's directory of sessions, by tool; `hosts` names the programs whose prompts are the person's typing.
    """

    def __init__(
        self,
        store: Store,
        sessions: Path,
        clock: Callable[[], int],
        gate: Gate | None = None,
        hosts: Iterable[str] = (),
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._clock = clock
        self._gate = gate or Gate(store, Ignore((), "/"))
        self._hosts = frozenset(hosts)

    def step(self, tool: Tool, path: Path, limit: int = STEP, seen: int = -1) -> Step:
        """Read on for about `limit` bytes and commit what came of them.

        `seen` is how far a smaller look at a transcript that tells no directory came: where this one comes no farther, it
        has none (its last line may be unfinished).

        Raises:
            SourceUnreadable: the file is there and cannot be read now, or its name is no text.
        """
        if not _is_text(path):
            raise SourceUnreadable(f"{path}: a name that is not UTF-8 cannot be recorded; rename it, or its folder")
        row = self._store.sources.of(str(path))
        if self._gate.closed(path, row):
            return Step(row.session if row else None)
        batch = self._read(tool, path, row.cursor if row else None, limit)
        if batch.gone:
            return self._gone(row, path)
        if row is not None and not batch.lines and not batch.gaps and batch.size == row.size and row.gone_at is None:
            return Step(row.session)
        seed = self._known(row) or _seed(tool, path, batch)
        if seed is None:
            return Step(None)
        state = self._state(tool, seed, row, restarted=batch.restarted)
        anew = batch.restarted or state is None
        if state is None:  # another version's state: read the whole file again, its row ids keep it from doubling
            batch = self._read(tool, path, None, limit)
            state = tool.start(_identity(seed))
        state, events = _feed(tool, state, batch, self._hosts)
        more = bool(batch.lines) and batch.cursor.offset < batch.size
        admitted = row is not None or self._gate.admits(
            seed, batch.size, events, whole=not more or batch.cursor.offset == seen
        )
        if not admitted:
            return self.step(tool, path, limit * 8, batch.cursor.offset) if admitted is None else Step(None)
        if row is not None and any(isinstance(event, Facts) for event in events):
            events = moved.told(events, self._store.session(row.session))
        now, kept = self._clock(), tool.dump(state)
        done = self._store.commit(
            seed,
            batch.cursor.dumps(),
            kept.text,
            events,
            places=kept.places.new,
            size=batch.size,
            offset=batch.cursor.offset,
            now=now,
            anew=anew,
        )
        return Step(
            seed.session,
            done.added,
            tuple(event for event in events if isinstance(event, Receipt)),
            any(isinstance(event, TurnEnd | Compaction) for event in events),
            bool(events),
            more,
        )

    def _gone(self, row: SourceRow | None, path: Path) -> Step:
        if row is not None and row.gone_at is None:
            self._store.sources.gone(str(path), self._clock())
        return Step(row.session if row else None, gone=True)

    def session(self, tool: Tool, path: Path) -> Seed | None:
        """Whose transcript it is; None where it does not tell, or cannot be named.

        Raises:
            SourceUnreadable: it cannot be read now.
        """
        if not _is_text(path):
            return None
        return self._known(self._store.sources.of(str(path))) or _seed(tool, path, self._read(tool, path, None, HEAD))

    def size(self, tool: Tool, path: Path) -> int:
        """What is in it, in the tool's unit.

        Raises:
            SourceUnreadable: it cannot be read now.
        """
        return self._read(tool, path, None, 1).size

    def _read(self, tool: Tool, path: Path, cursor: str | None, limit: int) -> Batch:
        return tool.read(path, cursor, limit, self._sessions / tool.name)

    def _known(self, row: SourceRow | None) -> Seed | None:
        session = None if row is None else self._store.session(row.session)
        return None if row is None or session is None else _reseed(session, row.path, row.unit)

    def _state(self, tool: Tool, seed: Seed, row: SourceRow | None, *, restarted: bool) -> Any:
        if row is None or restarted:
            return tool.start(_identity(seed))
        try:
            return tool.load(kept(self._store, row))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


def kept(store: Store, row: SourceRow) -> Kept:
    """The reader's state of a transcript as it is kept."""
    return Kept(row.reader, Places(store.sources.places(row.path)))


def _is_text(path: Path) -> bool:
    """SQLite keeps text only: a name of other bytes has lone surrogates in it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def head(path: Path) -> list[bytes]:
    """The first whole lines of a file.

    Raises:
        SourceUnreadable: it cannot be read now, or is no regular file.
    """
    try:
        with open(path, "rb", opener=_waiting_for_nobody) as file:
            start = file.read(HEAD) or b""
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
    return start.split(b"\n")[: None if len(start) < HEAD else -1]


def _waiting_for_nobody(path: str, flags: int) -> int:
    """A FIFO without a writer would hold us up for ever."""
    return os.open(path, flags | os.O_NONBLOCK)


def _seed(tool: Tool, path: Path, batch: Batch) -> Seed | None:
    """Whose transcript it is, by its first rows."""
    identity = tool.identify(path, [line.data for line in batch.lines])
    if identity is None:
        return None
    parent = f"{tool.name}:{identity.parent}" if identity.parent else None
    session_id = f"{parent}/{identity.native}" if parent else f"{tool.name}:{identity.native}"
    return Seed(session_id, tool.name, identity.native, parent, str(path), tool.unit)


def _reseed(session: Session, path: str, unit: str) -> Seed:
    return Seed(session.id, session.tool, session.native, session.parent, path, unit)


def _identity(seed: Seed) -> Identity:
    parent = seed.parent.partition(":")[2] if seed.parent else None
    return Identity(seed.native, parent)


def _feed(tool: Tool, state: Any, batch: Batch, hosts: frozenset[str]) -> tuple[Any, list[Event]]:
    events: list[Event] = [Gap(gap.kind, gap.what, gap.bytes) for gap in batch.gaps]
    for line in batch.lines:
        state, found = tool.feed(state, line)
        events.extend(found)
    return state, masked([_trusting(event, hosts) for event in events])


def _trusting(event: Event, hosts: frozenset[str]) -> Event:
    """The event, with its prompt taken for the person's typing where all that vouches for it is a host that is trusted.

    Only a parser names a host, and only beside a prompt, or with what vouches for one that was entered before; what a machine
    began or a sub-agent was told has another channel.
    """
    if not isinstance(event, Message | Amend) or event.channel is not Channel.OPERATOR_HEADLESS:
        return event
    host = event.host if isinstance(event, Amend) else event.extra.get("host")
    if host not in hosts:
        return event
    channel, grade = classify(Envelope(Origin.PERSON, claimed=True, trusted=True))
    return replace(event, channel=channel, grade=grade)
