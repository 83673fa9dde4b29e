"""The rest by value: which blocks of mind and scene are shown when not all fit."""

from collections.abc import Sequence

from memd.model import marks
from memd.render.lists import CUT, PLACE, is_list, merged
from memd.render.purse import Purse, heading

VALUE = (
    ("Where I am", 0.10),
    ("Waiting on", 0.06),
    ("Current step", 0.06),
    ("Progress", 0.06),
    ("Exact references", 0.95),
    ("Key decisions", 0.15),
    ("Workstreams", 0.05),
    ("Pitfalls", 0.10),
    ("Skills", 0.05),
    ("Files", 0.10),
    ("Lessons", 0.10),
)
"""The rest by value, each with the share of what is left that it may take before the others had their turn."""
FILES = ("mind", "scene", "skills", "files")
"""What `memd show` is asked for to see what was left out."""
EMPTY = frozenset({"(none)", "(none recorded)", "(no task list)"})
"""What a writer puts into a section that has nothing."""
SHORTEST = 16
"""Tokens under which the beginning of a list says nothing."""


class Shelf:
    """The blocks of every section, and which of them are taken, whole or by their first rows."""

    def __init__(self, sections: dict[str, list[str]], purse: Purse) -> None:
        self._sections = {name: [b for b in rows if b.strip() not in EMPTY] for name, rows in sections.items()}
        self._purse = purse
        self._taken: dict[str, dict[int, str]] = {}

    def fill(self, name: str, room: int, *, details: bool = True) -> None:
        """Take the blocks of a section that fit into `room`, in order; without `details` their first rows alone.

        A long quotation that does not fit is cut after a line.
        """
        taken = self._taken.setdefault(name, {})
        room = min(room, self._purse.left)
        for place, block in enumerate(self._sections.get(name, [])):
            before = taken.get(place, "")
            if before == block:
                continue
            paid = self._purse.cost(before) if before else -(0 if taken else self._purse.cost(heading(name)))
            shown = self._fitting(block if details else _head(block), room + paid)
            if len(shown) > len(before):
                taken[place] = shown
                room -= self._purse.cost(shown) - paid
                self._purse.left -= self._purse.cost(shown) - paid

    def _fitting(self, block: str, room: int) -> str:
        """The block, or of a list the rows that fit, or the first strings of one; of a quotation its first rows."""
        if self._purse.cost(block) <= room:
            return block
        if not is_list(block) or room < SHORTEST:
            return ""
        head, *rows = block.split("\n")
        if rows[0].startswith("  >"):
            return self._quotation(head, rows, room)
        room -= self._purse.cost(head) + self._purse.cost(CUT)
        kept = list[str]()
        for row in rows:
            shown = row if self._purse.cost(row) <= room else self._strings(row, room)
            if shown:
                kept.append(shown)
                room -= self._purse.cost(shown)
        return "\n".join([head, *kept, CUT]) if kept else ""

    def _strings(self, row: str, room: int) -> str:
        """Of a row `place: strings` the place with as many strings as fit, two at least."""
        place, _, strings = row.partition(": ")
        words = strings.split(" ") if PLACE.match(row) else []
        while len(words) > 2:
            words.pop()
            shown = f"{place}: {' '.join(words)}"
            if self._purse.cost(shown) <= room:
                return shown
        return ""

    def _quotation(self, head: str, rows: Sequence[str], room: int) -> str:
        for end in range(len(rows) - 1, 0, -1):
            cut = "\n".join([head, *rows[:end], "  > …"])
            if self._purse.cost(cut) <= room:
                return cut
        return ""

    def shown(self, name: str) -> list[str]:
        """What was taken of a section, in its order."""
        taken = self._taken.get(name, {})
        return merged(taken[place] for place in sorted(taken))

    def left_out(self) -> dict[str, int]:
        """How many blocks of each section were not taken."""
        missing = {name: len(self._sections.get(name, [])) - len(taken) for name, taken in self._taken.items()}
        return {name: count for name, count in missing.items() if count > 0}


def _head(block: str) -> str:
    """A block without its details: its first row, with a sign that there is more; the rows of a list are no details."""
    rows = block.split("\n")
    return block if len(rows) == 1 or is_list(block) else f"{rows[0]} …"


def by_value(shelf: Shelf, purse: Purse) -> None:
    """First rows within each section's share, then details within it, then whatever is left over."""
    for details in (False, True):
        room = purse.left
        for name, share in VALUE:
            shelf.fill(name, int(room * share), details=details)
    for name, _ in VALUE:
        shelf.fill(name, purse.left)


def quoted(text: str) -> str:
    """A text with every line marked as a quotation, so that nothing in it can pass for more."""
    return "\n".join(f"> {row}".rstrip() for row in marks.escape(text.strip()).splitlines())


def file(section: str) -> str:
    """The command's word for the file that holds a section."""
    if section in {"Skills", "Files"}:
        return section.lower()
    return "mind" if section in {"Workstreams", "Where I am", "Key decisions", "Lessons"} else "scene"
