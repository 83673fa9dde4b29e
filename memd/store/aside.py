"""A record that is damaged: it is set aside whole, and the small lists that no transcript can tell again are carried over.

    <state>/damaged/<time>/memd.db[-wal|-shm]

The log goes first: it must never be applied to the new file that takes the name.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from memd import files
from memd.errors import RecordDamaged
from memd.store.database import Database

FOLDER = "damaged"
_CARRIED = {"forgotten": "(session, path, at, size) VALUES (?, ?, ?, ?)", "pinned": "(session, at) VALUES (?, ?)"}
_RESCUED = "rescued"
DAY = 86_400


def sound(database: Database) -> bool:
    """Whether SQLite finds the whole file in order; takes seconds for a large one."""
    try:
        return database.rows("PRAGMA quick_check(1)") == [("ok",)]
    except RecordDamaged:
        return False


def set_aside(path: Path, now: int) -> Path:
    """Move a record and its companions out of the way; where they are now.

    Raises:
        OSError: they cannot be moved.
    """
    stamp = f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m-%dT%H%M%S}"
    folder = files.private_dir(path.parent / FOLDER / stamp)
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(folder / part.name)
    return folder


def kept(state: Path) -> list[Path]:
    """The folders of records that were set aside, oldest first; a person removes them."""
    return sorted(path for path in (state / FOLDER).glob("*/") if path.is_dir())


def lately_set_aside(state: Path, now: float) -> bool:
    """Whether that happened within a day (`now` in seconds): so long everything is read that is still there."""
    return any(now - folder.stat().st_mtime < DAY for folder in kept(state))


def rescue(database: Database) -> tuple[str, ...]:
    """Carry over what the records that were set aside since the last time still have; the names of lists that were lost."""
    folders = [folder for folder in kept(database.path.parent) if (folder / database.path.name).is_file()]
    known = database.row("SELECT value FROM meta WHERE key = ?", (_RESCUED,))
    fresh = [folder for folder in folders if known is None or folder.name > known[0]]
    if not fresh:
        return ()
    lost = set[str]()
    with database.transaction() as sql:
        for folder in fresh:
            lost |= set(_carry(sql, folder / database.path.name))
        sql.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_RESCUED, fresh[-1].name))
    return tuple(sorted(lost))


def _carry(sql: sqlite3.Connection, old: Path) -> Iterator[str]:
    for table, columns in _CARRIED.items():
        try:
            with closing(sqlite3.connect(f"{old.absolute().as_uri()}?mode=ro", uri=True)) as source:
                source.execute("PRAGMA writable_schema = ON")  # a table that is broken must not hide the others
                rows = source.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - one of two words
        except sqlite3.Error:
            yield table
        else:
            sql.executemany(f"INSERT OR IGNORE INTO {table} {columns}", rows)
