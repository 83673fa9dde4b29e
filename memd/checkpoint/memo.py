"""The memo: which of the person's messages are candidates, and the list that is kept of them.

    - [x] #12 2026-11-29 22:54Z human.typed | preview

The program copies what is ticked from the record; nothing retypes it. The operator's prompts are always named so; where no human
message of grade proved or inferred is known, they stand in for the person's words. Boxes are decided by the person, else by a
model, else by the program.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from io import BytesIO
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from memd.extract.asked import goes_on, known
from memd.model import MEMO_CHANNELS, Channel, Record, Tick
from memd.model.once import once
from memd.model.text import clock, oneline
from memd.render import FIRST, Earlier, Entry, images_of

_BARE = frozenset({"", "ok", "okay", "yes", "y", "好", "好的"})
_LONGEST, _MARKS = max(map(len, _BARE)), ".!。！"
RELEASED = "released"
"""The note of an entry that a model has unticked."""


class Decided(Struct, frozen=True):
    """What was decided of boxes before, and which messages were taken back or replaced by a later one."""

    ticks: Mapping[int, Tick]
    replaced: Mapping[int, int]


NOTHING = Decided({}, {})


def entries(
    said: Iterable[Record], first: int | None, cited: frozenset[int] = frozenset(), decided: Decided = NOTHING
) -> tuple[Entry, ...]:
    """Every candidate, oldest first. Undecided ones are ticked but for what was taken back and what means nothing alone."""
    candidates = [r for r in said if r.channel in MEMO_CHANNELS]
    decided = _standing(decided, frozenset(r.number for r in candidates if not r.in_force))
    return tuple(_entry(record, first, cited, decided) for record in candidates)


def earlier(
    before: Iterable[Record], mission: Record | None, ended: Mapping[str, int] = MappingProxyType({})
) -> tuple[Earlier, ...]:
    """What a fork's sources have and its own file has not, by source, under the numbers that it has there.

    `ended` names those that a later message took back or replaced.
    """
    said, first = dict[str, list[Record]](), mission.copy_of if mission is not None and not mission.number else None
    for record in before:
        source, _, number = (record.copy_of or "").rpartition("#")
        said.setdefault(source, []).append(replace(record, number=int(number)))
    made = {
        source: entries(
            _known(records),
            next((r.number for r in records if r.copy_of == first), None),
            decided=Decided({}, {r.number: ended[of] for r in records if (of := r.copy_of or "") in ended}),
        )
        for source, records in said.items()
    }
    return tuple(Earlier(source, found, operators(found)) for source, found in made.items() if found)


def _known(said: list[Record]) -> list[Record]:
    """The person's words where any is known: one title stands over all that a source has."""
    human = [record for record in said if record.channel is not Channel.OPERATOR_HEADLESS]
    return human if any(known(record) for record in human) else said


def operators(memo: Collection[Entry]) -> bool:
    """Whether the operator's prompts stand in, since no human message is known."""
    known_ones = any(known(entry.record) for entry in memo)
    return not known_ones and any(entry.record.channel is Channel.OPERATOR_HEADLESS for entry in memo)


def _standing(decided: Decided, gone: frozenset[int]) -> Decided:
    """Without what rests on messages that were taken back: what they replaced is in force again, whoever released it for that."""
    back = {old for old, new in decided.replaced.items() if new in gone}
    ticks = {n: tick for n, tick in decided.ticks.items() if tick.person or tick.ticked or n not in back}
    return Decided(ticks, {old: new for old, new in decided.replaced.items() if old not in back})


def _entry(record: Record, first: int | None, cited: frozenset[int], decided: Decided) -> Entry:
    if record.undelivered:
        return Entry(record, ticked=False, note="undelivered")
    if record.withdrawn:
        return Entry(record, ticked=False, note="withdrawn")
    tick = decided.ticks.get(record.number)
    if tick is not None and tick.person:
        return Entry(record, ticked=tick.ticked, note=FIRST if tick.ticked else RELEASED)
    if record.number in decided.replaced:
        return Entry(record, ticked=False, note=f"replaced by #{decided.replaced[record.number]}")
    if record.number == first:  # the mission's own message is released by nobody but the person
        return Entry(record, ticked=True, note=FIRST)
    if tick is not None and not tick.ticked:
        return Entry(record, ticked=False, note=RELEASED)
    if record.number in cited:
        return Entry(record, ticked=True, note=FIRST)
    return Entry(record, ticked=tick is not None or not bare(record))


def bare(record: Record) -> bool:
    """Whether it means nothing alone: "continue", or a command without words. A short answer stands with its question."""
    if record.channel is Channel.HUMAN_ANSWER or record.extra.get("images"):
        return False
    text = record.text.strip()
    return (not text[_LONGEST:].strip(_MARKS) and text.lower().rstrip(_MARKS) in _BARE) or goes_on(text)


def document(memo: Sequence[Entry]) -> bytes:
    """memo.md, put together without a list of its lines or a copy beside it."""
    text = BytesIO()
    text.write(b"# Memo\n\n")
    text.writelines(f"{_line(entry)}\n".encode("utf-8", "replace") for entry in memo)
    text.write(b"" if memo else b"(no messages yet)\n")
    return text.getvalue()


@once(1_024)
def _line(entry: Entry) -> str:
    record = entry.record
    box = "x" if entry.ticked else " "
    note = f" ({entry.note})" if entry.note not in {"", FIRST} else ""
    preview = " ".join(filter(None, (oneline(record.text, 100), images_of(record)))) or "(no text)"
    return f"- [{box}] #{record.number} {clock(record.at)} {record.channel.value}{note} | {preview}"
