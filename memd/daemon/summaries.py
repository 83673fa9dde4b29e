"""What became of the client's own summaries: one that failed, and compactions that follow each other without end."""

from collections.abc import Sequence

from memd.model import Boundary, Channel
from memd.store import Store

CLOSE, RUN = 3, 3
"""So few turns between compactions are close; so many in a row, each close to the last, free nothing that lasts."""


def failed(store: Store, session: str, boundaries: Sequence[Boundary], upto: int | None = None) -> bool:
    """Whether what stands for the conversation since the last compaction is an error message and no summary of it."""
    if not boundaries:
        return False
    found = store.messages(session, after=boundaries[-1].number, upto=upto, channels={Channel.HARNESS_SUMMARY}, last=1)
    return bool(found) and bool(found[0].extra.get("failed"))


def thrashing(store: Store, session: str, boundaries: Sequence[Boundary]) -> int:
    """How many of the last compactions came within a few turns of the one before and of now; 0 where that is no run of them."""
    ends = [boundary.number for boundary in boundaries] + [None]
    count = 0
    for after, upto in zip(reversed(ends[:-1]), reversed(ends[1:]), strict=True):
        begun = store.messages(
            session, after=after or 0, upto=upto, channels=[c for c in Channel if c.starts_turn], last=CLOSE
        )
        if sum(record.in_force for record in begun) >= CLOSE:
            break
        count += 1
    return count if count >= RUN else 0
