"""Strings by how much they count, best first.

Since nothing ages, what is mentioned moves and all others stay in their order. So after a turn those that moved are put among the
others; names that end alike count for each other and move together.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from memd.extract.mentions import MEMO, Mentions, Rank

VARIANT = 5
"""Another form of a name (`b.size` beside `a.size`) counts so many times less."""
_AT_ONCE = 500
"""So many of those that stayed are gone through at a time: of several thousand hardly more than a thousand are ever asked for."""
_FEW = 0.1
"""Up to such a share of all they are moved one by one, else all are sorted."""


def ranked(found: Mentions) -> Iterator[Rank]:
    """The strings that have a home, best first."""
    scores, at = _scores(found), 0
    moved = sorted(_ranks(found, scores))
    for start in range(0, len(found.order), _AT_ONCE):
        stayed = [rank for rank in found.order[start : start + _AT_ONCE] if rank[1] not in scores]
        upto = bisect_left(moved, stayed[-1], at) if stayed else at
        yield from sorted((*stayed, *moved[at:upto]))
        at = upto
    yield from moved[at:]


def in_order(found: Mentions) -> Mentions:
    """The same mentions with their order made: what is mentioned from now on moves."""
    scores, order = _scores(found), found.order
    if len(scores) <= len(order) * _FEW:
        for item in scores:
            if worth := found[item].worth:
                del order[bisect_left(order, (-worth, item))]
        for rank in _ranks(found, scores):
            insort(order, rank)
    else:
        order[:] = sorted((*(rank for rank in order if rank[1] not in scores), *_ranks(found, scores)))
    for worth, item in _ranks(found, scores):
        found[item].worth = -worth
    found.moved.clear()
    return found


def _ranks(found: Mentions, scores: dict[str, int]) -> Iterator[Rank]:
    return ((-score, item) for item, score in scores.items() if found[item].home is not MEMO)


def _scores(found: Mentions) -> dict[str, int]:
    """How much those count that moved, and are not where they were.

    Dotted names count for what they name: of all that end alike the most mentioned has the score of all, others a fifth.
    """
    scores = {item: found[item].score for item in found.moved}
    for items in _groups(found):
        tallies = {item: found[item] for item in items}
        best = max(items, key=lambda item: (tallies[item].score, -tallies[item].place))  # the first of equals
        total = sum(tally.score for tally in tallies.values())
        scores |= {item: total if item == best else tally.score // VARIANT for item, tally in tallies.items()}
    return {item: score for item, score in scores.items() if score != found[item].worth}


def _groups(found: Mentions) -> Iterator[Sequence[str]]:
    """The names that end like one that moved, where there are several."""
    ends = {item.rpartition(".")[2] for item in found.moved}
    return (items for items in map(found.alike, ends) if len(items) > 1)
