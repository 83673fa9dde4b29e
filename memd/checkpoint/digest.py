"""What happened since the last judged checkpoint, told to a model within a budget.

Entries in the record's order: a head at the line's start (number, time, channel), the words below it indented, so that
nothing in them can pass for a head. Where all of it is too long, less is told of each; where that is still too long, only the
older part, at most half, is told, and the rest is left for the next time.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memd.extract import work
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import clock, line, oneline
from memd.render.sizing import Sizer, head_and_tail

ROOM = 24_000
"""Tokens of a digest for a full window. Each round of tools sends it again, mostly from the provider's cache."""


class Detail(Struct, frozen=True):
    """How much is told: tokens of a person's message, of any other text; and of calls only those that changed something."""

    words: int
    text: int
    calls: bool


_DETAILS = (Detail(1_500, 600, calls=True), Detail(800, 200, calls=True), Detail(400, 80, calls=False))
_FIRST = 80
"""Characters of an entry in an index."""
_CHANGING = frozenset({Kind.EDIT, Kind.CREATE, Kind.COMMAND, Kind.PLAN, Kind.ASK, Kind.AGENT, Kind.SCHEDULE, Kind.STOP})


class Digest(Struct, frozen=True):
    """The text, the last number that it tells of, and whether that is the last that there is.

    `fork`: it only numbers what a fork of the session has before it.
    """

    text: str
    upto: int
    whole: bool
    fork: bool = False


def digest(records: Sequence[Record], calls: Sequence[Done], upto: int, room: int, sizer: Sizer) -> Digest:
    """What these entries come to; `upto` is the session's last number."""
    entries = list[tuple[int, str]]()
    sizes = list[int]()
    for detail in _DETAILS:
        entries = sorted(
            [*_told(records, detail, sizer), *_called(calls, detail)], key=lambda entry: entry[0]
        )  # stable: a message comes before the call that was recorded under its number
        sizes = [sizer.count(text) for _, text in entries]
        if sum(sizes) <= room:
            return Digest("\n".join(text for _, text in entries) or "(nothing)", upto, whole=True)
    return _older(entries, sizes, min(room, sum(sizes) // 2))


def index(records: Sequence[Record], upto: int, room: int, sizer: Sizer) -> Digest:
    """The numbers of these entries with their first words, the newest where not all fit, for who has the conversation."""
    rows = list[str]()
    for record in reversed(records):
        row = f"{_head(record)}: {oneline(record.text, _FIRST)}"
        room -= sizer.count(row) + 1
        if room < 0:
            rows.append("(older ones are left out)")
            break
        rows.append(row)
    return Digest("\n".join(reversed(rows)) or "(nothing)", upto, whole=True, fork=True)


def _older(entries: Sequence[tuple[int, str]], sizes: Sequence[int], room: int) -> Digest:
    taken = list[str]()
    last = 0
    for (number, text), size in zip(entries, sizes, strict=True):
        room -= size
        if room < 0 and taken:
            break
        taken.append(text)
        last = number
    return Digest("\n".join(taken), last, whole=False)


def _told(records: Iterable[Record], detail: Detail, sizer: Sizer) -> Iterable[tuple[int, str]]:
    for record in records:
        person = record.channel.human or record.channel is Channel.OPERATOR_HEADLESS
        room = detail.words if person else detail.text
        text = head_and_tail(record.text.strip(), room, f"[… cut; the record has all of #{record.number} …]", sizer)
        yield record.number, f"{_head(record)}\n{_indented(text) or '  (no text)'}"


def _head(record: Record) -> str:
    state = " (withdrawn)" if record.withdrawn else " (never delivered)" if record.undelivered else ""
    asked = record.extra.get("question")
    question = f", answer to the agent's question {oneline(str(asked), 160)!r}" if asked else ""
    return f"#{record.number} {clock(record.at)} {record.channel.value}{state}{question}"


def _indented(text: str) -> str:
    return "\n".join(f"  {row}".rstrip() for row in text.splitlines())


def _called(calls: Iterable[Done], detail: Detail) -> Iterable[tuple[int, str]]:
    for done in calls:
        if detail.calls or done.kind in _CHANGING or done.state in {State.FAILED, State.REFUSED}:
            yield done.number, f"#{done.number} {_call(done)}"


def _call(done: Done) -> str:
    told = work.error_line(done) if done.state is State.FAILED else work.outcome(done)
    shown = f": {oneline(told, 160)}" if told else ""
    return f"{done.name} `{line(done.target, 200)}` {done.state.value}{shown}"
