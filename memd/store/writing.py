"""The commit: records, the reader's state and the cursor that produced them, in one transaction.

The order inside matters: changes to what was recorded before go first, so that they cannot touch what is new; the
session's row precedes the question whose copy is whose, because the answer is read from it.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memd.model import LOST, Amend, Done, Event, Record
from memd.store import packs, search
from memd.store.batch import Batch
from memd.store.calls import FILES, answer, ended, said
from memd.store.codes import CHANNEL, GRADE, KIND, STATE
from memd.store.copies import settle, shared_keys
from memd.store.database import Database
from memd.store.deliveries import add_receipt
from memd.store.keys import hashed
from memd.store.lookup import known, listed
from memd.store.rows import Committed, Seed

_LINEAGE = ("parent", "forked_from", "created_at")


class Reached(Struct, frozen=True):
    """How far a source is read, and what its reader remembers; see `Store.commit`."""

    cursor: str
    reader: str
    places: Mapping[str, str]
    size: int
    offset: int
    anew: bool


def commit(database: Database, seed: Seed, reached: Reached, events: Iterable[Event], now: int) -> Committed:
    """Record what was read of a source; see `Store.commit`."""
    taken = list(events)
    with database.transaction() as sql:
        session = _session(sql, seed, now)
        known_before, lineage = session["messages"], [session[name] for name in _LINEAGE]
        found, shared = known(sql, session["row"], seed.tool, taken)
        batch = Batch(session, _position(sql, seed.path, session), found, now)
        batch.take(taken)
        if reached.anew:
            sql.execute(
                "DELETE FROM gap WHERE session = ? AND source = ? AND kind <> ?", (session["row"], seed.path, LOST)
            )
        _save(sql, batch, seed.path)
        if known_before and lineage != [session[name] for name in _LINEAGE]:
            shared |= shared_keys(sql, session["row"])
        if shared:
            settle(sql, seed.tool, shared)
        _save_source(sql, seed, reached, batch)
        return _committed(batch, _copies(sql, batch, shared), altered=bool(shared or batch.amends or batch.rewinds))


def _session(sql: sqlite3.Connection, seed: Seed, now: int) -> dict[str, Any]:
    """The session's row by column name, made if it is new."""
    sql.execute(
        "INSERT INTO session (id, tool, native, parent, path, seen_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO"
        " UPDATE SET parent = ifnull(excluded.parent, parent), path = excluded.path, seen_at = excluded.seen_at",
        (seed.session, seed.tool, seed.native, seed.parent, seed.path, now),
    )
    cursor = sql.execute("SELECT * FROM session WHERE id = ?", (seed.session,))
    return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))


def _position(sql: sqlite3.Connection, path: str, session: dict[str, Any]) -> int:
    """The number of the entry that was read last from this source, else of the session's last."""
    found = sql.execute("SELECT number FROM source WHERE path = ? AND session = ?", (path, session["row"])).fetchone()
    return int(found[0] if found else session["messages"])


def _save(sql: sqlite3.Connection, batch: Batch, source: str) -> None:
    row = batch.session["row"]
    _save_changes(sql, row, batch)
    added, calls = list(batch.added.values()), _calls(batch)
    past = ((one.key, one.done.number, one.said) for one in calls if ended(one.done))
    packed = packs.add(sql, batch.session, added, past)
    _save_session(sql, batch.session)
    if added:
        _save_messages(sql, row, added, packed.entries)
    _save_calls(sql, row, calls, packed.calls)
    _save_context(sql, row, batch)
    sql.executemany(
        "INSERT INTO gap (session, source, kind, what, count) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET count = count + excluded.count",
        ((row, source, kind, what, count) for (kind, what), count in batch.gaps.items()),
    )
    for receipt in batch.receipts:
        add_receipt(sql, batch.session["id"], receipt)


def _save_changes(sql: sqlite3.Connection, row: int, batch: Batch) -> None:
    sql.executemany(
        "UPDATE message SET undelivered = ifnull(?, undelivered), channel = ifnull(?, channel),"
        " grade = ifnull(?, grade) WHERE session = ? AND key = ?",
        ((*_amended(event), row, _key(event)) for event in batch.amends),
    )
    for rewound in batch.rewinds:
        sql.executemany(
            "UPDATE message SET withdrawn = 1 WHERE session = ? AND number BETWEEN ? AND ? AND withdrawn = 0",
            ((row, first, last) for first, last in rewound.outside()),
        )
        sql.executemany(
            "UPDATE message SET withdrawn = 0 WHERE session = ? AND number BETWEEN ? AND ? AND withdrawn = 1",
            ((row, first, last) for first, last in rewound.kept),
        )


def _amended(event: Amend) -> tuple[Any, ...]:
    channel, grade = event.channel, event.grade
    return (event.undelivered, channel and CHANNEL[channel], grade and GRADE[grade])


