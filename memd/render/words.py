"""What people said, message by message: the memo within its share, and what is left of their words where room is.

Over the room go first the directing message, what the mind cites and what the person ticked; then what was said once, newest
first; then what was said again with other values; last what was said again word for word, since it comes again by itself.
Words that stand twice are shown once, under the number of the last time.
"""

from array import array
from collections.abc import Iterator, Sequence

from memd.model import Channel, Record, marks
from memd.model.once import once
from memd.model.text import clock, oneline
from memd.render.content import FIRST, Content, Entry, images_of
from memd.render.listing import Listing, Lists, came
from memd.render.purse import Purse, headed, heading

ENTRY, LEAST = 300, 24
"""Tokens of one entry, and how few it may shrink to."""
HOUR = 3_600_000
"""Milliseconds between two messages after which the second shows its time."""
PREVIEW = 60
"""Characters of a message that fell out, where it has at least twice as many."""


class Said:
    """All lists at one size, below what stands `above`."""

    def __init__(self, lists: Lists, above: str, purse: Purse) -> None:
        content, whose = lists.content, "the operator's prompts (headless)"
        who = f"Memo: {whose}, verbatim" if content.operator else "Memo, verbatim"
        self._purse = purse
        forks = [
            tuple(
                f"{title} before the fork, in {one.name}{f': {whose}' * one.operator}, verbatim"
                for title in ("Said", "Also said")
            )
            for one in content.earlier
        ]
        beside = ("The operator's prompts (headless), verbatim", "Also from the operator (headless)")
        self._titles = (who, "Also said"), *forks, beside, ("Prompts, sender not known", "Also sent")
        self._lists = [Words(lists.content, listing, purse) for listing in lists.below(above)]

    def memo(self, room: int) -> None:
        """What fits into the room of the memo; the prompts have what that leaves of it."""
        for words, (title, _) in zip(self._lists, self._titles, strict=True):
            before = self._purse.left
            words.take(title, room)
            room -= before - self._purse.left

    def more(self, room: int) -> None:
        """What else fits, where room is left; it stands in lists of its own."""
        for words, (_, title) in zip(self._lists, self._titles, strict=True):
            words.take(title, min(room, self._purse.left))

    def blocks(self) -> Iterator[str]:
        """All that was taken."""
        for words in self._lists:
            yield from words.blocks()


def listed(content: Content, missions: Sequence[str]) -> list[list[Entry]]:
    """The ticked messages, those of a fork's sources, the operator's beside a person's, and the prompts of nobody known.

    Of these the one that the mission comes from stays first; they bind nobody.
    """
    mission = "".join(missions[:1])
    sent = (
        Entry(record, ticked=True, note=FIRST if mission.endswith(f"(#{record.number})") else "")
        for record in content.unstated
    )
    own, beside = list[Entry](), list[Entry]()
    for entry in content.memo:
        theirs = entry.record.channel is Channel.OPERATOR_HEADLESS and not content.operator
        (beside if theirs else own).append(entry)
    memos = [own, *(one.entries for one in content.earlier), beside]
    return [*([entry for entry in memo if entry.ticked] for memo in memos), list(sent)]


