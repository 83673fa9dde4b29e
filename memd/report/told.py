"""What a report tells of a session: each compaction with its coverage and breaks, and what the chart needs. Pure."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Protocol

from msgspec import Struct

from memd.model import Boundary, Channel, Checkpoint, Fill, Record, Session
from memd.report import breaks, needs
from memd.report.breaks import Window
from memd.report.past import Past, case


class How(StrEnum):
    """Where the text comes from that is measured as memd's."""

    GIVEN = "given"
    """The transcript shows it, or the tool's plugin says that it went in."""
    HANDED = "handed"
    """A hook took it, and nothing shows that it went in."""
    COMPUTED = "computed"
    """memd gave nothing at this compaction; what it makes of the record before it."""


class Given(Struct, frozen=True):
    """A text of memd's for one compaction; `number` is its checkpoint's, None where it was computed."""

    how: How
    text: str
    number: int | None = None


class Measured(Struct, frozen=True):
    """A text's size in o200k tokens, and what it covers."""

    tokens: int
    coverage: needs.Coverage


class Compacted(Struct, frozen=True):
    """One compaction.

    Attributes:
        boundary: the compaction itself.
        needed: how many of each kind were needed, before any text is looked at.
        given: where memd's text comes from; None where memd has none (a sub-agent).
        memd: memd's text.
        summary: the tool's own summary; None where its transcript has none that can be read.
        both: the two together; None where one of them is missing.
        after: the calls after the compaction; None where there are too few for a comparison.
        control: the calls before it.
    """

    boundary: Boundary
    needed: needs.Coverage
    given: Given | None
    memd: Measured | None
    summary: Measured | None
    both: Measured | None
    after: Window | None
    control: Window | None


class Told(Struct, frozen=True):
    """One session."""

    session: Session
    compactions: tuple[Compacted, ...]
    fills: tuple[Fill, ...]
    checkpoints: tuple[Checkpoint, ...]
    """Those that are kept, oldest first."""
    window: int | None
    """The model's context window in tokens."""
    whole: bool
    """What was known before is taken from the transcript; else from the record alone."""


class Count(Protocol):
    """What counts tokens."""

    def count(self, text: str) -> int: ...


def compacted(past: Past, boundary: Boundary, given: Given | None, sizer: Count) -> Compacted:
    """What one compaction comes to."""
    wanted, summary = case(past, boundary), summary_of(past, boundary)

    def measured(text: str) -> Measured:
        return Measured(sizer.count(text), needs.coverage(text, wanted))

    windows = breaks.windows(past, boundary)
    after, control = windows or (None, None)
    return Compacted(
        boundary,
        needs.coverage("", wanted),
        given,
        measured(given.text) if given else None,
        measured(summary) if summary else None,
        measured(f"{summary}\n{given.text}") if summary and given else None,
        after,
        control,
    )


def summary_of(past: Past, boundary: Boundary) -> str:
    """The tool's own summary of one compaction, empty where none can be read.

    It stands in the stretch, or directly before the compaction, for a tool that compacts once its summary is whole.
    """
    first, last = past.stretch(boundary)
    behind = [r for r in past.records if first < r.number <= last]
    later = _last(behind) if any(one.number == last for one in past.boundaries) else []
    before = _last([r for r in past.records if r.number <= first])
    mine = [*before, *(r for r in behind if r.channel is Channel.HARNESS_SUMMARY and r not in later)]
    return "\n".join(record.text for record in mine)


def _last(records: Sequence[Record]) -> list[Record]:
    """The summaries with which entries end."""
    found = list(takewhile(lambda record: record.channel is Channel.HARNESS_SUMMARY, reversed(records)))
    return found[::-1]
