r"""One read of a transcript: from a cursor to whole lines and the next cursor.

- Lines end at b"\n" and nowhere else: U+2028, NEL, form feeds and lone b"\r" stand inside records. The b"\r" of a
  CRLF, runs of NUL and a BOM stay in the data; the parser deals with them. Of a long line's runs the beginnings stay (`elide`),
  and its holes are passed over.
- A line without its newline is not there yet. Nothing of it is kept in memory; the next read takes it from the disk.
- A read is a snapshot: one open file, up to the size it had when it was opened. Memory is bounded by `limit` or,
  where one line is longer, by `elide.Caps`.
- If the bytes before the cursor are no longer what was read (replaced, cut, cut and grown again), reading starts
  again at 0 with `restarted`; if they are, it goes on, also in a copy with another inode. Who gets lines twice knows
  them by their ids.
- A restart always carries a gap: what was written and overwritten between two reads is nobody's to know, so
  `Gap.bytes` counts what was seen on disk and is lost unread ("at least"). A file that was cut behind the cursor has
  such a gap without a restart.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from memd.errors import SourceUnreadable
from memd.tail.batch import Batch, Gap, Line
from memd.tail.cursor import WINDOW, Cursor, Trail
from memd.tail.elide import CAPS, Caps, elide

__all__ = ["Batch", "Cursor", "Gap", "Line", "read", "read_on"]

_CHUNK = 256 << 10


def read(path: Path | str, cursor: Cursor, limit: int = 1 << 20, *, caps: Caps = CAPS) -> Batch:
    """The whole lines after `cursor`, about `limit` bytes of them, but at least one if one is complete.

    Raises SourceUnreadable when the file is there and cannot be read, or is no regular file.
    """
    try:
        with _opened(path) as source:
            return _read(source, cursor, min(limit, caps.line), caps)
    except (FileNotFoundError, NotADirectoryError):
        return Batch((), cursor, 0, gone=True)
    except (OSError, ValueError) as error:  # a hook may name a path that can be none
        raise SourceUnreadable(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def read_on(path: Path | str, cursor: str | None, limit: int = 1 << 20) -> Batch:
    """`read` from a cursor as the record keeps it, from the start without one; raises as `read` does."""
    return read(path, Cursor.start() if cursor is None else Cursor.loads(cursor), limit)


class _Source(Struct, frozen=True):
    """One open file, as long as it was when it was opened."""

    fd: int
    device: int
    inode: int
    size: int

    def pread(self, offset: int, count: int) -> bytes:
        """`count` bytes, fewer only where the file ends."""
        count = min(count, self.size - offset)
        data = os.pread(self.fd, count, offset)
        while data and len(data) < count and (more := os.pread(self.fd, count - len(data), offset + len(data))):
            data += more
        return data

    def chunks(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The bytes from `start` to `end`, piece by piece, each with its place; of a hole its last `WINDOW` bytes alone."""
        while start < end:
            start = max(start, min(self._written(start), end) - WINDOW)
            if not (chunk := self.pread(start, min(_CHUNK, end - start))):
                return
            yield start, chunk
            start += len(chunk)

    def _written(self, offset: int) -> int:
        """Where the next bytes stand that somebody wrote: a hole may be longer than any disk."""
        try:
            return os.lseek(self.fd, offset, os.SEEK_DATA)
        except OSError as error:  # ENXIO: nothing but a hole is left; else a file system that cannot tell
            return self.size if error.errno == errno.ENXIO else offset


@contextmanager
def _opened(path: Path | str) -> Iterator[_Source]:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # not blocking: a FIFO would hold us up for ever
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise SourceUnreadable(f"{path}: not a regular file")
        yield _Source(fd, found.st_dev, found.st_ino, found.st_size)
    finally:
        os.close(fd)


def _read(source: _Source, cursor: Cursor, limit: int, caps: Caps) -> Batch:
    trail, start, gaps = _resume(source, cursor)
    lines = tuple(_lines(source, start, limit, caps, trail))
    end = lines[-1].offset + lines[-1].length + 1 if lines else start
    after = Cursor(source.device, source.inode, end, source.size, trail.fingerprint())
    return Batch(lines, after, source.size, gaps, restarted=start < cursor.offset)


def _resume(source: _Source, cursor: Cursor) -> tuple[Trail, int, tuple[Gap, ...]]:
    """Where reading goes on, with the trail up to there, and what was lost since the last read."""
    if source.size >= cursor.offset:
        trail = Trail.of(source.pread, cursor.offset)
        if trail.fingerprint() == cursor.fingerprint:
            cut = cursor.seen - source.size
            return trail, cursor.offset, (Gap("overwritten", cut),) if cut > 0 else ()
    return Trail(), 0, (Gap("overwritten", cursor.seen - cursor.offset),)


def _lines(source: _Source, start: int, limit: int, caps: Caps, trail: Trail) -> Iterator[Line]:
    data = source.pread(start, limit)
    if whole := data.rfind(b"\n") + 1:
        trail.feed(memoryview(data)[:whole])
        at = 0
        while at < whole:
            end = data.index(b"\n", at)  # `split` looks at byte after byte: in all of it it takes twice as long
            yield Line(start + at, end - at, data[at:end])
            at = end + 1
    elif start + len(data) < source.size:
        yield from _long_line(source, start, len(data), caps, trail)


def _long_line(source: _Source, start: int, searched: int, caps: Caps, trail: Trail) -> Iterator[Line]:
    """The one line at `start` that is longer than the limit, if it is complete; `searched` bytes hold no newline."""
    end = _newline(source, start + searched)
    if end is None:
        return
    if end - start <= caps.line:
        data, elided = source.pread(start, end - start), 0
        trail.feed(data)
    else:
        fed = 0

        def chunks() -> Iterator[bytes]:
            nonlocal fed
            for _, chunk in source.chunks(start, end):
                trail.feed(chunk)
                fed += len(chunk)
                yield chunk

        data, elided = elide(chunks(), caps)
        elided += end - start - fed
    trail.feed(b"\n")
    yield Line(start, end - start, data, elided)


def _newline(source: _Source, start: int) -> int | None:
    """The offset of the first newline from `start` on."""
    for place, chunk in source.chunks(start, source.size):
        if (at := chunk.find(b"\n")) >= 0:
            return place + at
    return None
