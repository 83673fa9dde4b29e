"""Which of several rows with the same key is the origin, and which are its copies.

A fork's transcript repeats its origin's rows under the same keys, and either file may be read first. So nothing is
decided by the order of reading while anything better is known, and the decision is taken again for all rows of a key
when another session brings that key, or when a session learns what it was forked from or began earlier than thought.
"""

import sqlite3
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from memd.store.lookup import listed


class Holder(Struct, frozen=True):
    """A session that has a row of a key."""

    row: int
    id: str
    parent: str | None
    forked_from: str | None
    created_at: int | None

    def derived_from(self, other: "Holder") -> bool:
        """Whether this session says that it came out of the other one."""
        return self.row != other.row and other.id in {self.parent, self.forked_from}


def origin(holders: Iterable[Holder]) -> Holder:
    """The session that had the rows first: never one that says it came out of another, else the one created first."""
    everyone = list(holders)
    first = [one for one in everyone if not any(one.derived_from(other) for other in everyone)]
    return min(first or everyone, key=lambda one: (one.created_at is None, one.created_at or 0, one.row))


def shared_keys(sql: sqlite3.Connection, session: int) -> set[int]:
    """All keys of the session that some other session has too."""
    rows = sql.execute(
        "SELECT m.key FROM message m WHERE m.session = ?"
        " AND EXISTS (SELECT 1 FROM message o WHERE o.key = m.key AND o.session <> m.session)",
        (session,),
    )
    return {key for (key,) in rows}


def settle(sql: sqlite3.Connection, tool: str, keys: set[int]) -> None:
    """Write `copy_of` ("<session>#<number>" of the origin, or NULL) for all rows of these keys in the tool."""
    wanted = listed(keys)
    holders = _holders(sql, tool, wanted)
    rows = sql.execute(
        "SELECT m.key, m.session, m.number, m.copy_of FROM json_each(?) w CROSS JOIN message m ON m.key = w.value"
        " JOIN session s ON s.row = m.session WHERE s.tool = ? ORDER BY m.key",
        (wanted, tool),
    ).fetchall()
    origins: dict[frozenset[int], int] = {}
    changes: list[tuple[str | None, int, int]] = []
    for _, same in groupby(rows, key=itemgetter(0)):
        group = {session: (number, copy_of) for _, session, number, copy_of in same}
        sessions = frozenset(group)
        if sessions not in origins:
            origins[sessions] = origin(holders[one] for one in sessions).row
        first = origins[sessions]
        told = f"{holders[first].id}#{group[first][0]}"
        for session, (number, copy_of) in group.items():
            right = None if session == first else told
            if right != copy_of:
                changes.append((right, session, number))
    sql.executemany("UPDATE message SET copy_of = ? WHERE session = ? AND number = ?", changes)


def _holders(sql: sqlite3.Connection, tool: str, wanted: str) -> dict[int, Holder]:
    rows = sql.execute(
        "SELECT row, id, parent, forked_from, created_at FROM session WHERE tool = ?"
        " AND row IN (SELECT m.session FROM json_each(?) w CROSS JOIN message m ON m.key = w.value)",
        (tool, wanted),
    )
    return {row[0]: Holder(*row) for row in rows}
