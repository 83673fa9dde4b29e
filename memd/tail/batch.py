"""What one read of a transcript gives, whatever it is stored in: rows, the place behind them, and what was lost."""

from typing import Protocol

from msgspec import Struct


class Line(Struct, frozen=True, gc=False):
    """One row as it is stored. In a file: one physical line, `length` bytes from `offset` on, the newline not counted.

    `data` is exactly these bytes if `elided` is 0; else long strings in it were cut and `elided` bytes are missing.
    A row of a database has its number as `offset`, a `length` of 1, and one JSON object as `data`.
    """

    offset: int
    length: int
    data: bytes
    elided: int = 0


class Gap(Struct, frozen=True):
    """At least `bytes` bytes (or as many of `what`) stood there, unread, and cannot be read any more."""

    kind: str
    """`overwritten`: written over or cut off; `absent`: another transcript that this one goes on from is not there."""
    bytes: int
    what: str = "bytes"


class Place(Protocol):
    """Where reading goes on: opaque but for the number of bytes (or events) that lie before it."""

    @property
    def offset(self) -> int:
        """Bytes or events read."""
        ...

    def dumps(self) -> str:
        """As text, for the record."""
        ...


class Batch(Struct, frozen=True):
    """What one read gave. `cursor` stands after `lines`; store it in the same transaction as what came of them.

    `size` is the source's size in bytes (or events): `size - cursor.offset` is the lag. `restarted`: the lines begin at
    the start of other content than before. `gone`: there is no such source now; the cursor is the one given. No lines:
    read again after the next hint.
    """

    lines: tuple[Line, ...]
    cursor: Place
    size: int
    gaps: tuple[Gap, ...] = ()
    restarted: bool = False
    gone: bool = False
