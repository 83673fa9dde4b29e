"""What is recorded of the keys in hand: one set-based query a table, whatever the size of the batch."""

import sqlite3
from collections.abc import Iterable

from memd.model import Amend, Compaction, Done, Event, Message, Operation, Rewind, Usage
from memd.store import keys
from memd.store.batch import Known
from memd.store.calls import FIELDS, done
from memd.store.codes import compact


def known(sql: sqlite3.Connection, session: int, tool: str, events: list[Event]) -> tuple[Known, set[int]]:
    """What is recorded of the events' keys in this session, and the keys that another session of the tool has too."""
    entries, calls, usages = map(keys.of, _keys(events))
    hashes = {key: number for names in (entries, calls, usages) for number, key in names.items()}
    numbers, shared = _messages(sql, session, tool, entries)
    boundaries: set[str] = set()
    if any(type(event) is Compaction for event in events):
        boundaries = {key for (key,) in sql.execute("SELECT key FROM boundary WHERE session = ?", (session,))}
    return Known(hashes, numbers, _calls(sql, session, calls), _usages(sql, session, usages), boundaries), shared


def _keys(events: list[Event]) -> tuple[set[str], set[str], set[str]]:
    """Those of entries, of calls and of answers, in one look at the thousands of events of a step."""
    entries, calls, usages = set[str](), set[str](), set[str]()
    for event in events:
        match event:
            case Message():
                entries.add(event.key)
            case Operation():
                calls.add(event.call)
            case Usage():
                usages.add(event.key)
            case Amend(key=str(key)):
                entries.add(key)
            case Rewind():
                entries.update(end for pair in event.path for end in pair if end is not None)
                entries.update(event.out)
    return entries, calls, usages


def listed(numbers: Iterable[int]) -> str:
    """Numbers of keys as a parameter, for `json_each`."""
    return compact(list(numbers))


def _messages(
    sql: sqlite3.Connection, session: int, tool: str, names: dict[int, str]
) -> tuple[dict[str, int], set[int]]:
    if not names:
        return {}, set()
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


def _calls(sql: sqlite3.Connection, session: int, names: dict[int, str]) -> dict[str, Done]:
    if not names:
        return {}
    rows = sql.execute(
        f"SELECT {FIELDS} FROM json_each(?) w CROSS JOIN operation o ON o.session = ? AND o.key = w.value",  # noqa: S608 - a constant
        (listed(names), session),
    )
    return {call.call: call for call in map(done, rows)}


def _usages(sql: sqlite3.Connection, session: int, names: dict[int, str]) -> set[str]:
    if not names:
        return set()
    rows = sql.execute(
        "SELECT u.key FROM json_each(?) w CROSS JOIN usage u ON u.session = ? AND u.key = w.value",
        (listed(names), session),
    )
    return {names[key] for (key,) in rows}
