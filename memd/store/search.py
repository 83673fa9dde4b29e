"""Full text over all messages: keeping the index in step with the record, and asking it.

The index is contentless: it holds words and where they stand, and no text, which is in `message` already. Taking a message
out therefore needs its text once more. What was taken out leaves marks in the index until its parts are merged, so `purge`
merges them, and only then is a word that nothing else says gone from the file.
"""

import sqlite3
import sys
from collections.abc import Collection, Iterable

from memd.model import Channel
from memd.store import packs
from memd.store.codes import CHANNELS, GRADES
from memd.store.database import Database
from memd.store.reading import coded
from memd.store.rows import Hit
from memd.store.words import around, expression, places, spaced, terms

HALF = 30
"""Days after which a match counts half."""
_TEXT = packs.column("text")
_WIDTH = 180
"""Characters of a message that are shown with a hit."""


def add(sql: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Index messages: their row and their text."""
    sql.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", ((row, spaced(text)) for row, text in texts))


def remove(sql: sqlite3.Connection, session: int) -> None:
    """Take the session's messages out of the index; they must still be in the record."""
    sql.execute(
        f"INSERT INTO words (words, rowid, text) SELECT 'delete', id, spaced({_TEXT}) FROM message m"  # noqa: S608 - a constant
        " WHERE session = ?",
        (session,),
    )


def purge(sql: sqlite3.Connection) -> None:
    """Merge the index, so that what was removed from it is no longer in it."""
    sql.execute("INSERT INTO words (words) VALUES ('optimize')")


def search(
    database: Database,
    query: str,
    *,
    session: str | None,
    channels: Collection[Channel] | None,
    limit: int,
    now: int,
) -> list[Hit]:
    """Messages that hold all the terms, best first; see `Store.search`."""
    asked = terms(query)
    if not asked:
        return []
    rows = database.rows(
        f"SELECT f.session, m.number, m.at, m.channel, m.grade, m.withdrawn OR m.undelivered, {_TEXT}, f.score FROM ("  # noqa: S608 - a constant
        "SELECT m.id, s.id AS session,"
        " -bm25(words) / (1 + max(0, :now - ifnull(m.at, ifnull(s.last_at, :now))) / (:half * 86400000.0)) AS score"
        " FROM words CROSS JOIN message m ON m.id = words.rowid CROSS JOIN session s ON s.row = m.session"
        " WHERE words MATCH :query AND (:channels IS NULL OR m.channel IN (SELECT value FROM json_each(:channels)))"
        " AND CASE WHEN :session IS NULL THEN m.copy_of IS NULL ELSE :session IN (s.id, s.parent) END"
        " ORDER BY score DESC, m.id DESC LIMIT :limit)"
        " f JOIN message m ON m.id = f.id ORDER BY f.score DESC, f.id DESC",
        {
            "query": expression(asked),
            "session": session,
            "channels": coded(channels),
            "limit": min(limit, sys.maxsize),
            "now": now,
            "half": HALF,
        },
    )
    return [_hit(row, asked) for row in rows]


def _hit(row: tuple[str, int, int | None, int, int, int, str, float], asked: list[str]) -> Hit:
    session, number, at, channel, grade, out, text, score = row
    snippet, marks = around(text, places(text, asked), _WIDTH)
    return Hit(session, number, at, CHANNELS[channel], GRADES[grade], bool(out), snippet, tuple(marks), score)
