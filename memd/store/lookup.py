"""What is recorded of the keys in hand: one set-based query a table, whatever the size of the batch.

The keys go through a temporary table of the connection (`wanted`) and not through JSON, because SQLite's JSON ends a
string at a NUL.
"""

import json
import sqlite3
from collections.abc import Iterable

from memd.model import Amend, Compaction, Done, Event, Kind, Message, Operation, Rewind, State, Usage
from memd.store.batch import Known
from memd.store.calls import RESULT


def want(sql: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Fill `wanted` with these keys and no others."""
    sql.execute("DELETE FROM wanted")
    sql.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", ((key,) for key in keys))


def known(sql: sqlite3.Connection, session: int, tool: str, events: list[Event]) -> tuple[Known, set[str]]:
    """What is recorded of the events' keys in this session, and the keys that another session of the tool has too."""
    numbers, shared = _messages(sql, session, tool, _entry_keys(events))
    calls = _calls(sql, session, {event.call for event in events if isinstance(event, Operation)})
    usages = _usages(sql, session, {event.key for event in events if isinstance(event, Usage)})
    boundaries: set[str] = set()
    if any(isinstance(event, Compaction) for event in events):
        boundaries = {key for (key,) in sql.execute("SELECT key FROM boundary WHERE session = ?", (session,))}
    return Known(numbers, calls, usages, boundaries), shared


def _entry_keys(events: list[Event]) -> set[str]:
    keys = {event.key for event in events if isinstance(event, Message | Amend)}
    for event in events:
        if isinstance(event, Rewind):
            keys.update(end for pair in event.path for end in pair if end is not None)
    return keys


def _messages(sql: sqlite3.Connection, session: int, tool: str, keys: set[str]) -> tuple[dict[str, int], set[str]]:
    if not keys:
        return {}, set()
    want(sql, keys)
    numbers: dict[str, int] = {}
    shared: set[str] = set()
    for key, owner, number in sql.execute(
        "SELECT m.key, m.session, m.number FROM wanted w CROSS JOIN message m ON m.key = w.key"
        " JOIN session s ON s.row = m.session WHERE s.tool = ?",
        (tool,),
    ):
        if owner == session:
            numbers[key] = number
        else:
            shared.add(key)
    return numbers, shared


def _calls(sql: sqlite3.Connection, session: int, calls: set[str]) -> dict[str, Done]:
    if not calls:
        return {}
    want(sql, calls)
    rows = sql.execute(
        f"SELECT o.call, o.number, o.kind, o.name, o.at, o.ended_at, o.state, o.target, o.detail, {RESULT}"  # noqa: S608 - a constant
        " FROM wanted w CROSS JOIN operation o ON o.session = ? AND o.call = w.key",
        (session,),
    )
    return {row[0]: done(row) for row in rows}


def _usages(sql: sqlite3.Connection, session: int, keys: set[str]) -> set[str]:
    if not keys:
        return set()
    want(sql, keys)
    rows = sql.execute(
        "SELECT u.key FROM wanted w CROSS JOIN usage u ON u.session = ? AND u.key = w.key",
        (session,),
    )
    return {key for (key,) in rows}


def done(row: tuple[str, int, str, str, int | None, int | None, str, str, str, str]) -> Done:
    """A row of `operation`, in the order of `Done`'s fields, as a value."""
    call, number, kind, name, at, ended_at, state, target, detail, result = row
    return Done(call, number, Kind(kind), name, at, ended_at, State(state), target, json.loads(detail), result)
