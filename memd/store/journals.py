"""A project's journal as a file: JSON lines that only grow, and a file for each month that is over.

    <folder>/journal.jsonl     what is not older than 30 days
    <folder>/2026-10.jsonl     what is, by the month in which it happened

Whoever writes holds the lock, so that two daemons (a container's and its host's, where the journal is in the repository) take
turns. A batch goes in by one write at the end of the file. A writer that was killed may leave half a line there: the next one
cuts it off first, and writes it anew, because nobody has noted it as written.
"""

import errno
import json
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from memd import files

CURRENT = "journal.jsonl"
DAY_MS = 86_400_000
KEPT = 30
"""Days after which a line goes to its month's file."""
_TAIL = 1 << 20
_MONTH = re.compile(r"\d{4}-\d\d-")
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW


class JournalFile:
    """The journal in one folder, made when the first line comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, lines: Sequence[str], *, doubted: bool = False) -> None:
        """Add lines at the end; `doubted`: an earlier write may have got some of them in.

        Raises:
            OSError: no room, no permission, or a link stands in the file's place.
        """
        if not lines:
            return
        if self._folder.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(self._folder))
        files.private_dir(self._folder)
        with files.Lock(self._folder / ".lock"), _opened(self._folder / CURRENT) as file:
            _whole(file)
            there = _tail(file) if doubted else set[bytes]()
            data = b"".join(line for line in (line.encode() for line in lines) if line not in there)
            _write(file, data)

    def archive(self, now: int) -> int:
        """Move what is older than 30 days to the files of its months; how many lines that were.

        A month's file has each line once, so that a kill between the two steps doubles nothing.
        """
        before = _stamp(now - KEPT * DAY_MS)
        return self._move(lambda stamp: stamp[:7] if stamp and stamp < before else None)

    def _move(self, month: Callable[[str], str | None]) -> int:
        current = self._folder / CURRENT
        if not current.is_file() or current.is_symlink():
            return 0
        with files.Lock(self._folder / ".lock"):
            kept, old = list[bytes](), dict[str, list[bytes]]()
            for line in current.read_bytes().splitlines(keepends=True):
                name = month(_ts(line))
                if name is None:
                    kept.append(line)
                else:
                    old.setdefault(name, []).append(line)
            for name, lines in old.items():
                self._add(self._folder / f"{name}.jsonl", lines)
            if old:
                files.write_atomic(current, b"".join(kept))
        return sum(map(len, old.values()))

    def _add(self, path: Path, lines: Sequence[bytes]) -> None:
        with _opened(path) as file:
            _whole(file)
            file.seek(0)
            there = set(file.read().splitlines(keepends=True))
            _write(file, b"".join(line for line in dict.fromkeys(lines) if line not in there))

    def without(self, sessions: Sequence[str]) -> None:
        """Take the lines of sessions out of all files."""
        if not self._folder.is_dir():
            return
        with files.Lock(self._folder / ".lock"):
            for path in self._folder.glob("*.jsonl"):
                if path.is_symlink():
                    continue
                lines = path.read_bytes().splitlines(keepends=True)
                kept = [line for line in lines if _fields(line).get("session") not in sessions]
                if len(kept) != len(lines):
                    files.write_atomic(path, b"".join(kept))


def _opened(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, _FLAGS, 0o600), "r+b", buffering=0)


def _write(file: IO[bytes], data: bytes) -> None:
    """All of it, and forced to disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file.fileno(), rest) :]
    os.fsync(file.fileno())


def _whole(file: IO[bytes]) -> None:
    """Cut off what a killed writer left of a line."""
    end = file.seek(0, os.SEEK_END)
    at = end
    while at > 0:
        start = max(at - 65_536, 0)
        newline = os.pread(file.fileno(), at - start, start).rfind(b"\n")
        if newline >= 0:
            at = start + newline + 1
            break
        at = start
    if at != end:
        os.ftruncate(file.fileno(), at)


def _tail(file: IO[bytes]) -> set[bytes]:
    end = file.seek(0, os.SEEK_END)
    start = max(end - _TAIL, 0)
    return set(os.pread(file.fileno(), end - start, start).splitlines(keepends=True))


def _fields(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _ts(line: bytes) -> str:
    """When a line's operation was; empty for a line that is none, which stays where it is."""
    stamp = _fields(line).get("ts")
    return stamp if isinstance(stamp, str) and _MONTH.match(stamp) else ""


def _stamp(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")
