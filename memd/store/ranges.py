"""Which numbers are still part of the conversation after it went back. No SQL here.

In doubt more is kept: a rewind with an end that nobody knows takes nothing away, it only gives back what lies in the
ranges that are known.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from msgspec import Struct

Pair = tuple[int, int]


class Rewound(Struct, frozen=True):
    """One rewind in numbers: of the entries up to `upto` those inside `kept` are in force.

    `sure` tells whether all of its ends are known.
    """

    upto: int
    kept: tuple[Pair, ...]
    sure: bool

    def withdrawn(self, number: int, *, before: bool) -> bool:
        """Whether the entry is out of force after this, given whether it was before."""
        if number > self.upto or (before is False and not self.sure):
            return before
        return not any(first <= number <= last for first, last in self.kept)

    def outside(self) -> list[Pair]:
        """The runs of numbers to withdraw: none when the rewind is not sure."""
        if not self.sure:
            return []
        runs, start = [], 1
        for first, last in sorted(self.kept):
            if start < first:
                runs.append((start, first - 1))
            start = max(start, last + 1)
        return runs if start > self.upto else [*runs, (start, self.upto)]


def without(kept: tuple[Pair, ...], out: Iterable[int]) -> tuple[Pair, ...]:
    """The same without single numbers.

    >>> without(((1, 4), (6, 6)), [2, 6])
    ((1, 1), (3, 4))
    """
    gone, left = sorted(set(out)), list[Pair]()
    for start, last in kept:
        first = start
        for number in gone[bisect_left(gone, start) : bisect_right(gone, last)]:
            left += [(first, number - 1)] if first < number else []
            first = number + 1
        left += [(first, last)] if first <= last else []
    return tuple(left)


def bounds(numbers: Mapping[str, int], first: str | None, last: str | None, upto: int) -> Pair | None:
    """The range in numbers, or None when an end is unknown or the ends are the wrong way round."""
    start = 1 if first is None else numbers.get(first)
    end = upto if last is None else numbers.get(last)
    if start is None or end is None or (last is not None and start > end):
        return None
    return start, end
