"""The lock and the record's file, looked after while the daemon runs.

Both can be taken away or replaced under it (somebody clears the state directory, moves it, puts a copy back). What is written
to a file that has no name any more is lost, nobody finds the daemon, and another one could start beside it.
"""

import os
from pathlib import Path

from memd.config import Paths
from memd.daemon.sole import take
from memd.errors import RecordGone, Refused
from memd.files import Lock

LOOK = 5.0
"""Seconds between two looks."""


class Place:
    """Where the daemon works: its lock, and which file its record is."""

    def __init__(self, paths: Paths, lock: Lock) -> None:
        self._paths = paths
        self._lock = lock
        self._record = paths.state / "memd.db"
        self._opened: tuple[int, int] | None = None

    def settle(self) -> None:
        """The record was opened just now."""
        self._opened = _identity(self._record)

    def check(self) -> None:
        """Raises RecordGone where the lock or the record is not what it was; what cannot be seen now may well be."""
        try:
            there = self._lock.in_place() and _identity(self._record) == self._opened
        except OSError:
            return
        if not there:
            raise RecordGone(
                f"{self._record} was taken away or replaced while the daemon ran: it goes on with what is there now, and reads"
                " the transcripts that are still there again"
            )

    def take_again(self) -> None:
        """Hold the lock that is there now. Raises Refused where another daemon has it."""
        if self._lock.in_place():
            return
        self._lock.release()
        if not take(self._lock, self._paths):
            raise Refused(f"a daemon already runs on {self._paths.state}; `memd status` shows it")


def _identity(file: Path) -> tuple[int, int] | None:
    """Which file it is; None where there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116 - every few seconds
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
