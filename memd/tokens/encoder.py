"""The o200k encoder: 45 MB that are there only while somebody counts.

Measured on Linux with Python 3.11 and tiktoken 0.14: loading takes 0.2-0.3 s and 45 MB, 50 at most, and `release` gives back all
but 4 MB of them.
"""

import ctypes
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from memd.tokens.ranks import PACKED, PATTERN, unpack

if TYPE_CHECKING:
    from tiktoken import Encoding

SIZE = 50 << 20
"""Bytes that it takes at most, while it is loaded."""
_END = "<|endoftext|>", 199_999
"""A special token of o200k and its number; nothing here is ever encoded as one."""


class Encoder:
    """Text into o200k tokens; loads itself at the first use. Safe to use from several threads."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._encoding: Encoding | None = None

    @property
    def loaded(self) -> bool:
        """Whether the ranks are in memory now."""
        return self._encoding is not None

    def load(self) -> None:
        """Have the ranks in memory."""
        self._get()

    def encode(self, text: str) -> list[int]:
        """The tokens of the text, which has no lone surrogates and is at most some ten thousand characters long.

        `encode_ordinary` panics on about a million blanks in a row, which no `except Exception` would catch; but,
        unlike `encode`, it takes "<|endoftext|>" for what it is here: words that somebody wrote.
        """
        return self._get().encode_ordinary(text)

    def characters(self, tokens: list[int]) -> int:
        """How many whole characters the tokens spell from the start; the last token may end within one."""
        return len(self._get().decode_bytes(tokens).decode("utf-8", "ignore"))

    def release(self) -> None:
        """Forget the ranks and give the memory back to the system, whatever else it was freed by; `encode` loads again."""
        with self._loading:
            self._encoding = None
        _return_freed_memory()

    def _get(self) -> "Encoding":
        encoding = self._encoding
        if encoding is not None:
            return encoding
        with self._loading:
            if self._encoding is None:
                self._encoding = _load()
            return self._encoding


class _Behind:
    """The number of a special token. tiktoken asks for it when it has read all ordinary ones, and copies these twice more then.

    The dictionary that they were read from goes in between: with it loading took 71 MB at most. Nothing is lost with it, the
    Encoding keeps it only for pickling.
    """

    def __init__(self, ranks: dict[bytes, int]) -> None:
        self._ranks = ranks

    def __index__(self) -> int:
        self._ranks.clear()
        return _END[1]

    def __gt__(self, other: int) -> bool:  # the Encoding looks for the greatest
        return other < _END[1]


def _load() -> "Encoding":
    from tiktoken import Encoding  # noqa: PLC0415  hot paths import this room and do not count

    make, ranks = partial(Encoding, "o200k", pat_str=PATTERN), _ranks()
    encoding = make(mergeable_ranks=ranks, special_tokens={_END[0]: _Behind(ranks)})  # type: ignore[dict-item]  # a number to tiktoken
    if not _knows(encoding, b" "):
        encoding = make(mergeable_ranks=_ranks(), special_tokens={})
    _return_freed_memory()
    return encoding


def _ranks() -> dict[bytes, int]:
    return {token: rank for rank, token in enumerate(unpack(PACKED.read_bytes()))}


def _knows(encoding: "Encoding", token: bytes) -> bool:
    """Whether it read the ordinary tokens: one that asks for special ones first finds none."""
    with suppress(KeyError):
        return encoding.encode_single_token(token) >= 0
    return False


def _return_freed_memory() -> None:
    """Undo the C library's thrift: glibc keeps freed memory for later; others have no such call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
