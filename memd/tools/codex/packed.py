"""Reading a compressed transcript (`.jsonl.zst`) on, a piece at a time.

The client compresses a file that was not used for long, whole and in place. Offsets and sizes count decompressed bytes. A
stream can only be read from its start, so the stream of the last read is kept open for the next one: without it a file
of gigabytes would be decompressed from its start for each megabyte. A cursor names the file by device, inode, size and
time; while they are the same nothing is read at its end, and where they are not it is read again from its start.
"""

import json
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Self

import zstandard
from msgspec import Struct

from memd.errors import SourceUnreadable, StoreTrouble
from memd.tail.batch import Batch, Gap, Line
from memd.tail.elide import CAPS, elide

_CHUNK = 256 << 10
_MAGIC = b"\x28\xb5\x2f\xfd"
_WINDOW = 1 << 27
"""The largest window that is taken (the library's own bound, 128 MB): a file must not decide about our memory."""


def is_packed(path: Path) -> bool:
    """Whether a path names a compressed transcript."""
    return path.name.endswith(".zst")


def opened(data: bytes) -> bytes:
    """The text that the first bytes of a compressed file hold; nothing when they are none."""
    if not data.startswith(_MAGIC):
        return b""
    try:
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj().decompress(data)
    except zstandard.ZstdError:
        return b""


class Cursor(Struct, frozen=True):
    """Everything before `offset` (decompressed) was handed out of the file of these marks; `over`: that is all of it."""

    offset: int
    marks: tuple[int, ...]
    over: bool = False

    def dumps(self) -> str:
        """As text, for the record."""
        fields = {"v": 1, "packed": self.marks, "offset": self.offset, "over": self.over}
        return json.dumps(fields, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        """The cursor from its text. Raises StoreTrouble when it is damaged or written by a newer memd."""
        try:
            fields = json.loads(text)
            marks = tuple(int(mark) for mark in fields["packed"])
            known = fields["v"] == 1 and int(fields["offset"]) >= 0
            offset, over = int(fields["offset"]), bool(fields["over"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise StoreTrouble(f"a cursor in the store is damaged: {text[:80]!r}") from error
        if not known:
            raise StoreTrouble(f"a cursor in the store is damaged or from a newer memd: {text[:80]!r}")
        return cls(offset, marks, over)


class _Stream:
    """One open compressed file, read up to `offset`."""

    def __init__(self, path: Path, file: BufferedReader, marks: tuple[int, ...]) -> None:
        self.path, self.marks, self.offset = path, marks, 0
        self.over = False
        self._file = file
        self._reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            file, read_size=_CHUNK, read_across_frames=True, closefd=True
        )
        self._rest = b""

    def close(self) -> None:
        self._reader.close()  # type: ignore[no-untyped-call]  # the stub lacks it

    def skip(self, offset: int) -> None:
        """Let what was handed out before go by."""
        while self.offset + len(self._rest) < offset and (chunk := self._reader.read(_CHUNK)):
            self.offset += len(self._rest)
            self._rest = chunk
        gone = min(offset - self.offset, len(self._rest))
        self.offset, self._rest = self.offset + gone, self._rest[gone:]

    def lines(self, limit: int) -> Iterator[Line]:
        """The next whole lines, about `limit` bytes of them, but at least one if one is complete."""
        data = self._rest
        while len(data) < limit or b"\n" not in data:
            chunk = self._reader.read(_CHUNK)
            if not chunk:
                self.over = True
                break
            data += chunk
            if len(data) > CAPS.line and b"\n" not in data:
                yield self._long(data)
                return
        whole = data.rfind(b"\n") + 1
        self._rest = data[whole:]
        for record in data[:whole].split(b"\n")[:-1]:
            yield Line(self.offset, len(record), record)
            self.offset += len(record) + 1

    def _long(self, start: bytes) -> Line:
        """A line that is too long to be kept whole."""
        length, self._rest = 0, b""

        def chunks() -> Iterator[bytes]:
            nonlocal length
            chunk = start
            while chunk:
                line, newline, rest = chunk.partition(b"\n")
                length += len(line)
                yield line
                if newline:
                    self._rest = rest
                    return
                chunk = self._reader.read(_CHUNK)
            self.over = True

        data, elided = elide(chunks())
        line = Line(self.offset, length, data, elided)
        self.offset += length + 1
        return line


_open: list[_Stream] = []
"""The stream of the last read, if it was not read to its end."""


def read(path: Path, cursor: str | None, limit: int) -> Batch:
    """The whole lines after a cursor, as `memd.tail.lines.read_on` gives them for a plain file."""
    before = None if cursor is None else Cursor.loads(cursor)
    try:
        return _read(path, before, min(limit, CAPS.line))
    except (FileNotFoundError, NotADirectoryError):
        return Batch((), before or Cursor(0, ()), 0, gone=True)
    except (OSError, ValueError) as error:  # a hook may name a path that can be none
        raise SourceUnreadable(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except zstandard.ZstdError as error:
        raise SourceUnreadable(f"{path}: not to be decompressed: {error}") from error


def _read(path: Path, before: Cursor | None, limit: int) -> Batch:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise SourceUnreadable(f"{path}: not a regular file")
    marks = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    same = before is not None and before.marks == marks
    if before is not None and same and before.over:
        return Batch((), before, before.offset)
    stream = _stream(path, marks, before.offset if before is not None and same else 0)
    try:
        taken = tuple(stream.lines(limit))
    except BaseException:
        stream.close()
        raise
    if stream.over:
        stream.close()
    else:
        _open[:] = [stream]
    after = Cursor(stream.offset, marks, stream.over)
    size = stream.offset if stream.over else stream.offset + 1
    restarted = before is not None and not same
    return Batch(taken, after, size, (Gap("overwritten", 0),) if restarted else (), restarted=restarted)


def _stream(path: Path, marks: tuple[int, ...], offset: int) -> _Stream:
    """The file from an offset on: where the last read left it, or anew."""
    while _open:
        kept = _open.pop()
        if (kept.path, kept.marks, kept.offset) == (path, marks, offset):
            return kept
        kept.close()
    stream = _Stream(path, path.open("rb"), marks)
    try:
        stream.skip(offset)
    except BaseException:
        stream.close()
        raise
    return stream
