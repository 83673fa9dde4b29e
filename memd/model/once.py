"""Answers of pure functions, worked out once: what a text or a call says never changes, and is asked for after every turn.

They are remembered by what was asked, the last `most` of each function, until there is nothing to do (`forget`).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E")
S = TypeVar("S")

_forgetting: list[Callable[[], None]] = []


def once(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Remember the answers to the last `most` questions; what is asked and what is answered must not change."""

    def remembering(function: Callable[P, T]) -> Callable[P, T]:
        remembered = lru_cache(maxsize=most)(function)
        _forgetting.append(remembered.cache_clear)
        return remembered  # type: ignore[return-value]  # it is called in the same way

    return remembering


class Carried(Generic[E, S]):
    """What entries come to, taken one after the other, for sequences that grow at their end.

    It goes on from where it was as long as what was taken is still the beginning of what is asked for, else it begins anew. So
    it is what taking all of them at once gives. Whoever asks must not change it.
    """

    def __init__(self, start: Callable[..., S], take: Callable[[S, E], None], sequences: int) -> None:
        """So many `sequences` are kept at a time, those that were asked for last; `start` is told what else they are `about`."""
        self._start, self._take, self._sequences = start, take, sequences
        self._kept: dict[str, tuple[Sequence[E], S]] = {}
        _forgetting.append(self._kept.clear)

    def __call__(self, name: str, entries: Sequence[E], *about: object) -> S:
        """What the entries of the sequence of this name come to."""
        taken, state = self._kept.pop(name, (entries[:0], self._start(*about)))
        if taken != entries[: len(taken)]:
            taken, state = entries[:0], self._start(*about)
        for entry in entries[len(taken) :]:
            self._take(state, entry)
        self._kept[name] = entries[:], state
        while len(self._kept) > self._sequences:
            del self._kept[next(iter(self._kept))]
        return state


def key(text: str) -> int:
    """What a text is known by where it is not to be kept: its own hash, which differs from process to process, beside its length.

    2^-64 that two are taken for one.
    """
    return hash(text) << 32 | len(text)


def forget() -> None:
    """Give the memory of all of them back."""
    for clear in _forgetting:
        clear()
