"""Reading one transcript on: from its cursor to records, in steps that are each one transaction."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memd.daemon import moved
from memd.daemon.gate import Gate
from memd.daemon.ignore import Ignore
from memd.daemon.parsing import STEP, Ask, Parsed, parse, read
from memd.errors import SourceUnreadable
from memd.model import Compaction, Facts, Receipt, Record, Rewind, TurnEnd
from memd.store import Seed, SourceRow, Store
from memd.tail.batch import Batch
from memd.tools.places import Kept, Places
from memd.tools.protocol import Identity, Tool

HEAD = 1 << 16
"""Bytes of a transcript's start that are looked at to tell whose it is."""


_ENDING = frozenset({TurnEnd, Compaction, Rewind})


class Step(Struct, frozen=True):
    """What one step did: which session, what was added, and whether more is waiting."""

    session: str | None
    added: tuple[Record, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    turn_ended: bool = False
    """A turn ended, the context was compacted, or the person went back: what hooks give back changes now."""
    changed: bool = False
    left: int = 0
    """What is known to be waiting still, in the tool's unit."""
    gone: bool = False

    @property
    def more(self) -> bool:
        """Whether more is waiting."""
        return self.left > 0


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

    def step(self, tool: Tool, path: Path, limit: int | None = None, seen: int = -1) -> Step:
        """Read on for about `limit` bytes (`STEP`) and commit what came of them.

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
        return self._commit(tool, row, parse(ask := self._ask(tool, path, row, limit or STEP)), ask, seen)

    def ask(self, tool: Tool, path: Path, upto: int) -> Ask | None:
        """What the next step of a transcript is made from, whole, for another process.

        None: it is not to be read, or is read farther than `upto` already, as most are that are looked at.
        """
        row = self._store.sources.of(str(path)) if _is_text(path) else None
        if not _is_text(path) or self._gate.closed(path, row) or (row is not None and row.offset > upto):
            return None
        return replace(self._ask(tool, path, row, STEP), places=self._store.sources.places(str(path)).whole())

    def take(self, tool: Tool, ask: Ask, parsed: Parsed) -> Step | None:
        """Commit what somebody else made of a step, as `step` does; None where the record is not as it was made from."""
        path = Path(ask.path)
        row = self._store.sources.of(ask.path)
        now = self._ask(tool, path, row, ask.limit)
        if parsed.behind != now.cursor or replace(now, places={}) != replace(ask, places={}):
            return None
        if self._gate.closed(path, row):
            return Step(row.session if row else None)
        return self._commit(tool, row, parsed, ask)

    def _ask(self, tool: Tool, path: Path, row: SourceRow | None, limit: int) -> Ask:
        bare = Ask(tool.name, str(path), str(self._sessions / tool.name), self._hosts, limit)
        if row is None:
            return bare
        before = kept(self._store, row)
        return replace(
            bare,
            cursor=row.cursor,
            offset=row.offset,
            text=before.text,
            places=before.places.saved,
            identity=_identity(row.seed),
            size=row.size if row.gone_at is None else None,
        )

    def _commit(self, tool: Tool, row: SourceRow | None, parsed: Parsed, ask: Ask, seen: int = -1) -> Step:
        path, events = Path(ask.path), parsed.events
        if parsed.gone:
            return self._gone(row, path)
        if parsed.nothing:
            return Step(row.session if row else None)
        if parsed.identity is None:
            return Step(None)
        seed = row.seed if row else _seed(tool, path, parsed.identity)
        admitted = row is not None or self._gate.admits(
            seed, parsed.size, events, whole=not parsed.more or parsed.offset == seen
        )
        if not admitted:
            return self.step(tool, path, ask.limit * 8, parsed.offset) if admitted is None else Step(None)
        if row is not None and any(isinstance(event, Facts) for event in events):
            events = moved.told(events, self._store.session(row.session))
        done = self._store.commit(
            seed,
            parsed.cursor,
            parsed.text,
            events,
            places=parsed.places,
            size=parsed.size,
            offset=parsed.offset,
            now=self._clock(),
            anew=parsed.anew,
        )
        return Step(
            seed.session,
            done.added,
            tuple(event for event in events if isinstance(event, Receipt)),
            not _ENDING.isdisjoint(map(type, events)),
            bool(events),
            parsed.size - parsed.offset if parsed.more else 0,
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
        row = self._store.sources.of(str(path))
        if row is not None:
            return row.seed
        identity = tool.identify(path, [line.data for line in self._read(tool, path, HEAD).lines])
        return None if identity is None else _seed(tool, path, identity)

    def size(self, tool: Tool, path: Path) -> int:
        """What is in it, in the tool's unit.

        Raises:
            SourceUnreadable: it cannot be read now.
        """
        return self._read(tool, path, 1).size

    def _read(self, tool: Tool, path: Path, limit: int) -> Batch:
        """Its first rows."""
        return read(tool, self._ask(tool, path, None, limit), None)


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


def _seed(tool: Tool, path: Path, identity: Identity) -> Seed:
    """A session of which nothing is recorded."""
    parent = f"{tool.name}:{identity.parent}" if identity.parent else None
    session_id = f"{parent}/{identity.native}" if parent else f"{tool.name}:{identity.native}"
    return Seed(session_id, tool.name, identity.native, parent, str(path), tool.unit)


def _identity(seed: Seed) -> Identity:
    parent = seed.parent.partition(":")[2] if seed.parent else None
    return Identity(seed.native, parent)