def _key(event: Amend) -> int:
    return hashed(event.key) if isinstance(event.key, str) else event.key


def _save_session(sql: sqlite3.Connection, session: dict[str, Any]) -> None:
    sql.execute(
        'UPDATE session SET cwd = :cwd, title = :title, model = :model, "window" = :window, version = :version,'
        " entrypoint = :entrypoint, branch = :branch, forked_from = :forked_from, created_at = :created_at,"
        " last_at = :last_at, ended_at = :ended_at, turn_ended_at = :turn_ended_at, tokens = :tokens,"
        " usage_key = :usage_key, messages = :messages, compactions = :compactions,"
        " packed = :packed WHERE row = :row",
        session,
    )


def _save_messages(sql: sqlite3.Connection, session: int, added: list[Record], packed: dict[int, int]) -> None:
    """New entries, some of them packed, and all of them in the index."""
    ((last,),) = sql.execute("SELECT ifnull(max(id), 0) FROM message")
    sql.executemany(
        "INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length,"
        " turn, extra, pack, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((row, session, *_head(one), *_tail(one, packed.get(one.number))) for row, one in enumerate(added, last + 1)),
    )
    search.add(sql, ((row, one.text) for row, one in enumerate(added, last + 1)))


def _head(record: Record) -> tuple[Any, ...]:
    return (
        record.number,
        record.key,
        record.at,
        CHANNEL[record.channel],
        GRADE[record.grade],
        record.withdrawn,
        record.undelivered,
        record.source.offset,
        record.source.length,
    )


def _tail(record: Record, pack: int | None) -> tuple[Any, ...]:
    return (record.turn, packs.more(record), None, record.text) if pack is None else (None, None, pack, "")


class _Call(Struct, frozen=True, gc=False):
    """A call as it is kept."""

    key: int
    done: Done
    answer: int | None
    said: str


def _calls(batch: Batch) -> list[_Call]:
    texts = {record.number: record.text for record in batch.added.values()}
    begin = ((call, answer(call.result, texts.get(call.number))) for call in batch.calls.values())
    return [_Call(hashed(call.call), call, at, said(call, at)) for call, at in begin]


def _save_calls(sql: sqlite3.Connection, row: int, calls: list[_Call], packed: dict[int, tuple[int, int]]) -> None:
    sql.executemany(
        "INSERT INTO operation (session, key, number, kind, state, at, ended_at, file, answer, pack, slot, said)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, key) DO UPDATE SET number = excluded.number,"
        " ended_at = excluded.ended_at, state = excluded.state, file = excluded.file, answer = excluded.answer,"
        " pack = excluded.pack, slot = excluded.slot, said = excluded.said",
        ((row, one.key, *_place(one.done), one.answer, *_said(one, packed.get(one.key))) for one in calls),
    )


def _place(call: Done) -> tuple[Any, ...]:
    file = hashed(call.target) if call.kind in FILES else None
    return (call.number, KIND[call.kind], STATE[call.state], call.at, call.ended_at, file)


def _said(call: _Call, place: tuple[int, int] | None) -> tuple[Any, ...]:
    return (None, None, call.said) if place is None else (*place, None)


def _save_context(sql: sqlite3.Connection, row: int, batch: Batch) -> None:
    sql.executemany(
        "INSERT INTO usage (session, key, number, at, tokens) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET tokens = excluded.tokens",
        ((row, hashed(u.key), number, u.at, u.tokens) for number, u in batch.usages.values()),
    )
    sql.executemany(
        'INSERT INTO boundary (session, ordinal, number, key, at, "trigger", "before", "after")'
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((row, ordinal, number, c.key, c.at, c.trigger, c.before, c.after) for ordinal, number, c in batch.boundaries),
    )


def _save_source(sql: sqlite3.Connection, seed: Seed, reached: Reached, batch: Batch) -> None:
    sql.execute(
        "INSERT INTO source (path, session, cursor, reader, unit, size, offset, number, gone_at, seen_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?) ON CONFLICT (path) DO UPDATE SET session = excluded.session,"
        " cursor = excluded.cursor, reader = excluded.reader, unit = excluded.unit, size = excluded.size,"
        " offset = excluded.offset, number = excluded.number, gone_at = NULL, seen_at = excluded.seen_at",
        (
            seed.path,
            batch.session["row"],
            reached.cursor,
            reached.reader,
            seed.unit,
            reached.size,
            reached.offset,
            batch.position,
            batch.now,
        ),
    )
    if reached.anew or reached.places:
        _save_places(sql, seed.path, reached)


def _save_places(sql: sqlite3.Connection, path: str, reached: Reached) -> None:
    ((row,),) = sql.execute("SELECT row FROM source WHERE path = ?", (path,))
    if reached.anew:
        sql.execute("DELETE FROM place WHERE source = ?", (row,))
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