class Words:
    """One of the lists at one size. `take` decides which messages are shown, and pays for them."""

    def __init__(self, content: Content, listing: Listing, purse: Purse) -> None:
        self._content, self._listing, self._purse = content, listing, purse
        self._room = max(purse.fixed(ENTRY), LEAST)
        self._lists = dict[str, set[int]]()
        self._spared = 0

    def take(self, title: str, room: int) -> None:
        """Take what fits into `room` and was not taken yet, for a list with this title."""
        head = 0 if title in self._lists else self._purse.cost(heading(title))
        left, room = self._left(), min(room, self._purse.left) - head
        if not left or room <= 0:
            return
        costs, cheapest = self._priced()
        if sum(map(costs.__getitem__, left)) > room and not self._spared:
            self._spared = self._purse.cost(self._summary(left))
            self._purse.left -= self._spared
            room -= self._spared
        kept, taken = set[int](), self._taken()
        for place in self._listing.ranked:
            if room < cheapest:
                break
            if costs[place] <= room and place not in taken:
                kept.add(place)
                room -= costs[place]
        if kept or not self._lists:
            self._purse.left -= head + sum(costs[place] for place in kept)
            self._lists[title] = self._lists.get(title, set()) | kept

    def blocks(self) -> Iterator[str]:
        """The lists; in the first one what was left out is named where it is missing."""
        out = self._left()
        self._purse.left += self._spared
        for number, (title, kept) in enumerate(self._lists.items()):
            shown = [self._listing.records[place] for place in sorted(kept)]
            lines = [self._line(record, before) for record, before in zip(shown, [None, *shown], strict=False)]
            older = sum(place < out[0] for place in kept) if out else 0
            fallen = list(self._fallen(out)) if out and number == 0 else []
            yield from headed(title, [*lines[:older], *fallen, *lines[older:]])

    def _priced(self) -> tuple["array[int]", int]:
        """What the line of each costs, and the cheapest."""
        known, listing = self._listing.costs, self._listing
        if self._room not in known:
            told = {*listing.later, *listing.times}
            lines = (
                _plain(one, "") if one.number not in told and self._short(one.text) else self._line(one, one)
                for one in listing.records
            )
            costs = array("L", map(self._purse.cost, lines))
            known[self._room] = costs, min(costs, default=0)
        return known[self._room]

    def _taken(self) -> set[int]:
        return set[int]().union(*self._lists.values())

    def _left(self) -> "array[int]":
        taken, every = self._taken(), range(len(self._listing.records))
        return array("L", (place for place in every if place not in taken) if taken else every)

    def _line(self, record: Record, before: Record | None) -> str:
        """Number, time, way and words of a message, how often it was said, and where with other values."""
        later, times = self._listing.later.get(record.number), self._listing.times.get(record.number, 1)
        like = f" (said {times} times)" if times > 1 else f" (again in #{later} with other values)" if later else ""
        at = before.at if before is not None else self._content.at
        if before is record and self._short(record.text):
            return _plain(record, like)
        way, words = _whole(record) if self._short(record.text) else (came(record), self._words(record))
        return f"#{record.number}{_time(record.at, at)}{way}{like}:{words}"

    def _short(self, text: str) -> bool:
        """Whether it fits for certain: a token has a byte at least, so most messages need no count."""
        return len(text) <= self._room and (text.isascii() or len(text.encode("utf-8", "surrogatepass")) <= self._room)

    def _words(self, record: Record) -> str:
        """The message itself: behind its head when it is a single line, else from the next line on."""
        text, cut = record.text, ""
        if not self._short(text) and self._purse.sizer.count(text) > self._room:
            text, cut = self._purse.sizer.clip(text, self._room), "\n[… cut here]"
        return _behind(record, text, cut)

    def _fallen(self, out: "array[int]") -> Iterator[str]:
        """A line for each of the newest messages that fell out, and one for all that are older."""
        lines, older = list[str](), out[:]
        while older:
            record = self._listing.records[older[-1]]
            line = f"#{record.number} (left out) {oneline(record.text, PREVIEW)}"
            dear = len(line) * 2 > len(self._line(record, record))
            if dear or self._purse.cost(line) + self._purse.cost(self._summary(older)) > self._purse.left:
                yield self._purse.take(self._summary(older))
                break
            lines.append(self._purse.take(line))
            older.pop()
        yield from reversed(lines)

    def _summary(self, places: Sequence[int]) -> str:
        first, last = (self._listing.records[places[end]].number for end in (0, -1))
        return f"(left out: {f'#{first}' if first == last else f'{len(places)}, #{first} to #{last}'})"


@once(2_048)
def _whole(record: Record) -> tuple[str, str]:
    """How a message came, and all of it."""
    return came(record), _behind(record, record.text, "")


@once(2_048)
def _plain(record: Record, like: str) -> str:
    """The line of a message that needs no time."""
    way, words = _whole(record)
    return f"#{record.number}{way}{like}:{words}"


def _behind(record: Record, text: str, cut: str) -> str:
    images, shown = images_of(record), _shown(text)
    return f"{shown if text.strip() else ''}{cut}{f' {images}' if images else ''}"


@once(2_048)
def _shown(text: str) -> str:
    """A message's words behind its head."""
    return f" {text}" if text.isprintable() else f"\n{marks.escape(text)}"


def _time(at: int | None, before: int | None) -> str:
    """The time of a message where an hour lies between it and another time, the day where that differs."""
    if at is None or before is None or abs(before - at) < HOUR:
        return ""
    same = clock(before)[:10] == clock(at)[:10]
    return f" {clock(at)[11:] if same else clock(at)}"
