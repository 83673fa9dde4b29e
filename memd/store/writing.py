"""The commit: records, the reader's state and the cursor that produced them, in one transaction.

The order inside matters: changes to what was recorded before go first, so that they cannot touch what is new; the
session's row precedes the question whose copy is whose, because the answer is read from it.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memd.model import LOST, Channel, Event, Grade, Kind, Message, Operation, Source, State
from memd.store import packs, search, shape, tables
from memd.store.batch import Batch
from memd.store.calls import ended
from memd.store.copies import settle, shared_keys
from memd.store.database import Database
from memd.store.deliveries import add_receipt
from memd.store.lookup import known, listed
from memd.store.rows import Committed, Seed

Texts = list[tuple[int, str]]
"""What is new in the index: rows of messages, and their texts."""
_LINEAGE = ("parent", "forked_from", "created_at")


class Reached(Struct, frozen=True):
    """How far a source is read, and what its reader remembers; see `Store.commit`."""

    cursor: str
    reader: str
    places: Mapping[str, str]
    size: int
    offset: int
    anew: bool


class _Source(Struct, frozen=True):
    """A source that is recorded: its row, whose it was, and the number of the entry that was read last from it."""

    row: int
    session: int
    number: int


class _TakenBack(Exception):
    """Ends a transaction of which nothing is to stay."""


def commit(database: Database, seed: Seed, reached: Reached, events: Iterable[Event], now: int) -> Committed:
    """Record what was read of a source; see `Store.commit`."""
    taken = list(events)
    with database.transaction() as sql:
        return _commit(sql, seed, reached, taken, now, database.commits.unindexed)


def rehearse(database: Database) -> None:
    """Commit a prompt and a call and take it back: the statements are prepared then, and the index is open.

    Then commit what is so already: with the first commit the log is made, and its head is forced to disk (3 ms).
    """
    words = Message("", None, Channel.HUMAN_TYPED, Grade.PROVED, "words", Source(0, 0))
    answer = replace(words, key=".", channel=Channel.TOOL_RESULT)
    call = Operation(".", Kind.OTHER, "", None, State.DONE, result="words")
    texts: Texts = []
    with suppress(_TakenBack), database.transaction() as sql:
        reached = Reached("", "", {}, 0, 0, anew=False)
        _commit(sql, Seed("", "", "", None, ""), reached, [words, answer, call], 0, texts)
        search.add(sql, texts)
        raise _TakenBack
    with database.transaction() as sql:
        sql.execute(f"PRAGMA user_version = {shape.NEWEST}")


def _commit(
    sql: sqlite3.Connection, seed: Seed, reached: Reached, taken: list[Event], now: int, texts: Texts
) -> Committed:
    before, source = _session(sql, seed), _source(sql, seed.path)
    session = {**before, "path": seed.path, "seen_at": now, "parent": seed.parent or before["parent"]}
    found, shared = known(sql, session["row"], seed.tool, taken)
    position = source.number if source and source.session == session["row"] else session["messages"]
    batch = Batch(session, position, found, now)
    batch.take(taken)
    if reached.anew:
        sql.execute("DELETE FROM gap WHERE session = ? AND source = ? AND kind <> ?", (session["row"], seed.path, LOST))
    _save(sql, batch, before, seed.path, texts)
    if before["messages"] and any(before[name] != session[name] for name in _LINEAGE):
        shared |= shared_keys(sql, session["row"])
    if shared:
        settle(sql, seed.tool, shared)
    _save_source(sql, source, seed, reached, batch)
    return _committed(batch, _copies(sql, batch, shared), altered=bool(shared or batch.amends or batch.rewinds))


def _session(sql: sqlite3.Connection, seed: Seed) -> dict[str, Any]:
    """The session's row by column name, made if it is new."""
    found = sql.execute("SELECT * FROM session WHERE id = ?", (seed.session,))
    rows = found.fetchall()
    if not rows:
        new = (seed.session, seed.tool, seed.native)
        found = sql.execute("INSERT INTO session (id, tool, native) VALUES (?, ?, ?) RETURNING *", new)
        rows = found.fetchall()
    return dict(zip((column[0] for column in found.description), rows[0], strict=True))


