"""Messages of long ago, folded: what is long in them lies compressed with that of their neighbours.

A session may have tens of thousands of prompts, and each time its checkpoint is made all of them are looked at, one after the
other. So a fold is opened for all of its messages at once, and the last few that were opened stay open.
"""

import zlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from memd.model.events import Source
from memd.model.records import Record

SIZE = 64
"""Messages of a fold. Measured on prompts of 200 characters: one takes 280 bytes in all when it is folded, 870 as it is."""
_LEVEL = 1
_OPEN = 4
_NOWHERE = Source(0, 0)


class Fold(Struct, frozen=True, eq=False, gc=False):
    """Text, key and place in the transcript of some messages, as MessagePack, compressed."""

    packed: bytes

    def __getitem__(self, place: int) -> tuple[str, int, Source]:
        """Those of one of them."""
        return _opened(self)[place]


class Folded(Record, frozen=True, gc=False):
    """A message as any other; only with `==` it is another than the same one that is not folded."""

    fold: Fold = Fold(b"")
    place: int = 0

    @property  # type: ignore[misc]  # mypy wants a field for a field; msgspec has no need of it
    def text(self) -> str:
        """What is said in it."""
        return self.fold[self.place][0]

    @property  # type: ignore[misc]
    def key(self) -> int:
        """The number that stands for what the transcript knows it by."""
        return self.fold[self.place][1]

    @property  # type: ignore[misc]
    def source(self) -> Source:
        """Where it stands there."""
        return self.fold[self.place][2]


def folded(records: Sequence[Record]) -> list[Record]:
    """The same messages, folded together; texts hold no halves of characters."""
    fold = Fold(zlib.compress(msgspec.msgpack.encode([(r.text, r.key, r.source) for r in records]), _LEVEL))
    return [
        Folded(**{**asdict(one), "key": 0, "text": "", "source": _NOWHERE}, fold=fold, place=place)
        for place, one in enumerate(records)
    ]


@lru_cache(_OPEN)
def _opened(fold: Fold) -> list[tuple[str, int, Source]]:
    return msgspec.msgpack.decode(zlib.decompress(fold.packed), type=list[tuple[str, int, Source]])
