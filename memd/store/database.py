"""The one connection: its settings, its file's privacy, its transactions, and SQLite's errors in a person's words.

The journal is a WAL with `synchronous = NORMAL`: a killed process loses nothing that was committed, a power failure may
lose the newest commits whole (cursor and records together, so they are read again). Readers never wait for the writer
nor the writer for them. Transactions are `commits`'.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.errors import NotFound, RecordDamaged, RecordForeign, RecordNewer, RecordOlder, StoreTrouble
from memd.files import refuse_other_kind
from memd.later import later
from memd.store import shape
from memd.store.packs import Unpacked
from memd.store.shape import version

if TYPE_CHECKING:
    from memd.store import calls, commits, folding, keys, migrations, words
else:
    calls, commits, folding, keys, migrations, words = later(
        __package__, "calls", "commits", "folding", "keys", "migrations", "words"
    )

Parameters = Sequence[Any] | Mapping[str, Any]
Row = tuple[Any, ...]

_BUSY_MS = 5_000
_REASONS = {
    sqlite3.SQLITE_BUSY: "another process holds its lock",
    sqlite3.SQLITE_LOCKED: "another process holds its lock",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is damaged, or is no SQLite database",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_PERM: "access to the file is denied",
    sqlite3.SQLITE_READONLY: "the file cannot be written",
    sqlite3.SQLITE_PROTOCOL: "its locks do not work on this file system",
}
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 8000",  # pages: where the log has 16 MB the writer folds it in; before that `folding` does
    "PRAGMA journal_size_limit = 8388608",  # bytes (`folding.LIMIT`): by what it has more is seen how much is in the log
    "PRAGMA cache_size = -4000",  # kB: with SQLite's own 2000 a backfill of 1 GB reads twice the pages and writes a quarter more
    "PRAGMA secure_delete = ON",  # what is deleted is overwritten
    "PRAGMA temp_store = MEMORY",  # nothing of a conversation in files under /tmp
)
_PAGE = "PRAGMA page_size = 2048"
"""Of a file that is made now; another keeps its own. What a small commit writes, and what small tables leave empty, is half of
what it is with SQLite's usual 4096."""
_OWN = {"session", "message", "checkpoint"}


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Turn what the machine did to the file into `StoreTrouble`; a defect of ours (a wrong statement) passes on."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        reason = _REASONS.get(code)
        if reason is None:
            raise
        kind = RecordDamaged if code in _DAMAGE else StoreTrouble
        raise kind(f"memd's record {path} cannot be used: {reason} ({error})") from error


