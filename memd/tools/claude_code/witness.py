"""The client's own prompt history as second witness: `history.jsonl`, a line for each thing that was typed on its screen.

Clients before 2.1 state no origin, so their rows cannot tell a typed prompt from a finished job's notification; the history
has the one and not the other (measured on 2.0.76). A line lifts an entry of its session with the same words, written within
half a minute, once; never one that the client's queue delivered, where a machine may have said the same.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from memd.model import Amend, Channel, Delivery, Envelope, Origin, Record, Wrapper
from memd.provenance import classify
from memd.tools import history
from memd.tools.fields import moment, string, table

NEAR = 30_000
"""Milliseconds between the history's line and the transcript's row (measured: under 1,000)."""
_PASTED = re.compile(r"\[Pasted text #(\d+)[^\]]*\]")
_LONG = re.compile(r"\[Pasted text #\d+ \+(\d{1,4}) lines\]")


class Typed(Struct, frozen=True):
    """One line of the history: what was typed and when; `shape` where a paste stands in it that the history has not."""

    at: int
    text: str
    shape: re.Pattern[str] | None = None

    def says(self, words: str) -> bool:
        """Whether these are the words that were typed."""
        return self.text == words if self.shape is None else self.shape.fullmatch(words) is not None


def typed(lines: Iterable[bytes], session: str) -> list[Typed]:
    """The lines of one session, in order; what is not one is passed over, for the history proves nothing by itself."""
    needle = session.encode()
    rows = (history.row(line) for line in lines if needle in line)
    return [found for row in rows if string(row, "sessionId") == session and (found := _typed(row)) is not None]


def _typed(row: dict[str, Any]) -> Typed | None:
    at, text = moment(row.get("timestamp")), string(row, "display")
    pasted = table(row, "pastedContents")
    whole = _PASTED.sub(lambda m: string(table(pasted, m[1]), "content") or m[0], text)
    return None if at is None or not whole.strip() else Typed(at, whole.strip(), _shape(whole.strip()))


def _shape(text: str) -> re.Pattern[str] | None:
    """A long paste is kept elsewhere; its placeholder tells how many lines it has, and the rest stands as it was."""
    parts = _LONG.split(text)
    if len(parts) == 1:
        return None
    lines = [rf"(?:[^\n]*\n){{{max(int(count) - 1, 0)},{count}}}[^\n]*" for count in parts[1::2]]
    words = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(a + b for a, b in zip(words, [*lines, ""], strict=True)))


def lift(records: Sequence[Record], lines: Iterable[bytes], session: str) -> list[Amend]:
    """What the history says of entries that nothing else attributes; `records` are all that it may have to do with.

    The same words may have been typed often: each line belongs to the entry that is nearest to it in time.
    """
    heard = _heard(records, typed(lines, session))
    lifted = [records[number] for number in sorted(heard)]
    return [_amend(r) for r in lifted if r.channel is Channel.UNATTRIBUTED and not r.extra.get("dequeued")]


def _heard(records: Sequence[Record], lines: Sequence[Typed]) -> set[int]:
    """Which entries have a line of their own, the nearest pairs first."""
    words: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        words.setdefault("" if line.shape else line.text, []).append(place)
    pairs = []
    for number, record in enumerate(records):
        said = history.as_typed(record)
        for place in (*words.get(said, ()), *words.get("", ())):
            apart = abs((record.at or 0) - lines[place].at)
            if apart <= NEAR and lines[place].says(said):
                pairs.append((apart, number, place))
    return history.nearest(pairs)


def _amend(record: Record) -> Amend:
    queued = Delivery.QUEUED if record.extra.get("queue") else Delivery.PROMPT
    delivery = Delivery.COMMAND if "command" in record.extra else queued
    wrapper = Wrapper.SHELL_INPUT if record.extra.get("shell") else None
    channel, grade = classify(Envelope(Origin.NONE, delivery, wrapper, witness=True))
    return Amend(record.key, channel=channel, grade=grade)
