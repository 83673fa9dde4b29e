"""Answers of pure functions, worked out once: what a text or a call says never changes, and is asked for after every turn.

They are remembered by what was asked, the last `most` of each function, until there is nothing to do (`forget`).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_forgetting: list[Callable[[], None]] = []


def once(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Remember the answers to the last `most` questions; what is asked and what is answered must not change."""

    def remembering(function: Callable[P, T]) -> Callable[P, T]:
        remembered = lru_cache(maxsize=most)(function)
        _forgetting.append(remembered.cache_clear)
        return remembered  # type: ignore[return-value]  # it is called in the same way

    return remembering


def key(text: str) -> int:
    """What a text is known by where it is not to be kept: its own hash, which differs from process to process, beside its length.

    2^-64 that two are taken for one.
    """
    return hash(text) << 32 | len(text)


def forget() -> None:
    """Give the memory of all of them back."""
    for clear in _forgetting:
        clear()
