"""The client's own prompt history as second witness: `history.jsonl`, a line for each thing that was submitted on a screen.

It has what was typed, steered, queued, run with `!` or given to `/goal`, and nothing of `codex exec`, `codex queue`, other
programs or parent agents (measured on codex-cli 0.171.0). A line lifts an entry of its session with the same words, close in
time, once. It never lifts alone: where the client's own rows name somebody else, it is not asked.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memd.model import Amend, Channel, Delivery, Envelope, Origin, Record, Wrapper
from memd.provenance import classify
from memd.tools import history
from memd.tools.fields import moment, string

NEAR = 60_000
"""Milliseconds between the history's line and the transcript's row: the line has whole seconds, hooks run in between."""


class Typed(Struct, frozen=True):
    """One line of the history."""

    at: int
    text: str


def typed(lines: Iterable[bytes], session: str) -> list[Typed]:
    """The lines of one session, in order; what is not one is passed over, for the history proves nothing by itself."""
    needle = session.encode()
    rows = (history.row(line) for line in lines if needle in line)
    found = (
        (moment(row.get("ts")), string(row, "text").strip()) for row in rows if string(row, "session_id") == session
    )
    return [Typed(at, text) for at, text in found if at is not None and text]


def lift(records: Sequence[Record], lines: Iterable[bytes], session: str) -> list[Amend]:
    """What the history says of entries that nothing else attributes; `records` are all that it may have to do with."""
    heard = _heard(records, typed(lines, session))
    return [_amend(records[number]) for number in sorted(heard) if records[number].channel is Channel.UNATTRIBUTED]


def _heard(records: Sequence[Record], lines: Sequence[Typed]) -> set[int]:
    """Which entries have a line of their own, the nearest pairs first; entries of 2025 have no time, so their order counts."""
    words: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        words.setdefault(line.text, []).append(place)
    pairs = []
    for number, record in enumerate(records):
        for place in words.get(history.as_typed(record), ()):
            apart = 0 if record.at is None else abs(record.at - lines[place].at)
            if apart <= NEAR:
                pairs.append((apart, number, place))
    return history.nearest(pairs)


def _amend(record: Record) -> Amend:
    delivery = Delivery.STEERED if record.extra.get("steered") else Delivery.PROMPT
    wrapper = Wrapper.SHELL_INPUT if record.extra.get("shell") else None
    channel, grade = classify(Envelope(Origin.NONE, delivery, wrapper, witness=True))
    return Amend(record.key, channel=channel, grade=grade)
