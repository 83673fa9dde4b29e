"""What people said, each thing once, in the order in which it gives way; it knows nothing of sizes.

Words that stand twice are one message, under the number of the last time; one that differs from a later one in nothing but values
says where that is.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from memd.model import Channel, Record, marks
from memd.model.once import key, once
from memd.model.text import oneline
from memd.render.content import FIRST, Content, Entry, images_of

_DIGIT = re.compile(r"\d")
"""What makes a word a value, in which two messages may differ and still say the same of another one."""
_SAYING = 5
"""Words beside its values that a message has at least, for such a likeness to mean anything."""

_LATER = {Channel.HUMAN_STEERED: " added while I worked", Channel.HUMAN_QUEUED: " queued"}


class Listing:
    """Messages of one kind, oldest first, what was said twice under the number of the last time. It knows nothing of sizes.

    There may be tens of thousands, so each is known by its place among them.

    Attributes:
        records: the messages; `ranked` their places, the one that stays longest first.
        times: how often those were said that were said again, by number; `later`: see `restated`.
        costs: by the room that a message has what the line of each costs, and the cheapest, for all sizes that are tried.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        last, again = dict[int, int](), dict[int, int]()
        for place, entry in enumerate(entries):
            said = _said(entry.record)
            if said in last:
                again[said] = again.get(said, 1) + 1
            last[said] = place
        self.times = {entries[last[said]].record.number: times for said, times in again.items()}
        kept = array("L", sorted(last.values()))
        del last, again
        self.records = [entries[place].record for place in kept]
        self.later = restated(self.records)
        self.ranked = self._ranked([entries[place].note for place in kept])
        self.costs: dict[int, tuple[array[int], int]] = {}

    def _ranked(self, notes: Sequence[str]) -> "array[int]":
        ranks: dict[tuple[bool, bool, bool], array[int]] = defaultdict(lambda: array("L"))
        for place, record in reversed([*enumerate(self.records)]):
            number = record.number
            ranks[notes[place] != FIRST, number in self.times, number in self.later].append(place)
        return array("L", chain.from_iterable(ranks[rank] for rank in sorted(ranks)))


class Lists:
    """The lists of a content: the memo, what a fork's sources have, and the prompts whose sender is not known."""

    def __init__(self, content: Content, entries: Sequence[Sequence[Entry]]) -> None:
        self.content = content
        added = {record.number for record in content.added}
        self._lists = [[entry for entry in one if entry.record != content.request] for one in entries]
        self._whole = {
            entry.record.number
            for one in self._lists
            for entry in one
            if (entry.note == FIRST or entry.record.number in added) and entry.record.text.strip()
        }
        self._made: dict[tuple[int, frozenset[int]], Listing] = {}

    def below(self, above: str) -> list[Listing]:
        """The messages that do not stand as the current request already, nor whole as the mission or an addition."""
        return [self._listing(place, above) for place in range(len(self._lists))]

    def _listing(self, place: int, above: str) -> Listing:
        shown = frozenset(
            entry.record.number
            for entry in self._lists[place]
            if entry.record.number in self._whole and marks.escape(entry.record.text) in above
        )
        if (place, shown) not in self._made:
            left = [entry for entry in self._lists[place] if entry.record.number not in shown]
            self._made[place, shown] = Listing(left)
        return self._made[place, shown]


@once(2_048)
def _said(record: Record) -> int:
    """What makes two messages the same; one with pictures is like no other."""
    way = f"{record.number}{images}" if (images := images_of(record)) else came(record)
    return key(f"{way}\0{record.text.strip()}")


def restated(records: Sequence[Record]) -> dict[int, int]:
    """Messages that differ from one later message in nothing but values: number -> number of the later.

    Whether it took the other's place, structure cannot tell; it says where to look. Three and more are a series of their own.
    """
    first, second, series = dict[int, int](), dict[int, int](), set[int]()
    for record in records:
        if same := _valueless(record.text):
            if (alike := key(same)) not in first:
                first[alike] = record.number
            elif alike not in second:
                second[alike] = record.number
            else:
                series.add(alike)
    return {first[alike]: number for alike, number in second.items() if alike not in series}


@once(1_024)
def _valueless(text: str) -> str:
    """A message with a 0 for each value, "" where it has none or says little beside; remembered by the text."""
    words = text.split()
    said = [
        "0" if _DIGIT.search(word) else word for word in words
    ]  # word by word: a pattern would try each of its letters
    values = sum(_DIGIT.search(word) is not None for word in words)
    return " ".join(said) if values and len(words) - values >= _SAYING else ""


def came(record: Record) -> str:
    """How a message came, where the list's title does not say it."""
    if record.extra.get("command"):
        return f" /{record.extra['command']}"
    if record.channel is not Channel.HUMAN_ANSWER:
        return _LATER.get(record.channel, "")
    if record.extra.get("refusal"):
        return " when refusing a tool call"
    if record.extra.get("allowed"):
        return " when allowing a tool call"
    return f" answer to my question {oneline(str(record.extra.get('question', '')), 160)!r}"
