"""The o200k encoder: 50 MB that are there only while somebody counts.

Measured on Linux with Python 3.11 and tiktoken 0.14: loading takes 0.2-0.3 s and 50 MB, and `release` gives back all
but 6 MB of them.
"""

import ctypes
import threading
from typing import TYPE_CHECKING

from memd.tokens.ranks import PACKED, PATTERN, unpack

if TYPE_CHECKING:
    from tiktoken import Encoding


class Encoder:
    """Text into o200k tokens; loads itself at the first use. Safe to use from several threads."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._encoding: Encoding | None = None

    @property
    def loaded(self) -> bool:
        """Whether the ranks are in memory now."""
        return self._encoding is not None

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


def _load() -> "Encoding":
    from tiktoken import Encoding  # noqa: PLC0415  hot paths import this room and do not count

    ranks = {token: rank for rank, token in enumerate(unpack(PACKED.read_bytes()))}
    encoding = Encoding("o200k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    # The encoder has copied them; the Encoding keeps this dict only for pickling, and it is a third of the memory.
    ranks.clear()
    _return_freed_memory()
    return encoding


def _return_freed_memory() -> None:
    """Undo the C library's thrift: glibc keeps freed memory (here 27 MB) for later; others have no such call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
