"""The memo list in somebody else's hands: what is offered, and what came back. Only boxes may change."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from memd.checkpoint import memo
from memd.checkpoint.caps import Caps
from memd.render import Entry, Sizer

_LINE = re.compile(r"- \[([ xX])\] (#(\d+) .*)")
LISTED = 3
"""So many faults of one kind are told with their line."""


class Edited(Struct, frozen=True):
    """A list that came back: each box by number, and what else was changed."""

    boxes: Mapping[int, bool]
    faults: tuple[str, ...]


def offered(entries: Sequence[Entry], decided: memo.Decided) -> tuple[Entry, ...]:
    """What a model is asked about: what was ticked before, ticked, and what nobody decided on yet, without a tick."""
    return tuple(
        entry if entry.record.number in decided.ticks else replace(entry, ticked=False, note="")
        for entry in entries
        if entry.record.in_force
        and not entry.note.startswith("replaced")
        and (entry.ticked or entry.record.number not in decided.ticks)
    )


def read(given: str, edited: str) -> Edited:
    """What was made of a list; lines may differ in their boxes, and in blanks at their ends."""
    before = [row.rstrip() for row in given.splitlines() if row.strip()]
    after = [row.rstrip() for row in edited.splitlines() if row.strip()]
    wanted, found = [_boxless(row) for row in before], [_boxless(row) for row in after]
    boxes = dict[int, bool]()
    for match in filter(None, map(_LINE.fullmatch, after)):  # of a line that is there twice one tick is enough
        boxes[int(match[3])] = match[1] != " " or boxes.get(int(match[3]), False)
    if wanted == found:
        return Edited(boxes, ())
    return Edited(boxes, tuple(_faults(wanted, found)) or ("the lines are not in the order in which they were given",))


def _boxless(row: str) -> str:
    match = _LINE.fullmatch(row)
    return f"- [] {match[2]}" if match else row


def _faults(wanted: list[str], found: list[str]) -> list[str]:
    numbers = {_number(row): row for row in found if _number(row)}
    changed = [row for row in wanted if _number(row) in numbers and row not in found]
    missing = [row for row in wanted if row not in found and _number(row) not in numbers]
    known = {*wanted, *(numbers[_number(row)] for row in changed)}
    invented = [row for row in found if row not in known]
    doubled = [row for row in dict.fromkeys(found) if found.count(row) > wanted.count(row) and row in wanted]
    return [
        *_told("changed, though only boxes may be", changed),
        *_told("taken out", missing),
        *_told("added, though nothing may be", invented),
        *_told("there twice", doubled),
    ]


def _told(what: str, rows: list[str]) -> list[str]:
    told = [f"a line was {what}: {row.removeprefix('- [] ')[:80]!r}" for row in rows[:LISTED]]
    return [*told, f"{len(rows) - LISTED} more lines were {what}"] if len(rows) > LISTED else told


def _number(row: str) -> str:
    match = re.match(r"- \[\] #(\d+) ", row)
    return match[1] if match else ""


def over(entries: Sequence[Entry], boxes: Mapping[int, bool], caps: Caps, sizer: Sizer) -> str:
    """By how much what is ticked is more than the memo's room; "" when it fits."""
    ticked = [entry.record for entry in entries if boxes.get(entry.record.number)]
    size = sum(min(sizer.count(record.text), caps.entry) for record in ticked)
    if size <= caps.memo:
        return ""
    return f"{len(ticked)} ticked messages have {size:,} tokens together, {caps.memo:,} are allowed: release the least"
