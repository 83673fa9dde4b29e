"""The projects' part of the record: the journal, the anchors, and which calls still wait for their entries.

What a call comes to is recorded in one transaction with the mark that it was looked at, so that a kill in between loses
nothing and doubles nothing. The project's file follows the table (`JournalFile`): `filing` is set before lines are written to
it and `filed` behind them.
"""

import json
from collections.abc import Collection, Iterable
from posixpath import basename

from msgspec import Struct

from memd.model import Done, Kind, State
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry, entry
from memd.store.calls import FIELDS, FILES
from memd.store.calls import done as as_done
from memd.store.codes import KIND, STATE, compact
from memd.store.database import Database, Row
from memd.store.keys import hashed
from memd.store.packs import SAID

COMMANDS = 500
"""A session's last shell lines that are looked through for a file's name."""

_PENDING = "FROM operation o WHERE session = (SELECT row FROM session WHERE id = ?) AND journalled = 0 AND state <> ?"


class Told(Struct, frozen=True):
    """What one call came to."""

    done: Done
    entries: tuple[JournalEntry, ...] = ()
    used: tuple[Anchor, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    """(path, name); a path without a name goes with everything in it, and below it."""
    moved: tuple[tuple[str, str], ...] = ()


class Unfiled(Struct, frozen=True):
    """Lines of a project that its file does not have yet, or may have: `begun` says that a write was under way."""

    upto: int
    lines: tuple[str, ...]
    begun: bool


class Projects:
    """All projects of one record."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def waits(self, session: str) -> bool:
        """Whether a session has calls that are no longer running and that the journal has not looked at."""
        return bool(self._db.rows(f"SELECT 1 {_PENDING} LIMIT 1", (session, STATE[State.RUNNING])))

    def pending(self, session: str, limit: int, *, jobs: bool = False) -> list[Done]:
        """These calls, oldest first; `jobs`: only those that went into the background.

        Those come last: what became of them may not be known for long.
        """
        only = "AND state = ?" if jobs else ""
        rows = self._db.rows(
            f"SELECT {FIELDS} {_PENDING} {only} ORDER BY state = ?, id LIMIT ?",
            (session, STATE[State.RUNNING], *[STATE[State.BACKGROUND]] * (1 + jobs), limit),
        )
        return [as_done(row) for row in rows]

    def tell(self, project: str, session: str, told: Iterable[Told]) -> None:
        """Record what calls of a session came to, and that they were looked at. What is known already is not doubled."""
        with self._db.transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO project (id) VALUES (?)", (project,))
            (row,) = sql.execute("SELECT row FROM project WHERE id = ?", (project,)).fetchone()
            (owner,) = sql.execute("SELECT row FROM session WHERE id = ?", (session,)).fetchone()
            for one in told:
                sql.executemany(
                    "INSERT OR IGNORE INTO journal (project, session, call, part, at, op, target, digest, good, line)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        (row, owner, one.done.call, part, e.at, e.op, e.target, e.digest, e.good, e.line())
                        for part, e in enumerate(one.entries)
                    ),
                )
                for old, new in one.moved:
                    for change in _moving(row, old, new):
                        sql.execute(*change)
                for path, name in one.gone:
                    sql.execute(
                        "DELETE FROM anchor WHERE project = ? AND CASE WHEN ? <> '' THEN path = ? AND name = ?"
                        " ELSE path = ? OR path >= ? AND path < ? END",
                        (row, name, path, name, path, f"{path}/", f"{path}0"),  # "0" is the character behind "/"
                    )
                sql.executemany(
                    "INSERT INTO anchor (project, path, name, kind, base, at, session) VALUES (?, ?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET at = excluded.at, kind = excluded.kind, stale = 0,"
                    " session = excluded.session WHERE excluded.at >= at",
                    ((row, a.path, a.name, a.kind, basename(a.path), a.at, owner) for a in one.used),
                )
                sql.execute(
                    "UPDATE operation SET journalled = 1 WHERE session = ? AND key = ?", (owner, hashed(one.done.call))
                )

    def join(self, project: str, session: str) -> None:
        """A session works on a project."""
        with self._db.transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO project (id) VALUES (?)", (project,))
            sql.execute(
                "INSERT INTO member (session, project) SELECT s.row, p.row FROM session s, project p"
                " WHERE s.id = ? AND p.id = ? ON CONFLICT DO UPDATE SET project = excluded.project"
                " WHERE excluded.project <> project",
                (session, project),
            )

    def live(self, project: str, since: int) -> list[str]:
        """Sessions of a project that did not end and had an entry since then, the newest first; no sub-agents."""
        rows = self._db.rows(
            "SELECT s.id FROM member m JOIN session s ON s.row = m.session"
            " WHERE m.project = (SELECT row FROM project WHERE id = ?)"
            " AND s.parent IS NULL AND s.ended_at IS NULL AND s.last_at >= ? ORDER BY s.last_at DESC",
            (project, since),
        )
        return [name for (name,) in rows]

    def passed_over(self, session: str, jobs: Iterable[str]) -> None:
        """A session has no project: its calls count as looked at, of those that went into the background these."""
        with self._db.transaction() as sql:
            sql.execute(
                "UPDATE operation SET journalled = 1 WHERE session = (SELECT row FROM session WHERE id = ?)"
                " AND journalled = 0 AND state NOT IN (?, ?)",
                (session, STATE[State.RUNNING], STATE[State.BACKGROUND]),
            )
            sql.executemany(
                "UPDATE operation SET journalled = 1 WHERE session = (SELECT row FROM session WHERE id = ?) AND key = ?",
                ((session, hashed(call)) for call in jobs),
            )

    # The project's file.

    def unfiled(self, project: str, limit: int = 5_000) -> Unfiled:
        """Lines that are not known to be in the project's file, oldest first."""
        found = self._db.row("SELECT row, filing, filed FROM project WHERE id = ?", (project,))
        if found is None:
            return Unfiled(0, (), begun=False)
        row, filing, filed = found
        rows = self._db.rows(
            "SELECT id, line FROM journal WHERE project = ? AND id > ? ORDER BY id LIMIT ?", (row, filed, limit)
        )
        return Unfiled(rows[-1][0] if rows else filed, tuple(line for _, line in rows), begun=filing > filed)

    def filing(self, project: str, upto: int) -> None:
        """Lines up to this one are about to be written."""
        with self._db.transaction() as sql:
            sql.execute("UPDATE project SET filing = ? WHERE id = ?", (upto, project))

    def filed(self, project: str, upto: int) -> None:
        """They are in the file."""
        with self._db.transaction() as sql:
            sql.execute("UPDATE project SET filed = ? WHERE id = ?", (upto, project))

    def refile(self, project: str) -> None:
        """All lines are to be written anew."""
        if self._db.row("SELECT 1 FROM project WHERE id = ? AND filed > 0", (project,)):
            self.filing(project, 0)
            self.filed(project, 0)

    def waiting(self) -> list[str]:
        """Sessions with calls that have ended and were not looked at."""
        rows = self._db.rows(
            "SELECT id FROM session WHERE row IN"
            " (SELECT session FROM operation WHERE journalled = 0 AND state NOT IN (?, ?))",
            (STATE[State.RUNNING], STATE[State.BACKGROUND]),
        )
        return [name for (name,) in rows]

    def behind(self) -> list[str]:
        """Projects whose file lacks lines."""
        rows = self._db.rows(
            "SELECT id FROM project p WHERE EXISTS (SELECT 1 FROM journal WHERE project = p.row AND id > p.filed)"
        )
        return [name for (name,) in rows]

    def of_session(self, session: str) -> list[str]:
        """The projects that a session worked on, or in whose journal it or a sub-agent of it has lines."""
        rows = self._db.rows(
            "SELECT p.id FROM session s JOIN journal j ON j.session = s.row JOIN project p ON p.row = j.project"
            " WHERE :session IN (s.id, s.parent)"
            " UNION SELECT p.id FROM session s JOIN member m ON m.session = s.row JOIN project p ON p.row = m.project"
            " WHERE s.id = :session",
            {"session": session},
        )
        return [name for (name,) in rows]

    # Asking.

    def journal(self, project: str, last: int) -> list[JournalEntry]:
        """The last entries of a project, oldest first."""
        return self._entries(
            "SELECT line, good FROM journal WHERE project = (SELECT row FROM project WHERE id = ?)"
            " ORDER BY id DESC LIMIT ?",
            (project, last),
        )

    def done_by(self, session: str, last: int) -> list[JournalEntry]:
        """The last entries of a session and its sub-agents, oldest first."""
        return self._entries(
            "SELECT line, good FROM journal WHERE session IN (SELECT row FROM session WHERE ? IN (id, parent))"
            " ORDER BY id DESC LIMIT ?",
            (session, last),
        )

    def about(self, project: str, target: str, last: int = 20) -> list[JournalEntry]:
        """The last entries about a target, oldest first."""
        return self._entries(
            "SELECT line, good FROM journal INDEXED BY journal_target"
            " WHERE project = (SELECT row FROM project WHERE id = ?) AND target = ? ORDER BY id DESC LIMIT ?",
            (project, target, last),
        )

    def _entries(self, sql: str, values: tuple[str | int, ...]) -> list[JournalEntry]:
        return [entry(json.loads(line), good=bool(good)) for line, good in reversed(self._db.rows(sql, values))]

    def anchors(self, project: str, last: int) -> list[Anchor]:
        """The most recently used anchors, newest first."""
        rows = self._db.rows(
            "SELECT path, name, kind, at, stale FROM anchor INDEXED BY anchor_at"
            " WHERE project = (SELECT row FROM project WHERE id = ?) ORDER BY at DESC, path, name LIMIT ?",
            (project, last),
        )
        return [_anchor(row) for row in rows]

    def named(self, project: str, base: str, last: int = 8) -> list[Anchor]:
        """Files of this name, wherever they are, newest first."""
        rows = self._db.rows(
            "SELECT path, name, kind, at, stale FROM anchor INDEXED BY anchor_base"
            " WHERE project = (SELECT row FROM project WHERE id = ?) AND base = ? AND name = ''"
            " ORDER BY at DESC, path LIMIT ?",
            (project, base, last),
        )
        return [_anchor(row) for row in rows]

    def mark(self, project: str, anchors: Iterable[Anchor]) -> None:
        """Note of anchors whether they were found."""
        with self._db.transaction() as sql:
            sql.executemany(
                "UPDATE anchor SET stale = ? WHERE project = (SELECT row FROM project WHERE id = ?) AND path = ? AND name = ?",
                ((a.stale, project, a.path, a.name) for a in anchors),
            )

    def advised(self, session: str) -> dict[str, str]:
        """What a session was told by the guard, by digest, and in which turn."""
        rows = self._db.rows(
            "SELECT digest, turn FROM advice WHERE session = (SELECT row FROM session WHERE id = ?)", (session,)
        )
        return dict(rows)

    def advise(self, session: str, digests: Iterable[str], turn: str, at: int) -> None:
        """A session was told something."""
        with self._db.transaction() as sql:
            sql.executemany(
                "INSERT OR IGNORE INTO advice (session, digest, turn, at) SELECT row, ?, ?, ? FROM session WHERE id = ?",
                ((digest, turn, at, session) for digest in digests),
            )

    def touches(self, session: str, targets: Collection[str], last: int = 40) -> list[Done]:
        """The last calls of a session that read or changed a file under one of these names, newest first.

        Among them those of its last shell lines in which the file's own name stands.
        """
        (row,) = self._db.row("SELECT row FROM session WHERE id = ?", (session,)) or (None,)
        marks, base = ", ".join("?" * len(targets)), basename(next(iter(targets)))
        rows = self._db.rows(
            f"SELECT {FIELDS} FROM operation o WHERE id IN"  # noqa: S608 - constants
            f" (SELECT id FROM operation INDEXED BY operation_file WHERE session = ? AND file IN ({marks}) UNION"
            " SELECT id FROM (SELECT id, pack, slot, said FROM operation WHERE session = ? AND kind = ?"
            f" ORDER BY id DESC LIMIT ?) o WHERE instr({SAID}, ?)) AND state = ? ORDER BY id DESC",
            (row, *map(hashed, targets), row, KIND[Kind.COMMAND], COMMANDS, compact([base])[2:-2], STATE[State.DONE]),
        )
        return [call for call in map(as_done, rows) if call.kind in FILES or base in call.target][:last]


def _moving(row: int, old: str, new: str) -> list[tuple[str, tuple[str | int, ...]]]:
    """A file's anchors, or those of all files in a folder, go with it."""
    return [
        (
            "UPDATE OR REPLACE anchor SET path = ?, base = ? WHERE project = ? AND path = ?",
            (new, basename(new), row, old),
        ),
        (
            "UPDATE OR REPLACE anchor SET path = ? || substr(path, ?) WHERE project = ? AND path >= ? AND path < ?",
            (new, len(old) + 1, row, f"{old}/", f"{old}0"),
        ),
    ]


def _anchor(row: Row) -> Anchor:
    path, name, kind, at, stale = row
    return Anchor(path, name, kind, at, bool(stale))
