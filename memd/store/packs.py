"""What takes room is kept packed: a checkpoint's texts each, an entry's text with 31 others of its session.

Entries repeat what stood in those before them, so 32 texts together take little more than half of what they take one by one,
and less time. What an agent or a tool said never changes, so a pack is written once, when its last entry is recorded, and goes
with its session. In their rows stand the newest entries, up to 31, those recorded before there were packs, and what asked the
agent for something: all of that is read at every refresh.
"""

import json
import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from memd.errors import RecordDamaged
from memd.model import Channel, Record
from memd.store.texts import compact

SIZE = 32
"""Entries of a pack. Measured on recorded sessions of two tools: 64 take 6 and 8 % less, 8 take 24 and 21 % more."""
_LEVEL = 3
"""Twice as fast as zlib's usual 6, for 8 and 9 % more room (the same sessions)."""
_KEPT = 128
"""Packs that stay unpacked in memory, some 25 kB each: the calls and texts that a refresh looks at are in fewer. The daemon lets
go of them when it has nothing to do."""

_ASKING = json.dumps([channel for channel in Channel if channel.starts_turn])
_PLACES = {"text": 0, "extra": 1, "turn": 2}


def column(name: str) -> str:
    """`text`, `extra` or `turn` of a row `m` of `message`."""
    return f"iif(m.pack IS NULL, m.{name}, unpacked(m.pack, m.number, {_PLACES[name]}))"


def add(sql: sqlite3.Connection, session: int, before: int, added: Sequence[Record]) -> dict[int, int]:
    """Pack the runs of SIZE entries that are whole now, of which the session had `before`: the new ones' packs by number."""
    packs: dict[int, int] = {}
    for first in range(before - before % SIZE + 1, before + len(added) - SIZE + 2, SIZE):
        new = [
            one for one in added[max(0, first - 1 - before) : first - 1 - before + SIZE] if not one.channel.starts_turn
        ]
        old = _old(sql, session, first) if first <= before else []
        if old or new:
            entries = (*old, *((one.number, one.text, more(one), one.turn) for one in new))
            values = (session, first, squeezed(Pack.content(first, entries)))
            row = sql.execute("INSERT INTO pack (session, first, entries) VALUES (?, ?, ?)", values).lastrowid or 0
            sql.executemany(
                "UPDATE message SET pack = ?, text = '', extra = NULL, turn = NULL WHERE session = ? AND number = ?",
                ((row, session, number) for number, *_ in old),
            )
            packs |= dict.fromkeys((one.number for one in new), row)
    return packs


def _old(sql: sqlite3.Connection, session: int, first: int) -> list[tuple[Any, ...]]:
    """The entries of a run that are recorded already."""
    return sql.execute(
        "SELECT number, text, extra, turn FROM message WHERE session = ? AND number BETWEEN ? AND ?"
        " AND channel NOT IN (SELECT value FROM json_each(?))",
        (session, first, first + SIZE - 1, _ASKING),
    ).fetchall()


def more(record: Record) -> str | None:
    """What else is known of an entry, as it is kept."""
    return compact(record.extra) if record.extra else None


def squeezed(text: bytes) -> bytes:
    """A text as it is kept; SQLite tells by the type of a value that it is one."""
    return zlib.compress(text, _LEVEL)


def plain(kept: str | bytes) -> bytes:
    """The text again; one that was recorded before there were packs is as it is.

    Raises:
        RecordDamaged: it is not what was written.
    """
    try:
        return kept.encode() if isinstance(kept, str) else zlib.decompress(kept)
    except zlib.error as error:
        raise RecordDamaged(f"memd's record is damaged: a packed text in it cannot be read ({error})") from error


class Pack:
    """A pack that was read: a line with the length of each value (bytes; null: none), and the values one after another.

    All texts come first, then all extras, all turns: what is alike lies together.
    """

    def __init__(self, first: int, content: bytes) -> None:
        lengths, _, self._values = content.partition(b"\n")
        self._first = first
        self._lengths: list[int | None] = json.loads(lengths)
        self._ends = list(accumulate(length or 0 for length in self._lengths))
        self._size = len(self._lengths) // len(_PLACES)

    @staticmethod
    def content(first: int, entries: Iterable[tuple[Any, ...]]) -> bytes:
        """What is kept of entries: each its number, and a value for each place."""
        values: list[bytes | None] = [None] * (SIZE * len(_PLACES))
        for number, *found in entries:
            for place, value in enumerate(found):
                values[place * SIZE + number - first] = None if value is None else value.encode()
        lengths = json.dumps([None if value is None else len(value) for value in values], separators=(",", ":"))
        return b"".join((lengths.encode(), b"\n", *(value or b"" for value in values)))

    def value(self, number: int, place: int) -> str | None:
        """What stood at a place of an entry."""
        at = place * self._size + number - self._first
        length = self._lengths[at]
        return None if length is None else self._values[self._ends[at] - length : self._ends[at]].decode()


class Unpacked:
    """The function `unpacked(pack, number, place)` of a connection."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self.damaged = ""
        """What was wrong with a pack: SQLite says of an error in a function only that there was one."""
        self._sql = sql
        self._packs = OrderedDict[int, Pack]()

    def release(self) -> None:
        """Give the memory back."""
        self._packs.clear()

    def __call__(self, pack: int, number: int, place: int) -> str | None:
        """What stood at a place of an entry; `pack` is a row of the table."""
        try:
            return (self._packs.get(pack) or self._read(pack)).value(number, place)
        except (RecordDamaged, TypeError, ValueError, IndexError) as error:
            self.damaged = f"pack {pack}: {error}"
            raise

    def _read(self, pack: int) -> Pack:
        first, kept = self._sql.execute("SELECT first, entries FROM pack WHERE id = ?", (pack,)).fetchone()
        found = self._packs[pack] = Pack(first, plain(kept))
        if len(self._packs) > _KEPT:
            self._packs.popitem(last=False)
        return found
