"""What a batch made, written table by table.

Statements leave out what is NULL in all of their rows, and words that are true or false go as numbers: Python's `sqlite3` asks
what to make of each None and each bool, which takes as long as writing three numbers.
"""

import sqlite3
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from msgspec import Struct

from memd.model import Amend, Done, Record
from memd.store import packs
from memd.store.batch import Batch
from memd.store.calls import FILES, answer, said
from memd.store.codes import CHANNEL, GRADE, KIND, STATE
from memd.store.keys import hashed

Place = tuple[int, int]
"""Where a call is kept: its pack, and the slot in it."""

_ENTRY = "id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length"
_LOOSE_ENTRY = f"INSERT INTO message ({_ENTRY}, text, turn, extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants
_PACKED_ENTRY = f"INSERT INTO message ({_ENTRY}, pack, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')"  # noqa: S608
_CALL = (
    "INSERT INTO operation (session, key, number, kind, state, at, ended_at, file, answer, {})"
    " VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, -1), {}) ON CONFLICT (session, key) DO UPDATE SET"
    " number = excluded.number, ended_at = excluded.ended_at, state = excluded.state, file = excluded.file,"
    " answer = excluded.answer, pack = excluded.pack, slot = excluded.slot, said = excluded.said"
)
_LOOSE_CALL, _PACKED_CALL = _CALL.format("said", "?"), _CALL.format("pack, slot", "?, ?")


class Call(Struct, frozen=True, gc=False):
    """A call as it is kept; `answer` is -1 where its result is not the end of its entry's text."""

    key: int
    done: Done
    answer: int
    said: str


def change(sql: sqlite3.Connection, row: int, batch: Batch) -> None:
    """What becomes of a session's entries from before the batch."""
    if batch.amends:
        sql.executemany(
            "UPDATE message SET undelivered = ifnull(?, undelivered), channel = ifnull(?, channel),"
            " grade = ifnull(?, grade) WHERE session = ? AND key = ?",
            ((*_amended(event), row, _key(batch, event)) for event in batch.amends),
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


def _key(batch: Batch, event: Amend) -> int:
    return batch.known.hashes[event.key] if isinstance(event.key, str) else event.key


def add_messages(
    sql: sqlite3.Connection, session: int, added: list[Record], packed: dict[int, int]
) -> list[tuple[int, str]]:
    """New entries, some of them packed; their rows and texts, for the index."""
    ((last,),) = sql.execute("SELECT ifnull(max(id), 0) FROM message")
    loose, kept = [], []
    for row, one in enumerate(added, last + 1):
        pack = packed.get(one.number)
        if pack is None:
            loose.append((*_entry(row, session, one), one.text, one.turn, packs.more(one)))
        else:
            kept.append((*_entry(row, session, one), pack))
    sql.executemany(_LOOSE_ENTRY, loose)
    sql.executemany(_PACKED_ENTRY, kept)
    return [(row, one.text) for row, one in enumerate(added, last + 1)]


def _entry(row: int, session: int, record: Record) -> tuple[Any, ...]:
    return (
        row,
        session,
        record.number,
        record.key,
        record.at,
        CHANNEL[record.channel],
        GRADE[record.grade],
        int(record.withdrawn),
        int(record.undelivered),
        record.source.offset,
        record.source.length,
    )


def calls(batch: Batch) -> list[Call]:
    """A batch's calls as they are kept."""
    hashes, texts = batch.known.hashes, {record.number: record.text for record in batch.added.values()}
    begin = ((call, answer(call.result, texts.get(call.number))) for call in batch.calls.values())
    return [Call(hashes[call.call], call, -1 if at is None else at, said(call, at)) for call, at in begin]


def put_calls(sql: sqlite3.Connection, session: int, calls: list[Call], packed: Mapping[int, Place]) -> None:
    """New calls, and those that went on, in the order of their start, in which their ids are to be."""
    for kept, run in groupby(calls, lambda one: one.key in packed):
        if kept:
            sql.executemany(_PACKED_CALL, ((*_call(session, one), *packed[one.key]) for one in run))
        else:
            sql.executemany(_LOOSE_CALL, ((*_call(session, one), one.said) for one in run))


def _call(session: int, one: Call) -> tuple[Any, ...]:
    call = one.done
    file = hashed(call.target) if call.kind in FILES else 0
    return (session, one.key, call.number, KIND[call.kind], STATE[call.state], call.at, call.ended_at, file, one.answer)


def add_context(sql: sqlite3.Connection, row: int, batch: Batch) -> None:
    """How full the context was, and where it was compacted."""
    if batch.usages:
        sql.executemany(
            "INSERT INTO usage (session, key, number, at, tokens) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET tokens = excluded.tokens",
            ((row, batch.known.hashes[u.key], number, u.at, u.tokens) for number, u in batch.usages.values()),
        )
    if batch.boundaries:
        sql.executemany(
            'INSERT INTO boundary (session, ordinal, number, key, at, "trigger", "before", "after")'
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (row, ordinal, number, c.key, c.at, c.trigger, c.before, c.after)
                for ordinal, number, c in batch.boundaries
            ),
        )


def count_gaps(sql: sqlite3.Connection, row: int, source: str, gaps: Mapping[tuple[str, str], int]) -> None:
    """What was not read as entries, added to what was not before."""
    sql.executemany(
        "INSERT INTO gap (session, source, kind, what, count) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET count = count + excluded.count",
        ((row, source, kind, what, count) for (kind, what), count in gaps.items()),
    )
