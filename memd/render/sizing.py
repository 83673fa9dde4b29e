"""Counting and cutting by tokens, passed in so that this room loads no tokenizer and tests can count words."""

from typing import Protocol

from memd.model.once import key


class Sizer(Protocol):
    """What counts tokens."""

    def count(self, text: str) -> int:
        """The tokens of a text."""
        ...

    def clip(self, text: str, budget: int) -> str:
        """The longest prefix of whole characters within `budget` tokens."""
        ...


MOST = 16_384
"""Counts that are remembered (150 bytes each); of tens of thousands of messages each has its own."""


class Counted:
    """A sizer that counts a text once, for one composing: the same blocks are tried in several sizes. It keeps none of them."""

    def __init__(self, sizer: Sizer) -> None:
        self._sizer = sizer
        self._counts: dict[int, int] = {}
        self._clips: dict[tuple[int, int], str] = {}

    def count(self, text: str) -> int:
        """The tokens of a text."""
        at = hash(text) << 32 | len(text)  # `key`, which is called too often here
        if (known := self._counts.get(at)) is None:
            if len(self._counts) >= MOST:
                self._counts.clear()
            known = self._counts[at] = self._sizer.count(text)
        return known

    def clip(self, text: str, budget: int) -> str:
        """The longest prefix within `budget`."""
        if (known := self._clips.get(at := (key(text), budget))) is None:
            known = self._clips[at] = self._sizer.clip(text, budget)
        return known


def units(text: str) -> int:
    """The length in UTF-16 code units, which is what some tools limit."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def head_and_tail(text: str, budget: int, pointer: str, sizer: Sizer) -> str:
    """The text itself when it fits, else its head and its tail around a line that says where all of it is."""
    if sizer.count(text) <= budget:
        return text
    room = max(budget - sizer.count(pointer) - 4, 2)
    head = sizer.clip(text, room * 2 // 3)
    tail = _tail(text[len(head) :], room - sizer.count(head), sizer)
    return f"{head}\n{pointer}\n{tail}"


def _tail(text: str, budget: int, sizer: Sizer) -> str:
    """The longest suffix within the budget, found by halving."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if sizer.count(text[middle:]) <= budget else (middle + 1, high)
    return text[low:]
