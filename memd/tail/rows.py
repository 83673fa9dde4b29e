"""A look into another program's SQLite database, while that program may be writing: one short read transaction.

- Read-only by URI (`mode=ro`) and by pragma.
- The connection lives as long as the look. A reader in WAL mode blocks no writer, but a checkpoint of the log cannot pass
  what it still reads, so nothing is kept open.
- To read a WAL database on which nobody works SQLite makes an empty `-wal` and a `-shm` beside it (measured on 3.40: they
  stay, and the next program uses them). Where it cannot (a read-only mount), the file is read as it is (`immutable`), but only
  while no `-wal` holds anything, since what was committed may stand there alone. SQLite takes no lock then, and somebody may
  write through another mount: what was read counts only if file and `-wal` are the same afterwards.
- Whatever is in the way is a `SourceUnreadable` with one line that says what; only a file that is not there is a
  `FileNotFoundError`.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from memd.errors import SourceUnreadable

PATIENCE = 0.25
"""Seconds to wait for a lock; WAL readers wait for none but while the log is recovered. The next hint tries again."""
_MAGIC = b"SQLite format 3\0"


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """One snapshot of the database.

    Raises:
        FileNotFoundError: it is not there.
        SourceUnreadable: it is there and cannot be read now.
    """
    _check(path)
    try:
        with _looking(path) as sql:
            yield sql
    except sqlite3.Error as error:
        raise SourceUnreadable(f"{path}: {_why(path, error)}") from error


@contextmanager
def _looking(path: Path) -> Iterator[sqlite3.Connection]:
    before, alone = _stamp(path), False
    try:
        sql = _connected(path, "mode=ro")
    except sqlite3.OperationalError:
        if os.access(path.parent, os.W_OK) or before.log:
            raise
        sql, alone = _connected(path, "mode=ro&immutable=1"), True
    with closing(sql):
        yield sql
    if alone and before != _stamp(path):
        raise SourceUnreadable(f"{path}: another program wrote to it while it was read")


def _connected(path: Path, how: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{how}"
    sql = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        sql.text_factory = _text
        sql.execute("PRAGMA query_only = 1")
        sql.execute("BEGIN")
        sql.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # SQLite opens what it needs at the first look
    except BaseException:
        sql.close()
        raise
    return sql


class _Stamp(NamedTuple):
    """What tells whether anybody wrote: bytes in the log, the file's inode, size and last change."""

    log: int
    inode: int
    size: int
    mtime_ns: int


def _stamp(path: Path) -> _Stamp:
    found = path.stat()
    try:
        log = path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        log = 0
    return _Stamp(log, found.st_ino, found.st_size, found.st_mtime_ns)


def is_database(head: bytes) -> bool:
    """Whether a file that begins like this is an SQLite database."""
    return head.startswith(_MAGIC)


def columns(sql: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none where there is no such table."""
    return frozenset(str(row[1]) for row in sql.execute("SELECT * FROM pragma_table_info(?)", (table,)))


def _check(path: Path) -> None:
    try:
        found = os.stat(path)  # noqa: PTH116 - a text is as good as a path
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise SourceUnreadable(f"{path}: not a regular file")


def _text(data: bytes) -> str:
    """Text as it is stored; bytes that are no UTF-8 are no reason to read nothing."""
    return data.decode("utf-8", "replace")


def _why(path: Path, error: sqlite3.Error) -> str:
    """What stands in the way, for a person."""
    name = getattr(error, "sqlite_errorname", "")
    shared = Path(f"{path}-shm").exists()
    match name.split("_")[1] if "_" in name else "":
        case "BUSY" | "LOCKED":
            return "the database is locked by another program"
        case "NOTADB":
            return "not an SQLite database"
        case "CORRUPT":
            return "the database is damaged (SQLite: malformed)"
        case "CANTOPEN" | "READONLY" if not shared and not os.access(path.parent, os.W_OK):
            return (
                "its -wal holds what stands nowhere else, and to read that SQLite needs to make a -shm file in the folder, which"
                " cannot be written; the client's next start there takes it in"
            )
        case _:
            return f"{error}"