def _source(sql: sqlite3.Connection, path: str) -> _Source | None:
    rows = sql.execute("SELECT row, session, number FROM source WHERE path = ?", (path,)).fetchall()
    return _Source(*rows[0]) if rows else None


def _save(sql: sqlite3.Connection, batch: Batch, before: dict[str, Any], source: str, texts: Texts) -> None:
    row = batch.session["row"]
    tables.change(sql, row, batch)
    added, calls = list(batch.added.values()), tables.calls(batch)
    past = ((one.key, one.done.number, one.said) for one in calls if ended(one.done))
    packed = packs.add(sql, batch.session, added, past)
    _save_session(sql, before, batch.session)
    if added:
        texts += tables.add_messages(sql, row, added, packed.entries)
    if calls:
        tables.put_calls(sql, row, calls, packed.calls)
    tables.add_context(sql, row, batch)
    if batch.gaps:
        tables.count_gaps(sql, row, source, batch.gaps)
    for receipt in batch.receipts:
        add_receipt(sql, batch.session["id"], receipt)


def _save_session(sql: sqlite3.Connection, before: dict[str, Any], session: dict[str, Any]) -> None:
    """Write what is not as it was."""
    changed = {name: value for name, value in session.items() if value != before[name]}
    if changed:
        told = ", ".join(f'"{name}" = ?' for name in changed)
        sql.execute(f"UPDATE session SET {told} WHERE row = ?", (*changed.values(), session["row"]))  # noqa: S608 - columns


def _save_source(sql: sqlite3.Connection, source: _Source | None, seed: Seed, reached: Reached, batch: Batch) -> None:
    """Where the source is known its session is written only where it is another: an index would be written with it."""
    session = batch.session["row"]
    told = (reached.cursor, reached.reader, seed.unit, reached.size, reached.offset, batch.position, batch.now)
    if source is None:
        row = sql.execute(
            "INSERT INTO source (cursor, reader, unit, size, offset, number, seen_at, path, session)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*told, seed.path, session),
        ).lastrowid
    else:
        row = source.row
        sql.execute(
            "UPDATE source SET cursor = ?, reader = ?, unit = ?, size = ?, offset = ?, number = ?, seen_at = ?,"
            " gone_at = NULL WHERE row = ?",
            (*told, row),
        )
        if source.session != session:
            sql.execute("UPDATE source SET session = ? WHERE row = ?", (session, row))
    if reached.anew:
        sql.execute("DELETE FROM place WHERE source = ?", (row,))
    if reached.places:
        sql.executemany(
            "INSERT OR REPLACE INTO place (source, key, value) VALUES (?, ?, ?)",
            ((row, key, value) for key, value in reached.places.items()),
        )


def _copies(sql: sqlite3.Connection, batch: Batch, shared: set[int]) -> dict[int, str]:
    """The origins of the added messages that turned out to be copies, by key."""
    if not shared:
        return {}
    rows = sql.execute(
        "SELECT m.key, m.copy_of FROM json_each(?) w CROSS JOIN message m ON m.key = w.value AND m.session = ?"
        " WHERE m.copy_of IS NOT NULL",
        (listed(record.key for record in batch.added.values() if record.key in shared), batch.session["row"]),
    )
    return dict(rows.fetchall())


def _committed(batch: Batch, copies: dict[int, str], *, altered: bool) -> Committed:
    added = tuple(
        replace(record, copy_of=copies[record.key]) if record.key in copies else record
        for record in batch.added.values()
    )
    first, last = (added[0].number, added[-1].number) if added else (None, None)
    calls = tuple(batch.calls)
    return Committed(batch.session["id"], first, last, added, batch.duplicates, tuple(batch.begun), calls, altered)
