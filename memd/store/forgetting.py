"""Forgetting: a session leaves the record, the index, the proofs, and the bytes of the file.

What is deleted is overwritten in the pages (`secure_delete`), the index is merged, the WAL is folded in and emptied, and the
file is made smaller unless that would take more memory than the daemon has. What stays is a line that says that the session
was forgotten: its transcript is still there, and would be read again.
"""

import sqlite3
from collections.abc import Callable, Iterable

from memd.store import search
from memd.store.copies import settle, shared_keys
from memd.store.database import Database

VACUUM_LIMIT = 256 << 20
"""Bytes of a record up to which it is rewritten (in memory: nothing of a conversation in files under /tmp)."""
_TRIES = 3


class Forgetting:
    """All of one record; times are milliseconds since the epoch.

    `before` is called before anything is taken out: what is kept of it elsewhere is to go.
    """

    def __init__(self, database: Database, before: Callable[[], None]) -> None:
        self._db, self._before = database, before

    def forget(self, sessions: Iterable[str], at: int, *, until_grown: bool = False) -> list[str]:
        """Delete all that is recorded of sessions and their sub-agents, in one transaction; call `compact` after it.

        Rows that other sessions share with them are theirs from now on. The transcripts are not to be read again, for
        good, or with `until_grown` until there is more in them.

        Returns:
            The ids that were deleted; a session that is not recorded is none of them.
        """
        self._before()
        with self._db.transaction() as sql:
            found = [row for name in sessions for row in _family(sql, name)]
            for row, name, tool in found:
                _tombstones(sql, row, name, at, until_grown=until_grown)
                _delete(sql, row, name, tool)
            if found:
                search.purge(sql)
        return [name for _, name, _ in found]

    def compact(self) -> bool:
        """Make the file smaller and empty the WAL, after which nothing that was deleted is in either.

        Returns:
            Whether that is so: another process may be reading an older state.
        """
        pages, size = (self._db.rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "page_size"))
        if pages * size <= VACUUM_LIMIT:
            self._db.rows("VACUUM")
        with self._db.still():
            return any(self._db.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0 for _ in range(_TRIES))

    def is_forgotten(self, session: str, parent: str | None, path: str, size: int) -> bool:
        """Whether a transcript of this size, of a session or a sub-agent that has a parent, is to be left alone."""
        found = self._db.row(
            "SELECT 1 FROM forgotten WHERE size IS NULL AND (session IN (:session, :parent) OR path = :path)"
            " OR path = :path AND size >= :size LIMIT 1",
            {"session": session, "parent": parent, "path": path, "size": size},
        )
        return found is not None

    def recall(self, session: str, path: str) -> None:
        """The person wants a forgotten transcript to be read again."""
        with self._db.transaction() as sql:
            sql.execute("DELETE FROM forgotten WHERE session = ? OR path = ?", (session, path))

    def pin(self, session: str, at: int | None) -> None:
        """Keep the session whatever its age; with None no longer."""
        with self._db.transaction() as sql:
            if at is None:
                sql.execute("DELETE FROM pinned WHERE session = ?", (session,))
            else:
                sql.execute("INSERT OR IGNORE INTO pinned (session, at) VALUES (?, ?)", (session, at))

    def pinned(self) -> set[str]:
        """The sessions that are kept whatever their age."""
        return {name for (name,) in self._db.rows("SELECT session FROM pinned")}


def _family(sql: sqlite3.Connection, name: str) -> list[tuple[int, str, str]]:
    return sql.execute("SELECT row, id, tool FROM session WHERE ? IN (id, parent) ORDER BY row", (name,)).fetchall()


def _tombstones(sql: sqlite3.Connection, row: int, name: str, at: int, *, until_grown: bool) -> None:
    """One for each transcript that the session was read from."""
    sql.execute(
        "INSERT OR REPLACE INTO forgotten (session, path, at, size)"
        " SELECT s.id, ifnull(o.path, ifnull(s.path, '')), :at, CASE WHEN :grown THEN o.size END"
        " FROM session s LEFT JOIN source o ON o.session = s.row WHERE s.row = :row",
        {"row": row, "at": at, "grown": until_grown},
    )
    sql.execute("DELETE FROM pinned WHERE session = ?", (name,))


def _delete(sql: sqlite3.Connection, row: int, name: str, tool: str) -> None:
    shared = shared_keys(sql, row)
    search.remove(sql, row)
    sql.execute("DELETE FROM receipt WHERE session = ?", (name,))
    sql.execute("DELETE FROM delivery WHERE session = ?", (name,))
    sql.execute("UPDATE run SET problems = '[]' WHERE session = ?", (name,))  # they quote; the run itself stays counted
    sql.execute("DELETE FROM meta WHERE key IN ('told ' || :name, 'taken up ' || :name)", {"name": name})
    sql.execute("DELETE FROM session WHERE row = ?", (row,))
    if shared:
        settle(sql, tool, shared)
