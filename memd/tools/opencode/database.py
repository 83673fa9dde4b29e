"""What is asked of OpenCode's database: short queries, every column and table possibly absent or of another type.

`event` is the durable log of a session, numbered from 0 without gaps (measured on 1.18.33). Sessions of clients from before
it, and imported ones, have rows in `message` and `part` alone.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from memd.tail.rows import columns

Row = Mapping[str, Any]

_SESSION = (
    ("id", "id"),
    ("parent_id", "parentID"),
    ("project_id", "projectID"),
    ("directory", "directory"),
    ("title", "title"),
    ("version", "version"),
    ("agent", "agent"),
)
_SESSION_JSON = ("metadata", "revert", "permission", "model")


class Standing(Struct, frozen=True):
    """How far a session's log reaches: the next number, 0 without a log; `changed` is the session's own time, ms."""

    session: str
    upto: int
    changed: int


def number(value: Any) -> int:
    """A stored whole number; 0 for anything else."""
    return value if type(value) is int and abs(value) < 1 << 62 else 0


def text(value: Any) -> str:
    """A stored text; blobs are taken for UTF-8, other values for nothing."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def parsed(value: Any) -> Any:
    """A JSON column; None where it holds no JSON."""
    try:
        return json.loads(text(value))
    except (ValueError, RecursionError):
        return None


def standings(sql: sqlite3.Connection) -> list[Standing]:
    """All sessions with their next event's number; without a log the number of their messages and parts."""
    known = columns(sql, "session")
    if "id" not in known:
        return []
    changed = "s.time_updated" if "time_updated" in known else "0"
    if {"aggregate_id", "seq"} <= columns(sql, "event_sequence"):
        found = sql.execute(
            f"SELECT s.id, q.seq + 1, {changed} FROM session s LEFT JOIN event_sequence q ON q.aggregate_id = s.id"  # noqa: S608
        ).fetchall()
    else:
        found = sql.execute(f"SELECT s.id, NULL, {changed} FROM session s").fetchall()  # noqa: S608
    return [
        Standing(text(ident), number(upto) if upto is not None else count(sql, text(ident)), number(at))
        for ident, upto, at in found
        if text(ident)
    ]


def count(sql: sqlite3.Connection, session: str) -> int:
    """How many messages and parts a session has, by their indexes."""
    total = 0
    for table in ("message", "part"):
        if "session_id" in columns(sql, table):
            query = f"SELECT count(*) FROM {table} WHERE session_id = ?"  # noqa: S608 - one of two words
            total += number(sql.execute(query, (session,)).fetchone()[0])
    return total


def session(sql: sqlite3.Connection, ident: str) -> Row | None:
    """The session's row in the shape of the client's own `info`; None where there is no such session."""
    known = columns(sql, "session")
    wanted = [name for name, _ in _SESSION if name in known] + [name for name in _SESSION_JSON if name in known]
    wanted += [name for name in ("time_created", "time_updated") if name in known]
    if "id" not in known:
        return None
    query = f"SELECT {', '.join(wanted)} FROM session WHERE id = ?"  # noqa: S608 - names of the lists above
    found = sql.execute(query, (ident,)).fetchone()
    if found is None:
        return None
    row = dict(zip(wanted, found, strict=True))
    info: dict[str, Any] = {new: text(row.get(old)) for old, new in _SESSION if text(row.get(old))}
    info |= {name: parsed(row.get(name)) for name in _SESSION_JSON if parsed(row.get(name)) is not None}
    times = {"created": row.get("time_created"), "updated": row.get("time_updated")}
    return {**info, "time": {name: number(at) for name, at in times.items() if number(at)}}


def logged(sql: sqlite3.Connection, ident: str) -> tuple[int, bool]:
    """The number after the last event, and whether the log is whole: it begins with the session's creation."""
    if not {"aggregate_id", "seq", "type", "data"} <= columns(sql, "event"):
        return 0, False
    first = sql.execute("SELECT seq, type FROM event WHERE aggregate_id = ? ORDER BY seq LIMIT 1", (ident,)).fetchone()
    if first is None:
        return 0, False
    last = sql.execute("SELECT max(seq) FROM event WHERE aggregate_id = ?", (ident,)).fetchone()
    return number(last[0]) + 1, number(first[0]) == 0 and text(first[1]).startswith("session.created")


def mark(sql: sqlite3.Connection, ident: str, seq: int) -> str:
    """The id of an event, by which its place in the log is known again."""
    found = sql.execute("SELECT id FROM event WHERE aggregate_id = ? AND seq = ?", (ident, seq)).fetchone()
    return "" if found is None else text(found[0])


def events(sql: sqlite3.Connection, ident: str, start: int) -> Iterator[tuple[int, str, str, str]]:
    """Events from a number on: number, id, type, data as it is stored."""
    query = "SELECT seq, id, type, data FROM event WHERE aggregate_id = ? AND seq >= ? ORDER BY seq"
    for seq, ident_, kind, data in sql.execute(query, (ident, start)):
        yield number(seq), text(ident_), text(kind), text(data)