class Database:
    """An open connection; not for use by several threads."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.folding: folding.Folding | None = None
        """Of one that is written."""
        self._connection = connection
        self.unpacked = Unpacked(connection)

    @cached_property
    def commits(self) -> commits.Commits:
        """Of one that is written."""
        return commits.Commits(
            self._connection, self._trouble, committed=self._committed, taken_back=self.unpacked.release
        )

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            with trouble(self.path):
                yield
        except sqlite3.OperationalError as error:
            if self.unpacked.damaged:
                reason = _REASONS[sqlite3.SQLITE_CORRUPT]
                told = f"memd's record {self.path} cannot be used: {reason} ({self.unpacked.damaged})"
                raise RecordDamaged(told) from error
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is executed inside is recorded, or nothing of it.

        Raises:
            StoreTrouble: locked for 5 s, full, damaged.
        """
        try:
            with self.commits.one() as sql:
                yield sql
        except sqlite3.Error:
            with self._trouble():
                raise

    def _committed(self) -> None:
        if self.folding is not None:
            self.folding.look()

    def still(self) -> AbstractContextManager[None]:
        """The log is not being folded in meanwhile."""
        return nullcontext() if self.folding is None else self.folding.still()

    def rows(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of one query.

        Raises:
            StoreTrouble: locked for 5 s, damaged, unreadable.
        """
        try:
            return self._connection.execute(statement, parameters).fetchall()
        except sqlite3.Error:
            with self._trouble():
                raise

    def each(self, statement: str, parameters: Parameters = ()) -> Iterator[Row]:
        """The rows of one query one at a time, where all at once would take megabytes; nothing may be written meanwhile.

        Raises:
            StoreTrouble: locked for 5 s, damaged, unreadable.
        """
        with self._trouble(), closing(self._connection.execute(statement, parameters)) as rows:
            yield from rows

    def row(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """The first row of one query, or None."""
        return next(iter(self.rows(statement, parameters)), None)

    def close(self) -> None:
        """Let the file go; the last writer to leave folds the WAL into it."""
        if self.folding is not None:
            self.folding.stop()
        with self._trouble():
            self._connection.close()


def open_writer(path: Path) -> Database:
    """Open or create the file (0600, in a directory of 0700) and bring it to the newest shape.

    Raises:
        Refused: a newer memd wrote it, or another program, whose file stays as it is.
        StoreTrouble: it cannot be created, opened, or is damaged.
    """
    _look_first(path)
    _make_private(path)
    database = _connect(path, "rw")
    with _closing_on_error(database), trouble(path):
        sql = database._connection  # noqa: SLF001  # the same module: settings need the bare connection
        _refuse_newer(path, version(sql))
        sql.execute(_PAGE)
        sql.execute("PRAGMA journal_mode = WAL")
        database.folding = folding.Folding(path)
        sql.create_function("spaced", 1, words.spaced, deterministic=True)
        if version(sql) < shape.NEWEST:
            _bring_up_to_date(database, sql)
    return database


def _bring_up_to_date(database: Database, sql: sqlite3.Connection) -> None:
    began = version(sql)
    sql.create_function("hashed", 1, keys.hashed)
    sql.create_function("said", 5, calls.said_before)
    with database.transaction():
        migrations.migrate(sql)
    if began:
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # all of the record may stand in the log now


def open_reader(path: Path) -> Database:
    """Open the file for reading only, beside a writer or without one.

    Raises:
        NotFound: there is none yet.
        Refused: a newer memd wrote it, another program, or (RecordOlder) an older memd and no writer has brought it up to date.
        StoreTrouble: it cannot be opened or is damaged.
    """
    if not path.exists():
        raise _nothing(path)
    refuse_other_kind(path, "record", error=RecordForeign)
    database = _connect(path, "ro")
    with _closing_on_error(database), trouble(path):
        found = version(database._connection)  # noqa: SLF001  # the same module
        _refuse_foreign(path, database)
        if found == 0:
            raise _nothing(path)
        _refuse_newer(path, found)
        if found < shape.NEWEST:
            raise RecordOlder(
                f"memd's record {path} is from an older memd; `memd run` or `memd ingest` brings it up to date"
            )
    return database


def _connect(path: Path, mode: str) -> Database:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with trouble(path):
        connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_MS / 1000, isolation_level=None)
    database = Database(path, connection)
    with _closing_on_error(database), trouble(path):
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.create_function("unpacked", 3, database.unpacked)
    return database


@contextmanager
def _closing_on_error(database: Database) -> Iterator[None]:
    try:
        yield
    except BaseException:
        database.close()
        raise


def _make_private(path: Path) -> None:
    """SQLite gives -wal and -shm the mode of the file itself, so the file must exist with the right one first."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists() and part.stat().st_mode & 0o077:
                part.chmod(0o600)
    except OSError as error:
        raise StoreTrouble(f"memd's record {path} cannot be used: {error.strerror or error}") from error


def _look_first(path: Path) -> None:
    """A writer changes modes and the journal's kind before it reads anything: not those of somebody else's file."""
    refuse_other_kind(path, "record", error=RecordForeign)
    if path.exists() and path.stat().st_size:
        with closing(_connect(path, "ro")) as database, trouble(path):
            _refuse_foreign(path, database)


def _refuse_foreign(path: Path, database: Database) -> None:
    """A record of memd's has had its three first tables since its first step, and no mark of another program."""
    tables = {name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    mark = database.row("PRAGMA application_id")
    if (tables and not tables >= _OWN) or mark != (0,):
        raise RecordForeign(
            f"{path} is a database of another program, not memd's record: move it away, or choose another place by"
            " MEMD_STATE_DIR; memd leaves it as it is"
        )


def _refuse_newer(path: Path, found: int) -> None:
    if found > shape.NEWEST:
        reads = shape.NEWEST
        raise RecordNewer(
            f"memd's record {path} is from a newer memd (format {found}, this one reads {reads}); update memd"
        )


def _nothing(path: Path) -> NotFound:
    return NotFound(f"nothing recorded yet (no {path}); `memd run` or `memd ingest` starts the record")
