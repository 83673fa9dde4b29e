"""What is asked of each session when many are looked at, answered where the rows are: no text comes back that is not shown."""

from collections.abc import Callable, Collection

from memd.model import LOST, Channel
from memd.store import packs
from memd.store.database import Database
from memd.store.reading import coded

_TEXT = packs.column("text")


class Glances:
    """All of one record."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def behind(self, session: str, after: int, channels: Collection[Channel]) -> tuple[int, int | None]:
        """Of the entries after a number how many are of these channels, and when the oldest of all was written."""
        found = self._db.row(
            "SELECT count(*) FILTER (WHERE channel IN (SELECT value FROM json_each(?))), min(at) FROM message"
            " WHERE session = (SELECT row FROM session WHERE id = ?) AND number > ?",
            (coded(channels), session, after),
        )
        return (found[0], found[1]) if found else (0, None)

    def first_text(self, session: str, channels: Collection[Channel], among: int) -> str:
        """The first text of these channels among the first entries, one that is in force if there is one; "" for none."""
        found = self._db.row(
            f"SELECT {_TEXT} FROM message m WHERE session = (SELECT row FROM session WHERE id = ?)"  # noqa: S608 - a constant
            " AND number <= ? AND channel IN (SELECT value FROM json_each(?)) ORDER BY withdrawn OR undelivered, number LIMIT 1",
            (session, among, coded(channels)),
        )
        return found[0] if found else ""

    def undelivered(self, session: str, channels: Collection[Channel], among: int) -> tuple[int, ...]:
        """Of the newest entries of these channels: what never arrived, came after all that did, and was not sent again."""
        rows = self._db.rows(
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

    def tokens_at(self, session: str, number: int) -> int:
        """How full the context was at the last answer before a message, in the provider's tokens; 0 where none was."""
        found = self._db.row(
            "SELECT tokens FROM usage WHERE session = (SELECT row FROM session WHERE id = ?) AND number <= ?"
            " ORDER BY number DESC LIMIT 1",
            (session, number),
        )
        return int(found[0]) if found else 0

    def gaps(self, session: str) -> dict[tuple[str, str], int]:
        """How many rows were seen and not read as entries, by kind and what.

        A session's transcripts are copies of each other for the most part (a file that was moved, packed): the one with the most
        counts. What was lost from one is lost whatever another has.
        """
        rows = self._db.rows(
            "SELECT kind, what, iif(kind = ?, sum(count), max(count)) FROM gap"
            " WHERE session = (SELECT row FROM session WHERE id = ?) GROUP BY kind, what ORDER BY kind, what",
            (LOST, session),
        )
        return {(kind, what): count for kind, what, count in rows}

    def unfinished(self, finished: Callable[[str, str, int], bool]) -> list[str]:
        """Sessions with messages whose checkpoint does not hold for all of them, or is not `finished`, newest first.

        `finished` is asked with the tool, the native id and the checkpoint's number.
        """
        rows = self._db.each(
            "SELECT s.id, tool, native, number FROM session s LEFT JOIN checkpoint c ON c.session = s.row AND upto >= messages"
            " AND number = (SELECT max(number) FROM checkpoint WHERE session = s.row)"
            " WHERE parent IS NULL AND messages > 0 ORDER BY ifnull(last_at, seen_at) DESC, s.row DESC"
        )
        return [name for name, tool, native, number in rows if number is None or not finished(tool, native, number)]

    def tally(self, *, children: bool = False) -> dict[str, int]:
        """How many sessions of each tool are recorded, the tool with the most first; sub-agents only if asked for."""
        rows = self._db.rows(
            "SELECT tool, count(*) FROM session WHERE parent IS NULL OR ? GROUP BY tool ORDER BY count(*) DESC, tool",
            (children,),
        )
        return dict(rows)
