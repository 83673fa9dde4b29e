"""What is asked of each session when many are looked at, answered where the rows are: no text comes back that is not shown."""

from collections.abc import Collection

from memd.model import Channel
from memd.store import packs
from memd.store.database import Database
from memd.store.reading import coded

_TEXT = packs.column("text")


def behind(database: Database, session: str, after: int, channels: Collection[Channel]) -> tuple[int, int | None]:
    """Of the entries after a number how many are of these channels, and when the oldest of all was written."""
    found = database.row(
        "SELECT count(*) FILTER (WHERE channel IN (SELECT value FROM json_each(?))), min(at) FROM message"
        " WHERE session = (SELECT row FROM session WHERE id = ?) AND number > ?",
        (coded(channels), session, after),
    )
    return (found[0], found[1]) if found else (0, None)


def first(database: Database, session: str, channels: Collection[Channel], among: int) -> str:
    """The first text of these channels, looked for among the first entries; "" where there is none."""
    found = database.row(
        f"SELECT {_TEXT} FROM message m WHERE session = (SELECT row FROM session WHERE id = ?)"  # noqa: S608 - a constant
        " AND number <= ? AND channel IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1",
        (session, among, coded(channels)),
    )
    return found[0] if found else ""


def undelivered(database: Database, session: str, channels: Collection[Channel], among: int) -> tuple[int, ...]:
    """Of the newest entries of these channels: what never arrived, came after all that did, and was not sent again."""
    rows = database.rows(
        f"WITH recent AS (SELECT number, {_TEXT} AS text, undelivered, NOT (withdrawn OR undelivered) AS arrived"  # noqa: S608
        "  FROM message m"
        "  WHERE session = (SELECT row FROM session WHERE id = ?) AND channel IN (SELECT value FROM json_each(?))"
        "  ORDER BY number DESC LIMIT ?),"
        " arrived AS (SELECT number, text FROM recent WHERE arrived)"
        " SELECT number FROM recent WHERE undelivered AND number > (SELECT ifnull(max(number), 0) FROM arrived)"
        " AND text NOT IN (SELECT text FROM arrived) ORDER BY number",
        (session, coded(channels), among),
    )
    return tuple(number for (number,) in rows)