class Stored(Struct, frozen=True):
    """A message with its parts, as the tables have it; `changed` is the newest time of any of the rows, ms."""

    id: str
    at: int
    changed: int
    info: str
    parts: tuple[tuple[str, str], ...]


def behind(sql: sqlite3.Connection, ident: str, after: tuple[int, str]) -> Iterator[Stored]:
    """A session's messages behind a place (time, id), in order."""
    return _messages(sql, "time_created > :at OR (time_created = :at AND id > :id)", ident, after)


def renewed(sql: sqlite3.Connection, ident: str, since: int) -> Iterator[Stored]:
    """A session's messages that changed after a time (ms), themselves or in a part."""
    changed = "time_updated > :at OR id IN (SELECT message_id FROM part WHERE session_id = :ses AND time_updated > :at)"
    return _messages(sql, changed, ident, (since, ""))


def _messages(sql: sqlite3.Connection, which: str, ident: str, place: tuple[int, str]) -> Iterator[Stored]:
    if not {"id", "session_id", "data", "time_created", "time_updated"} <= columns(sql, "message"):
        return
    query = (
        "SELECT id, time_created, time_updated, data FROM message"  # noqa: S608 - one of the two texts above
        f" WHERE session_id = :ses AND ({which}) ORDER BY time_created, id"
    )
    for found, created, updated, data in sql.execute(query, {"ses": ident, "at": place[0], "id": place[1]}):
        parts = list(_parts(sql, text(found)))
        changed = max([number(updated), *(at for *_, at in parts)])
        yield Stored(text(found), number(created), changed, text(data), tuple((one, body) for one, body, _ in parts))


def _parts(sql: sqlite3.Connection, message: str) -> Iterator[tuple[str, str, int]]:
    known = columns(sql, "part")
    if not {"id", "message_id", "data"} <= known:
        return
    changed = "time_updated" if "time_updated" in known else "0"
    query = f"SELECT id, data, {changed} FROM part WHERE message_id = ? ORDER BY id"  # noqa: S608 - one of two words
    for ident, data, at in sql.execute(query, (message,)):
        yield text(ident), text(data), number(at)


def ends(sql: sqlite3.Connection, ident: str, seq: int) -> bool:
    """Whether nothing follows an event in a session's log."""
    return (
        sql.execute("SELECT 1 FROM event WHERE aggregate_id = ? AND seq > ? LIMIT 1", (ident, seq)).fetchone() is None
    )


def origin(sql: sqlite3.Connection, ident: str, created: int, told: str) -> str:
    """The session that a fork's first message was copied from: the oldest that has one of that time saying the same."""
    if not {"session_id", "time_created", "id"} <= columns(sql, "message"):
        return ""
    found = sql.execute(
        "SELECT s.id, m.id FROM session s JOIN message m ON m.session_id = s.id AND m.time_created = ?"
        " WHERE s.id <> ? AND s.time_created <= ? ORDER BY s.time_created LIMIT 20",
        (created, ident, created),
    )
    says = ((text(one), said(sql, text(message))) for one, message in found.fetchall())
    return next((one for one, words in says if words == told or (told and words.startswith(f"{told}\n"))), "")


def said(sql: sqlite3.Connection, message: str) -> str:
    """The texts of a message's parts, joined."""
    rows = (parsed(data) for _, data, _ in _parts(sql, message))
    return "\n".join(str(row["text"]) for row in rows if isinstance(row, dict) and isinstance(row.get("text"), str))


def message_of(sql: sqlite3.Connection, ident: str, created: int, role: str) -> str:
    """The message of a session that was made at a time by a role."""
    found = sql.execute("SELECT id, data FROM message WHERE session_id = ? AND time_created = ?", (ident, created))
    rows = ((text(one), parsed(data)) for one, data in found)
    return next((one for one, row in rows if isinstance(row, dict) and row.get("role") == role), "")


def first_of(sql: sqlite3.Connection, ident: str, created: int, role: str) -> str:
    """The message that was made at a time by a role in another session, which was there by then: no fork's copy."""
    found = sql.execute(
        "SELECT m.id, m.data FROM session s JOIN message m ON m.session_id = s.id AND m.time_created = ?"
        " WHERE s.id <> ? AND s.time_created <= ? ORDER BY s.time_created LIMIT 20",
        (created, ident, created),
    )
    rows = ((text(one), parsed(data)) for one, data in found.fetchall())
    return next((one for one, row in rows if isinstance(row, dict) and row.get("role") == role), "")


def parts_of(sql: sqlite3.Connection, message: str) -> list[tuple[str, Any]]:
    """The parts of a message: id and content."""
    return [(ident, parsed(data)) for ident, data, _ in _parts(sql, message)]
