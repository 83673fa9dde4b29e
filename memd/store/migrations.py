"""The shape of the database, as numbered steps: each is appended once, never edited, and runs once in each file.

`PRAGMA user_version` holds how many have run. All that are missing run in one transaction, so a kill in the middle
leaves the old shape. A file with a higher number was written by a newer memd and is not touched.
"""

import sqlite3
from collections.abc import Callable

from memd.store.first import CHECKPOINTS, RECORDS
from memd.store.numbers import NUMBERS
from memd.store.shape import version

Step = Callable[[sqlite3.Connection], None]


def m001_first(sql: sqlite3.Connection) -> None:
    """Records, cursors, checkpoints and deliveries."""
    for statement in RECORDS + CHECKPOINTS:
        sql.execute(statement)


def m002_search(sql: sqlite3.Connection) -> None:
    """The full text index, filled with what is recorded; `spaced` is a function of the connection."""
    sql.execute("CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')")
    sql.execute("INSERT INTO words (rowid, text) SELECT id, spaced(text) FROM message")


def m003_forgetting(sql: sqlite3.Connection) -> None:
    """What was forgotten (with a size: until the transcript is larger) and what is kept whatever its age."""
    sql.execute(
        "CREATE TABLE forgotten (session TEXT NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL, size INTEGER,"
        " PRIMARY KEY (session, path)) WITHOUT ROWID"
    )
    sql.execute("CREATE INDEX forgotten_path ON forgotten (path)")
    sql.execute("CREATE TABLE pinned (session TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID")


def m004_project(sql: sqlite3.Connection) -> None:
    """The project's journal, its anchors, its sessions and the advice that they got. Every recorded call waits for its entries.

    `filing` and `filed` are journal ids: what was about to be written to the project's file, and what is in it.
    """
    sql.execute("ALTER TABLE operation ADD COLUMN journalled INTEGER NOT NULL DEFAULT 0")
    sql.execute("CREATE INDEX operation_pending ON operation (session) WHERE journalled = 0")
    sql.execute("CREATE INDEX operation_target ON operation (session, target)")
    sql.execute(
        "CREATE TABLE project (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " filing INTEGER NOT NULL DEFAULT 0, filed INTEGER NOT NULL DEFAULT 0)"
    )
    sql.execute(
        "CREATE TABLE journal (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,"
        " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, call TEXT NOT NULL, part INTEGER NOT NULL,"
        " at INTEGER, op TEXT NOT NULL, target TEXT NOT NULL, digest TEXT NOT NULL, good INTEGER NOT NULL,"
        " line TEXT NOT NULL)"
    )
    sql.execute("CREATE UNIQUE INDEX journal_once ON journal (project, call, part, ifnull(at, -1))")
    sql.execute("CREATE INDEX journal_session ON journal (session, id)")
    sql.execute("CREATE INDEX journal_target ON journal (project, target, id)")
    sql.execute("CREATE INDEX journal_project ON journal (project, id)")
    sql.execute(
        "CREATE TABLE anchor (project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE, path TEXT NOT NULL,"
        " name TEXT NOT NULL, kind TEXT NOT NULL, base TEXT NOT NULL, at INTEGER NOT NULL,"
        " stale INTEGER NOT NULL DEFAULT 0,"
        " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, PRIMARY KEY (project, path, name)) WITHOUT ROWID"
    )
    sql.execute("CREATE INDEX anchor_at ON anchor (project, at)")
    sql.execute("CREATE INDEX anchor_base ON anchor (project, base)")
    sql.execute("CREATE INDEX anchor_session ON anchor (session)")
    sql.execute(
        "CREATE TABLE member (session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
        " project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE)"
    )
    sql.execute("CREATE INDEX member_project ON member (project)")
    sql.execute(
        "CREATE TABLE advice (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, digest TEXT NOT NULL,"
        " turn TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, digest)) WITHOUT ROWID"
    )


def m005_judging(sql: sqlite3.Connection) -> None:
    """What was decided on boxes of the memo, and what models were run for. A run outlives its session: the day's caps count."""
    sql.execute(
        "CREATE TABLE tick (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, number INTEGER NOT NULL,"
        " ticked INTEGER NOT NULL, person INTEGER NOT NULL, PRIMARY KEY (session, number)) WITHOUT ROWID"
    )
    sql.execute(
        "CREATE TABLE run (id INTEGER PRIMARY KEY, session TEXT NOT NULL, tool TEXT NOT NULL, at INTEGER NOT NULL,"
        " upto INTEGER NOT NULL, tokens INTEGER NOT NULL, outcome TEXT NOT NULL)"
    )
    sql.execute("CREATE INDEX run_at ON run (at)")


def m006_answers(sql: sqlite3.Connection) -> None:
    """A call's result that is the text of its entry is kept there alone (`calls.ANSWER`)."""
    sql.execute(
        "UPDATE operation SET result = char(1) WHERE length(result) > 1 AND result = (SELECT text FROM message m"
        " WHERE m.session = operation.session AND m.number = operation.number)"
    )


def m007_runs(sql: sqlite3.Connection) -> None:
    """What was wrong with a run's work is kept with the run: a checkpoint is soon followed by the next."""
    sql.execute("ALTER TABLE run ADD COLUMN problems TEXT NOT NULL DEFAULT '[]'")
    sql.execute("CREATE INDEX run_session ON run (session, id)")


