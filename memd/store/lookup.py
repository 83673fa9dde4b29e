"""What is recorded of the keys in hand: one set-based query a table, whatever the size of the batch."""

import sqlite3
from collections.abc import Iterable

from memd.model import Amend, Compaction, Done, Event, Message, Operation, Rewind, Usage
from memd.store import keys
from memd.store.batch import Known
from memd.store.calls import FIELDS, done
from memd.store.texts import compact


def known(sql: sqlite3.Connection, session: int, tool: str, events: list[Event]) -> tuple[Known, set[int]]:
    """What is recorded of the events' keys in this session, and the keys that another session of the tool has too."""
    numbers, shared = _messages(sql, session, tool, _entry_keys(events))
    calls = _calls(sql, session, {event.call for event in events if isinstance(event, Operation)})
    usages = _usages(sql, session, {event.key for event in events if isinstance(event, Usage)})
    boundaries: set[str] = set()
    if any(isinstance(event, Compaction) for event in events):
        boundaries = {key for (key,) in sql.execute("SELECT key FROM boundary WHERE session = ?", (session,))}
    return Known(numbers, calls, usages, boundaries), shared


def _entry_keys(events: list[Event]) -> set[str]:
    found = {event.key for event in events if isinstance(event, Message | Amend) and isinstance(event.key, str)}
    for event in events:
        if isinstance(event, Rewind):
            found.update(end for pair in event.path for end in pair if end is not None)
    return found


def listed(numbers: Iterable[int]) -> str:
    """Numbers of keys as a parameter, for `json_each`."""
    return compact(list(numbers))


def _messages(sql: sqlite3.Connection, session: int, tool: str, wanted: set[str]) -> tuple[dict[str, int], set[int]]:
    if not wanted:
        return {}, set()
    names = keys.of(wanted)
    numbers: dict[str, int] = {}
    shared: set[int] = set()
    for key, owner, number in sql.execute(
        "SELECT m.key, m.session, m.number FROM json_each(?) w CROSS JOIN message m ON m.key = w.value"
        " JOIN session s ON s.row = m.session WHERE s.tool = ?",
        (listed(names), tool),
    ):
        if owner == session:
            numbers[names[key]] = number
        else:
            shared.add(key)
    return numbers, shared


def _calls(sql: sqlite3.Connection, session: int, wanted: set[str]) -> dict[str, Done]:
    if not wanted:
        return {}
    rows = sql.execute(
        f"SELECT {FIELDS} FROM json_each(?) w CROSS JOIN operation o ON o.session = ? AND o.key = w.value",  # noqa: S608 - a constant
        (listed(keys.of(wanted)), session),
    )
    return {call.call: call for call in map(done, rows)}


def _usages(sql: sqlite3.Connection, session: int, wanted: set[str]) -> set[str]:
    if not wanted:
        return set()
    names = keys.of(wanted)
    rows = sql.execute(
        "SELECT u.key FROM json_each(?) w CROSS JOIN usage u ON u.session = ? AND u.key = w.value",
        (listed(names), session),
    )
    return {names[key] for (key,) in rows}
