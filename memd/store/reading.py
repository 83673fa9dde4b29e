"""Reading a session's record back as values.

Filters are parameters of fixed statements: a list goes in as JSON, NULL switches a filter off.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.model import Boundary, Channel, Done, Fill, Kind, Record, Source, State
from memd.store import packs
from memd.store.codes import CHANNEL, CHANNELS, GRADES, KIND, STATE, expanded
from memd.store.database import Database, Row

if TYPE_CHECKING:
    from memd.store import calls
else:
    (calls,) = later("memd.store", "calls")

_NO_LIMIT = -1
_NOTHING: Mapping[str, Any] = {}
"""One for all entries of which nothing else is known, which are nearly all."""
_TEXT, _TURN, _EXTRA = (packs.column(name) for name in ("text", "turn", "extra"))


def messages(
    database: Database,
    session: str,
    *,
    after: int,
    upto: int | None,
    channels: Collection[Channel] | None,
    last: int | None,
    numbers: Collection[int] | None,
) -> list[Record]:
    """Messages in number order; see `Store.messages`."""
    return [*_each(database, session, "DESC", after, upto, channels, last, numbers)][::-1]


def oldest_first(
    database: Database, session: str, *, after: int, channels: Collection[Channel] | None
) -> Iterator[Record]:
    """The same one at a time, for whoever keeps less of each; nothing may be written meanwhile."""
    return _each(database, session, "ASC", after, None, channels, None, None)


def _each(
    database: Database,
    session: str,
    order: str,
    after: int,
    upto: int | None,
    channels: Collection[Channel] | None,
    last: int | None,
    numbers: Collection[int] | None,
) -> Iterator[Record]:
    if numbers is not None:
        after = max(after, min(numbers, default=1) - 1)
        upto = min(max(numbers, default=0), max(numbers, default=0) if upto is None else upto)
    rows = database.each(
        f"SELECT number, key, at, channel, grade, {_TEXT}, offset, length, {_TURN}, withdrawn, undelivered, copy_of,"  # noqa: S608 - constants
        f" {_EXTRA} FROM message m WHERE session = (SELECT row FROM session WHERE id = :session) AND number > :after"
        " AND number <= ifnull(:upto, 9223372036854775807)"
        " AND (:channels IS NULL OR channel IN (SELECT value FROM json_each(:channels)))"
        " AND (:numbers IS NULL OR number IN (SELECT value FROM json_each(:numbers)))"
        f" ORDER BY number {order} LIMIT :last",
        {
            "session": session,
            "after": after,
            "upto": upto,
            "channels": coded(channels),
            "numbers": listed(numbers),
            "last": _NO_LIMIT if last is None else last,
        },
    )
    return map(_record, rows)


def channels(database: Database, session: str) -> dict[int, Channel]:
    """Channels by number; see `Store.channels`."""
    rows = database.rows(
        "SELECT number, channel FROM message WHERE session = (SELECT row FROM session WHERE id = ?)"
        " AND NOT withdrawn AND NOT undelivered",
        (session,),
    )
    return {number: CHANNELS[channel] for number, channel in rows}


def copies(database: Database, session: str) -> dict[int, str]:
    """What each copied message is a copy of; see `Store.copies`."""
    rows = database.rows(
        "SELECT number, copy_of FROM message WHERE session = (SELECT row FROM session WHERE id = ?)"
        " AND copy_of IS NOT NULL ORDER BY number",
        (session,),
    )
    return dict(rows)


def operations(
    database: Database,
    session: str,
    *,
    after: int,
    upto: int | None,
    kinds: Collection[Kind] | None,
    states: Collection[State] | None,
    last: int | None,
) -> list[Done]:
    """Tool calls in the order in which they started; see `Store.operations`.

    The newest of each kind are found in the index of kinds, as many as are asked for and no others.
    """
    found: list[Row] = []
    for wanted in (None,) if kinds is None else kinds:
        found += database.rows(
            f"SELECT id, {calls.FIELDS}"  # noqa: S608 - constants
            f" FROM operation o INDEXED BY {'operation_session' if wanted is None else 'operation_kind'}"
            " WHERE session = (SELECT row FROM session WHERE id = :session)"
            f" {'' if wanted is None else 'AND kind = :kind'}"
            " AND (:after = 0 OR number > :after) AND (:upto IS NULL OR number <= :upto)"
            " AND (:states IS NULL OR state IN (SELECT value FROM json_each(:states)))"
            " ORDER BY id DESC LIMIT :last",
            {
                "session": session,
                "kind": None if wanted is None else KIND[wanted],
                "after": after,
                "upto": upto,
                "states": listed(None if states is None else [STATE[state] for state in states]),
                "last": _NO_LIMIT if last is None else last,
            },
        )
    newest = sorted(found, key=itemgetter(0), reverse=True)[:last]
    return [calls.done(row[1:]) for row in reversed(newest)]


def boundaries(database: Database, session: str) -> list[Boundary]:
    """Compactions, oldest first."""
    rows = database.rows(
        'SELECT ordinal, number, at, "trigger", "before", "after" FROM boundary'
        " WHERE session = (SELECT row FROM session WHERE id = ?) ORDER BY ordinal",
        (session,),
    )
    return [Boundary(*row) for row in rows]


def fills(database: Database, session: str) -> list[Fill]:
    """The context's fill at each answer; see `Store.fills`."""
    rows = database.rows(
        "SELECT number, at, tokens FROM usage WHERE session = (SELECT row FROM session WHERE id = ?) ORDER BY number, at",
        (session,),
    )
    return [Fill(*row) for row in rows]


def meta_get(database: Database, key: str) -> str | None:
    """A small value that is not about one session."""
    found = database.row("SELECT value FROM meta WHERE key = ?", (key,))
    return found[0] if found else None


def meta_set(database: Database, key: str, value: str) -> None:
    """Replace a small value."""
    with database.transaction() as sql:
        sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def listed(values: Collection[Any] | None) -> str | None:
    """A filter's values as a parameter; NULL is no filter."""
    return None if values is None else json.dumps(list(values))


def coded(channels: Collection[Channel] | None) -> str | None:
    """Channels of a filter, as they are kept."""
    return listed(None if channels is None else [CHANNEL[channel] for channel in channels])


def _record(row: Row) -> Record:
    number, key, at, channel, grade, text, offset, length, turn, withdrawn, undelivered, copy_of, extra = row
    return Record(
        number,
        key,
        at,
        CHANNELS[channel],
        GRADES[grade],
        text,
        Source(offset, length),
        turn,
        bool(withdrawn),
        bool(undelivered),
        copy_of,
        expanded(extra) if extra else _NOTHING,
    )