def m008_commands(sql: sqlite3.Connection) -> None:
    """The last shell lines of a session are looked through for what they read."""
    sql.execute("CREATE INDEX operation_command ON operation (session, id) WHERE kind = 'command'")


def m009_gaps(sql: sqlite3.Connection) -> None:
    """What was not read is counted for each transcript, so that one that is read again from its start is counted anew."""
    sql.execute("ALTER TABLE gap RENAME TO gap_of_session")
    sql.execute(
        "CREATE TABLE gap (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, source TEXT NOT NULL,"
        " kind TEXT NOT NULL, what TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (session, source, kind, what))"
        " WITHOUT ROWID"
    )
    sql.execute(
        "INSERT INTO gap SELECT g.session, ifnull(s.path, ''), g.kind, g.what, g.count"
        " FROM gap_of_session g JOIN session s ON s.row = g.session"
    )
    sql.execute("DROP TABLE gap_of_session")


def m010_noted(sql: sqlite3.Connection) -> None:
    """What went wrong beside a checkpoint is kept apart from what was wrong with its own parts."""
    sql.execute("ALTER TABLE checkpoint ADD COLUMN noted TEXT NOT NULL DEFAULT '[]'")


def m011_places(sql: sqlite3.Connection) -> None:
    """What a reader looks up by key has rows of its own, which name the source by its row."""
    sql.execute("ALTER TABLE source RENAME TO source_by_path")
    sql.execute(
        "CREATE TABLE source (row INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,"
        " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, cursor TEXT NOT NULL, reader TEXT NOT NULL,"
        " unit TEXT NOT NULL, size INTEGER NOT NULL, offset INTEGER NOT NULL, number INTEGER NOT NULL, gone_at INTEGER,"
        " seen_at INTEGER NOT NULL)"
    )
    sql.execute(
        "INSERT INTO source (path, session, cursor, reader, unit, size, offset, number, gone_at, seen_at)"
        " SELECT path, session, cursor, reader, unit, size, offset, number, gone_at, seen_at FROM source_by_path"
    )
    sql.execute("DROP TABLE source_by_path")
    sql.execute("CREATE INDEX source_session ON source (session)")
    sql.execute(
        "CREATE TABLE place (source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE, key TEXT NOT NULL,"
        " value TEXT NOT NULL, PRIMARY KEY (source, key)) WITHOUT ROWID"
    )


def m012_packs(sql: sqlite3.Connection) -> None:
    """Texts of entries are kept packed from now on; `pack.id` is never used twice, so what was read of one stays true.

    Calls are looked up by their target where they read or wrote a file, and the newest of all or of a kind.
    """
    sql.execute(
        "CREATE TABLE pack (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, first INTEGER NOT NULL, entries BLOB NOT NULL)"
    )
    sql.execute("CREATE INDEX pack_session ON pack (session)")
    sql.execute("ALTER TABLE message ADD COLUMN pack INTEGER")
    sql.execute("DROP INDEX operation_target")
    sql.execute("CREATE INDEX operation_target ON operation (session, target) WHERE kind IN ('read', 'edit', 'create')")
    sql.execute("DROP INDEX operation_command")
    sql.execute("CREATE INDEX operation_kind ON operation (session, kind)")
    sql.execute("CREATE INDEX operation_session ON operation (session)")


def m013_copies(sql: sqlite3.Connection) -> None:
    """Whether a session has copies, and which, is asked at each refresh: nearly all have none."""
    sql.execute("CREATE INDEX message_copy ON message (session, number) WHERE copy_of IS NOT NULL")


def m014_numbers(sql: sqlite3.Connection) -> None:
    """Keys and words that stand in every row are numbers, and what is said of a call is one text, packed like those of entries.

    `hashed` and `said` are functions of the connection. What lies in rows stays there; up to `session.packed` entries are packed
    or never will be. Free pages are used last, and a table is emptied before it is dropped: else SQLite holds the pages in
    memory, to take that one statement back.
    """
    sql.execute("ALTER TABLE session ADD COLUMN packed INTEGER NOT NULL DEFAULT 0")
    sql.execute("UPDATE session SET packed = messages - messages % 32")
    for table, made, rows, _ in NUMBERS:
        sql.execute(f"ALTER TABLE {table} RENAME TO {table}_by_words")
        sql.execute(made)
        sql.execute(rows)
    for table, _, _, indexes in NUMBERS:
        sql.execute(f"DELETE FROM {table}_by_words")  # noqa: S608 - one of three names
        sql.execute(f"DROP TABLE {table}_by_words")
        for index in indexes:
            sql.execute(index)


MIGRATIONS: tuple[Step, ...] = (
    m001_first,
    m002_search,
    m003_forgetting,
    m004_project,
    m005_judging,
    m006_answers,
    m007_runs,
    m008_commands,
    m009_gaps,
    m010_noted,
    m011_places,
    m012_packs,
    m013_copies,
    m014_numbers,
)
"""Append only: the place in this tuple is the number, and that of the last one is `shape.NEWEST`."""


def migrate(sql: sqlite3.Connection) -> None:
    """Run the missing steps. The caller holds the write lock, so that no two processes do the same."""
    for number, step in enumerate(MIGRATIONS[version(sql) :], version(sql) + 1):
        step(sql)
        sql.execute(f"PRAGMA user_version = {number:d}")
