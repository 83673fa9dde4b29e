"""What mentions of exact strings come to: how much each counts, where it was last, and its home.

As every call ages all mentions alike, a mention counts more than those before it instead, and nothing ages: so the sums of a turn
go on in the next. They are of integers, so that it makes no difference where they were taken up.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

from msgspec import Struct

from memd.model.once import once

FADE = 80.0
"""Tool calls after which a mention counts a factor e less."""
_UNIT = 20
"""Bits of what the first mention counts."""


class Home(Struct, frozen=True):
    """What a string is there for: `title` in words (`in changed files`), `place` which of them (a file, a message)."""

    title: str
    place: str = ""


MEMO, CHANGED, READ = Home(""), "changed", "read"
"""A person's words need no home: the memo shows them."""


Exact = tuple[str, str, str]
"""Kind, string and label, as `strings` gives them."""
Said = tuple[Home, Sequence[Exact]]
"""Of one text that somebody wrote the home and the strings."""


class Tally(Struct, gc=False):
    """What the mentions of one string so far come to: not frozen, for there are twice as many mentions as strings."""

    kind: str
    score: int
    number: int
    home: Home
    label: str
    place: int
    """How many strings were known before it."""
    worth: int = 0
    """What it counts where it stands in the order, 0 where it does not."""


Rank = tuple[int, str]
"""How much a string counts, less than nothing so that the best comes first, and itself."""


class Mentions:
    """What the mentions so far come to, in their order; with `before` those behind it, which leave it as it is.

    Attributes:
        calls: how many tool calls began so far.
        began: the entry with which the turn began.
        order: the strings that have a home, best first, as they were when it was made; see `ranking`.
        moved: those that were mentioned since.
    """

    def __init__(self, before: "Mentions | None" = None) -> None:
        self._before: Mapping[str, Tally] = before.tallies if before else {}
        self._own = dict[str, Tally]()
        self._alike_before: Mapping[str, Sequence[str]] = before._alike if before else {}  # noqa: SLF001 - its own kind
        self._alike: dict[str, list[str]] = {}
        self.order: list[Rank] = before.order if before else []
        self.moved = set[str]()
        self.calls: int = before.calls if before else 0
        self.began: int = before.began if before else 0

    @property
    def tallies(self) -> Mapping[str, Tally]:
        """Each string, in the order in which they were mentioned first."""
        return {**self._before, **self._own} if self._before else self._own

    def __getitem__(self, item: str) -> Tally:
        """What is known of a string."""
        return self._own.get(item) or self._before[item]

    def alike(self, item: str) -> list[str]:
        """The names of several parts that end like a string, and that end itself where it is one as well."""
        end = item.rpartition(".")[2]
        found = [*self._alike_before.get(end, ()), *self._alike.get(end, ())]
        return [end, *found] if found and (end in self._own or end in self._before) else found

    def add(self, number: int, said: Iterable[Said]) -> None:
        """What somebody said in an entry."""
        counts = weight(self.calls)
        for home, exact in said:
            for kind, item, label in exact:
                self.moved.add(item)
                if (known := self._known(item)) is None:
                    place = len(self._before) + len(self._own)
                    self._own[item] = Tally(kind, counts, number, home, label, place)
                    if kind == "name" and "." in item:
                        self._alike.setdefault(item.rpartition(".")[2], []).append(item)
                    continue
                known.score += counts
                known.number = number
                known.label = label or known.label  # the newest that there is
                if home is not MEMO and known.home.title != CHANGED:
                    known.home = home

    def _known(self, item: str) -> Tally | None:
        known = self._own.get(item)
        if known is None and (before := self._before.get(item)) is not None:
            known = self._own[item] = copy(before)
        return known


@once(4_096)
def weight(calls: int) -> int:
    """What a mention behind so many calls counts: twice as much for each FADE ln 2 of them."""
    doublings, part = divmod(calls / FADE / math.log(2), 1)
    return int(2 ** (part + _UNIT)) << int(doublings)
