"""Which compaction a text was given for. Pure."""

from collections.abc import Sequence

from memd.model import Boundary, Delivered

LATER = 60_000
"""Milliseconds within which a compaction's row may follow on what its hooks gave."""


def given_for(deliveries: Sequence[Delivered], boundaries: Sequence[Boundary]) -> list[Boundary | None]:
    """The compaction that each text was given for; None for one from before any. Deliveries oldest first.

    It is the last one that lay behind. Where that has its text already or is long past (memd may have come after it), or there
    was none, it is the next one if its row came right after: Claude Code writes that when it has asked its hooks.
    """
    by_ordinal, served, found = {one.ordinal: one for one in boundaries}, set[int](), list[Boundary | None]()
    for given in deliveries:
        last, coming = by_ordinal.get(given.compactions), by_ordinal.get(given.compactions + 1)
        past = last is None or last.ordinal in served or given.at - (last.at or given.at) > LATER
        if past:
            soon = coming is not None and coming.at is not None and given.at < coming.at < given.at + LATER
            last = coming if soon else last
        served.update([] if last is None else [last.ordinal])
        found.append(last)
    return found
