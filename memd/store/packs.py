"""Texts that are kept packed: a checkpoint's texts each, those of entries and of their calls with the others of their session.

Entries and calls repeat what stood in those before them, so a hundred texts together take little more than half of what they take
one by one, and less time. What an agent or a tool said never changes, so a pack is written once and goes with its session. What
a call became later stands in its row from then on. In their rows stand the newest entries and calls too, those recorded before
there were packs, and what asked the agent for something: that is read at every refresh.
"""

import json
import sqlite3
import zlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from memd.errors import RecordDamaged
from memd.later import Later
from memd.model import Record, State
from memd.store.codes import CHANNEL, STATE, compact

if TYPE_CHECKING:
    import zstandard
else:
    zstandard = Later("zstandard", "")

SIZE = 32
"""Entries after which a session that grows by single ones is packed."""
SEVERAL = 8
"""So many at once are a transcript that is being read: they are packed at once, nothing more may come."""
MOST = 128
"""Entries of a pack at most. Measured on recorded sessions of two tools: 64 take 6 and 7 % more, 32 take 12 and 16 %."""
_LEVEL = 3
"""A quarter of the time of 6, for 6 and 7 % more room (the same sessions)."""
_ZSTD = b"\x28\xb5\x2f\xfd"
"""What its frames begin with; other packs are zlib's, which were made before."""
_KEPT = 48
"""Packs that stay unpacked in memory, some 100 kB each: the calls and texts that a refresh looks at are in fewer. The daemon lets
go of them when it has nothing to do."""

_ASKING = frozenset(channel for channel in CHANNEL if channel.starts_turn)
_ASKING_CODES = json.dumps([CHANNEL[channel] for channel in _ASKING])
_ENDED = json.dumps([STATE[state] for state in STATE if state not in {State.RUNNING, State.BACKGROUND}])
_PLACES = {"text": 0, "extra": 1, "turn": 2}
_CALLS = len(_PLACES)


def column(name: str) -> str:
    """`text`, `extra` or `turn` of a row `m` of `message`."""
    return f"iif(m.pack IS NULL, m.{name}, unpacked(m.pack, m.number, {_PLACES[name]}))"


SAID = f"iif(o.pack IS NULL, o.said, unpacked(o.pack, o.slot, {_CALLS}))"
"""What a row `o` of `operation` says of a call."""


class Packed(Struct):
    """What a commit packed: the packs of entries by number, and of calls by key, with the place in them."""

    entries: dict[int, int] = field(default_factory=dict)
    calls: dict[int, tuple[int, int]] = field(default_factory=dict)


def add(
    sql: sqlite3.Connection, session: dict[str, Any], added: Sequence[Record], calls: Iterable[tuple[int, int, str]]
) -> Packed:
    """Pack what is in rows, and what is about to be, where it is enough.

    Args:
        sql: the connection, in a transaction.
        session: its row; `messages` counts the new entries too, `packed` is where the next time goes on.
        added: the new entries, in order.
        calls: those that the commit writes and that have ended: key, number, what is said of them.
    """
    packed, upto = Packed(), session["messages"]
    if upto - session["packed"] >= SIZE or len(added) >= SEVERAL:
        ended = deque(sorted(calls, key=itemgetter(1)))
        for first in range(session["packed"] + 1, upto + 1, MOST):
            _pack(sql, session["row"], range(first, min(first + MOST, upto + 1)), added, ended, packed)
        session["packed"] = upto
    return packed


def _pack(
    sql: sqlite3.Connection,
    session: int,
    run: range,
    added: Sequence[Record],
    calls: deque[tuple[int, int, str]],
    packed: Packed,
) -> None:
    """One pack of the entries with these numbers, and of calls that ended up to them, which are taken out."""
    begin = added[0].number if added else run.stop
    inside = slice(max(run.start - begin, 0), max(run.stop - begin, 0))
    new = [one for one in added[inside] if one.channel not in _ASKING]
    old = _entries(sql, session, run) if run.start < begin else []
    written: list[tuple[int, str]] = []
    while calls and calls[0][1] < run.stop:
        key, _, said = calls.popleft()
        written.append((key, said))
    waiting = _calls(sql, session)
    if not (new or old or written or waiting):
        return
    entries = (*old, *((one.number, one.text, more(one), one.turn) for one in new))
    content = Pack.content(run, entries, [said for _, said in (*waiting, *written)])
    row = sql.execute(
        "INSERT INTO pack (session, first, entries) VALUES (?, ?, ?)", (session, run.start, squeezed(content))
    ).lastrowid
    sql.executemany(
        "UPDATE message SET pack = ?, text = '', extra = NULL, turn = NULL WHERE session = ? AND number = ?",
        ((row, session, number) for number, *_ in old),
    )
    sql.executemany(
        "UPDATE operation SET pack = ?, slot = ?, said = NULL WHERE id = ?",
        ((row, slot, call) for slot, (call, _) in enumerate(waiting)),
    )
    packed.entries |= dict.fromkeys((one.number for one in new), row or 0)
    packed.calls |= {key: (row or 0, slot) for slot, (key, _) in enumerate(written, len(waiting))}


