"""What several compactions come to: means of coverage, sums of breaks. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from memd.report.breaks import KINDS as BREAKS
from memd.report.needs import KINDS
from memd.report.told import Compacted, Measured, Told

TEXTS = ("memd", "summary", "both")


class Mean(Struct, frozen=True):
    """One sort of text over the compactions that have it: the mean of each kind, of the means, and of the sizes."""

    count: int
    shares: Mapping[str, float]
    mean: float
    words: float | None
    tokens: int


class Broken(Struct, frozen=True):
    """Breaks over the compactions that have a control: so many calls on each side."""

    calls: int
    after: Mapping[str, int]
    control: Mapping[str, int]


class Overall(Struct, frozen=True):
    """All compactions of a report; a text that none of them has is None."""

    compactions: int
    texts: Mapping[str, Mean | None]
    broken: Broken


def overall(told: Iterable[Told]) -> Overall:
    """What sessions come to together; each compaction counts alike."""
    every = [one for session in told for one in session.compactions]
    return Overall(
        len(every), {name: _mean([m for one in every if (m := text(one, name))]) for name in TEXTS}, broken(every)
    )


def text(one: Compacted, name: str) -> Measured | None:
    """One of the three texts, where something was needed that it could have."""
    found: Measured | None = getattr(one, name)
    return found if one.needed.needed else None


def _mean(texts: Sequence[Measured]) -> Mean | None:
    if not texts:
        return None
    covered = [one.coverage for one in texts]
    by_kind = {kind: [one.shares[kind] for one in covered if kind in one.shares] for kind in KINDS}
    words = [one.words for one in covered if one.words is not None]
    return Mean(
        len(texts),
        {kind: fmean(values) for kind, values in by_kind.items() if values},
        fmean(one.mean for one in covered),
        fmean(words) if words else None,
        round(fmean(one.tokens for one in texts)),
    )


def broken(every: Iterable[Compacted]) -> Broken:
    """The breaks of some compactions together."""
    pairs = [(one.after, one.control) for one in every if one.after and one.control]
    after, control = ([pair[side].tally() for pair in pairs] for side in (0, 1))
    return Broken(sum(one.calls for one, _ in pairs), _sum(after), _sum(control))


def _sum(tallies: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {kind: sum(one[kind] for one in tallies) for kind in BREAKS}
