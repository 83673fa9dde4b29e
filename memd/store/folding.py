"""The log is folded into the record's file beside the commits, by a thread and a connection of its own.

SQLite itself does it within the commit that made the log too long, which then waits for the disk twice: 8 ms on one at rest,
100 and more where others write. What is committed meanwhile stays in the log, which is begun anew only where nothing was. So
where there is no rest, or no thread, the writer does it after all (`wal_autocheckpoint`): most of it is written by then.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

LIMIT, BESIDE = 8 << 20, 4 << 20
"""Bytes that the log keeps on disk when it is begun anew, to be written over; and by how many more it is folded in."""


class Folding:
    """Used by the thread that commits."""

    def __init__(self, path: Path) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=rw"
        self._log = f"{path}-wal"
        self._at = LIMIT
        """Bytes of the log when it was last asked for."""
        self._thread: threading.Thread | None = None
        self._asked = threading.Event()
        self._over = False
        self._still = threading.Lock()

    def look(self) -> None:
        """After a commit: the log may have grown too long. It is cut to `LIMIT` when it is begun anew (`journal_size_limit`)."""
        try:
            size = os.stat(self._log).st_size  # noqa: PTH116 - after each commit
        except OSError:
            return
        self._at = max(LIMIT, min(self._at, size))
        if size - self._at >= BESIDE:
            self._at = size
            self._asked.set()
            if self._thread is None or not self._thread.is_alive():
                self._start()

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="memd-fold", daemon=True)
        with suppress(RuntimeError):  # the machine gives no thread
            self._thread.start()

    def _run(self) -> None:
        """What goes wrong here ends it until it is asked again, and the writer will meet it."""
        with suppress(sqlite3.Error), closing(sqlite3.connect(self._uri, uri=True, isolation_level=None)) as sql:
            while self._asked.wait():
                self._asked.clear()
                if self._over:
                    return
                with self._still:
                    sql.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing is folded meanwhile: whoever wants the log empty would be told that somebody is at it."""
        with self._still:
            yield

    def stop(self) -> None:
        """End it, before the connection of who commits is closed: the last one folds all in."""
        self._over = True
        self._asked.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()
