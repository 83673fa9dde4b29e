"""What takes room is kept packed: a checkpoint's texts each, an entry's text with 31 others of its session.

Entries repeat what stood in those before them, so 32 texts together take little more than half of what they take one by one,
and less time. What a person, an agent or a tool said never changes, so a pack is written once, when its last entry is recorded,
and goes with its session. The newest entries up to 31, and those recorded before there were packs, stand in their rows.
"""

import json
import sqlite3
import zlib
from collections import OrderedDict
from typing import Any

SIZE = 32
"""Entries of a pack. Measured on recorded sessions of two tools: 64 take 6 and 8 % less, 8 take 24 and 21 % more."""
_LEVEL = 3
"""Twice as fast as zlib's usual 6, for 8 and 9 % more room (the same sessions)."""
_KEPT = 8
"""Packs that stay unpacked in memory: who reads a session reads one after the other."""

_PLACES = {"text": 0, "extra": 1, "turn": 2}


def column(name: str) -> str:
    """`text`, `extra` or `turn` of a row `m` of `message`."""
    return f"iif(m.pack IS NULL, m.{name}, unpacked(m.pack, m.number, {_PLACES[name]}))"


def add(sql: sqlite3.Connection, session: int, before: int, after: int) -> None:
    """Pack the entries that make a run of SIZE whole: the session had `before` of them, and now `after`."""
    for end in range((before // SIZE + 1) * SIZE, after + 1, SIZE):
        bounds = (session, end - SIZE + 1, end)
        found = sql.execute(
            "SELECT text, extra, turn FROM message WHERE session = ? AND number BETWEEN ? AND ? AND pack IS NULL"
            " ORDER BY number",
            bounds,
        ).fetchall()
        if len(found) == SIZE:
            row = sql.execute(
                "INSERT INTO pack (session, first, entries) VALUES (?, ?, ?)", (*bounds[:2], squeezed(_dumped(found)))
            ).lastrowid
            sql.execute(
                "UPDATE message SET pack = ?, text = '', extra = NULL, turn = NULL WHERE session = ?"
                " AND number BETWEEN ? AND ?",
                (row, *bounds),
            )


def squeezed(text: str) -> bytes:
    """A text as it is kept; SQLite tells by the type of a value that it is one."""
    return zlib.compress(text.encode(), _LEVEL)


def plain(kept: str | bytes) -> str:
    """The text again; one that was recorded before there were packs is as it is."""
    return kept if isinstance(kept, str) else zlib.decompress(kept).decode()


class Unpacked:
    """The function `unpacked(pack, number, place)` of a connection."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._packs = OrderedDict[int, tuple[int, list[list[str | None]]]]()

    def __call__(self, pack: int, number: int, place: int) -> str | None:
        """What stood at a place of an entry; `pack` is a row of the table."""
        found = self._packs.get(pack)
        if found is None:
            first, kept = self._sql.execute("SELECT first, entries FROM pack WHERE id = ?", (pack,)).fetchone()
            found = self._packs[pack] = (first, json.loads(plain(kept)))
            if len(self._packs) > _KEPT:
                self._packs.popitem(last=False)
        return found[1][number - found[0]][place]


def _dumped(entries: list[tuple[Any, ...]]) -> str:
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
