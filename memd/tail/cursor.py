"""How far a file was read, and whether it still is the file that was read.

A path proves nothing (files are replaced by rename), an inode proves little (inodes are used again, and a copy of the
same text has another one), a size proves nothing once a file was cut and has grown past the old mark. So a cursor
carries a hash of bytes that were read *before* its offset: the first 4,096 of the file and the last 4,096 before the
offset. If they are still there, the reading goes on, whatever the inode; if not, it starts again.

The hash is made of the bytes that were handed out, never of a second look at the file: what is replaced in between is
noticed. Nothing read yet means nothing to compare: the fingerprint is empty and fits every file.
"""

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Self

from msgspec import Struct

from memd.errors import StoreTrouble

WINDOW = 4096  # bytes hashed at either end of what was read
VERSION = 1  # of the JSON form; a form that was ever written stays readable


class Cursor(Struct, frozen=True):
    """Everything before `offset` was handed out.

    `offset` and `seen` are in bytes. `seen` is the size of the file when the cursor was made: if the file is
    overwritten before the next read, `seen - offset` bytes are known to be lost. `device` and `inode` find a file
    that moved; they decide nothing. `fingerprint` has 16 bytes, none at offset 0.
    """

    device: int
    inode: int
    offset: int
    seen: int
    fingerprint: bytes

    @classmethod
    def start(cls) -> Self:
        """The cursor of a file that was never read."""
        return cls(device=0, inode=0, offset=0, seen=0, fingerprint=b"")

    def dumps(self) -> str:
        """The JSON form that is kept: one object, integers, the fingerprint in hex."""
        fields = {"v": VERSION, "device": self.device, "inode": self.inode, "offset": self.offset, "seen": self.seen}
        return json.dumps(fields | {"fingerprint": self.fingerprint.hex()}, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        """The cursor from its JSON form. Raises StoreTrouble when it is damaged or written by a newer memd."""
        try:
            fields = json.loads(text)
            device, inode, offset, seen = (int(fields[name]) for name in ("device", "inode", "offset", "seen"))
            fingerprint = bytes.fromhex(fields["fingerprint"])
            known = fields["v"] == VERSION and min(device, inode, offset, seen) >= 0
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise StoreTrouble(f"a cursor in the store is damaged: {text[:80]!r}") from error
        if not known:
            raise StoreTrouble(f"a cursor in the store is damaged or from a newer memd: {text[:80]!r}")
        return cls(device, inode, offset, seen, fingerprint)


class Trail:
    """The two ends of what was read, kept up while reading."""

    def __init__(self, head: bytes = b"", tail: bytes = b"") -> None:
        self._head = head
        self._tail = tail

    @classmethod
    def of(cls, pread: Callable[[int, int], bytes], offset: int) -> Self:
        """The trail of a file whose bytes before `offset` were read; `pread(offset, count)` reads it."""
        window = min(WINDOW, offset)
        return cls(pread(0, window), pread(offset - window, window))

    def feed(self, data: bytes | memoryview) -> None:
        """`data` was read next."""
        self._head += data[: WINDOW - len(self._head)]
        self._tail = (self._tail + data[-WINDOW:])[-WINDOW:]

    def fingerprint(self) -> bytes:
        """16 bytes; none while nothing was read."""
        return blake2b(self._head + self._tail, digest_size=16).digest() if self._head else b""