def _entries(sql: sqlite3.Connection, session: int, run: range) -> list[tuple[Any, ...]]:
    """Those of a run that are recorded already."""
    return sql.execute(
        "SELECT number, text, extra, turn FROM message WHERE session = ? AND number BETWEEN ? AND ?"
        " AND channel NOT IN (SELECT value FROM json_each(?))",
        (session, run.start, run.stop - 1, _ASKING_CODES),
    ).fetchall()


def _calls(sql: sqlite3.Connection, session: int) -> list[tuple[int, str]]:
    """Calls that have ended and stand in their rows: not all of a record's from before there were packs at once."""
    return sql.execute(
        "SELECT id, said FROM operation INDEXED BY operation_loose WHERE session = ? AND pack IS NULL"
        " AND state IN (SELECT value FROM json_each(?)) LIMIT ?",
        (session, _ENDED, MOST),
    ).fetchall()


def more(record: Record) -> str | None:
    """What else is known of an entry, as it is kept."""
    return compact(record.extra) if record.extra else None


def squeezed(text: bytes) -> bytes:
    """A text as it is kept; SQLite tells by the type of a value that it is one."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(text)


def plain(kept: str | bytes) -> bytes:
    """The text again; one that was recorded before there were packs is as it is.

    Raises:
        RecordDamaged: it is not what was written.
    """
    if isinstance(kept, str):
        return kept.encode()
    try:
        return zstandard.ZstdDecompressor().decompress(kept) if kept.startswith(_ZSTD) else zlib.decompress(kept)
    except (zlib.error, zstandard.ZstdError) as error:
        raise RecordDamaged(f"memd's record is damaged: a packed text in it cannot be read ({error})") from error


class Pack:
    """A pack that was read: a line with the length of each value (bytes; null: none), and the values one after another.

    There is a list of lengths for the texts of its entries, one for their extras, one for their turns and one for calls: what is
    alike lies together. Packs that an older memd made have the first three in one list, and no calls.
    """

    def __init__(self, first: int, content: bytes) -> None:
        header, _, self._values = content.partition(b"\n")
        lengths: list[Any] = msgspec.json.decode(header)
        if not isinstance(lengths[0], list):
            size = len(lengths) // len(_PLACES)
            lengths = [lengths[place * size : (place + 1) * size] for place in range(len(_PLACES))]
        self._first = first
        self._lengths: list[list[int | None]] = lengths
        ends = accumulate(length or 0 for column in lengths for length in column)
        self._ends = [[next(ends) for _ in column] for column in lengths]

    @staticmethod
    def content(run: range, entries: Iterable[tuple[Any, ...]], calls: Iterable[str]) -> bytes:
        """What is kept of entries with these numbers (each its number, and a value for each place) and of calls."""
        columns: list[list[bytes | None]] = [[None] * len(run) for _ in _PLACES]
        for number, *found in entries:
            for place, value in enumerate(found):
                columns[place][number - run.start] = None if value is None else value.encode()
        columns.append([said.encode() for said in calls])
        lengths = [[None if value is None else len(value) for value in column] for column in columns]
        return b"".join(
            (msgspec.json.encode(lengths), b"\n", *(value or b"" for column in columns for value in column))
        )

    def value(self, at: int, place: int) -> str | None:
        """What stood at a place of the entry with this number, or of the call in this slot."""
        if place != _CALLS:
            at -= self._first
        length, end = self._lengths[place][at], self._ends[place][at]
        return None if length is None else self._values[end - length : end].decode()


class Unpacked:
    """The function `unpacked(pack, number or slot, place)` of a connection."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self.damaged = ""
        """What was wrong with a pack: SQLite says of an error in a function only that there was one."""
        self._sql = sql
        self._packs = OrderedDict[int, Pack]()

    def release(self) -> None:
        """Give the memory back."""
        self._packs.clear()

    def __call__(self, pack: int, at: int, place: int) -> str | None:
        """What stood at a place of an entry, or what is said of a call; `pack` is a row of the table."""
        try:
            return (self._packs.get(pack) or self._read(pack)).value(at, place)
        except (RecordDamaged, TypeError, ValueError, IndexError) as error:
            self.damaged = f"pack {pack}: {error}"
            raise

    def _read(self, pack: int) -> Pack:
        first, kept = self._sql.execute("SELECT first, entries FROM pack WHERE id = ?", (pack,)).fetchone()
        found = self._packs[pack] = Pack(first, plain(kept))
        if len(self._packs) > _KEPT:
            self._packs.popitem(last=False)
        return found
