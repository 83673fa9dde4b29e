"""Byte pair encoding: neighbours that are the token of the lowest rank become one, the leftmost first, until no two are a token.

Neighbours wait in a heap, by rank and place: so a run of thousands of letters costs little more for each than a word does.
"""

from heapq import heapify, heappop, heappush

from memd.tokens.table import NONE, Table

_PLACES = 1 << 20
"""More than a piece has bytes; a rank and a place are one number in the heap."""


def ends(piece: bytes, table: Table) -> list[int]:
    """Where its tokens end."""
    if table.rank(piece) != NONE:
        return [len(piece)]
    after = _merged(piece, table)
    found = [after[0]]
    while (end := found[-1]) < len(piece):
        found.append(after[end])
    return found


def _merged(piece: bytes, table: Table) -> list[int]:
    """Where what begins at a place ends.

    A part is known by where it begins. Beside its end it has where the one before begins, and its rank with the next one:
    what the heap says of it otherwise is from before one of the two grew.
    """
    size, rank_of, ranks = len(piece), table.rank, [*table.pairs(piece), NONE]
    after, before = list(range(1, size + 1)), list(range(-1, size - 1))
    heap = [rank * _PLACES + at for at, rank in enumerate(ranks) if rank != NONE]
    heapify(heap)
    while heap:
        rank, at = divmod(heappop(heap), _PLACES)
        if ranks[at] != rank:
            continue
        gone = after[at]
        end = after[at] = after[gone]
        ranks[gone] = ranks[at] = NONE
        if end < size:
            before[end] = at
            if (together := rank_of(piece[at : after[end]])) != NONE:
                ranks[at] = together
                heappush(heap, together * _PLACES + at)
        if (first := before[at]) >= 0:
            ranks[first] = together = rank_of(piece[first:end])
            if together != NONE:
                heappush(heap, together * _PLACES + first)
    return after
