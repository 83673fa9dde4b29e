"""The rest by value: which blocks of mind and scene are shown when not all fit."""

from collections.abc import Sequence

from memd.model import marks
from memd.render.purse import Purse, heading

VALUE = (
    ("Waiting on", 0.10),
    ("Current step", 0.15),
    ("Exact references", 0.60),
    ("Progress", 0.30),
    ("Key decisions", 0.15),
    ("Workstreams", 0.05),
    ("Pitfalls", 0.10),
    ("Where I am", 0.05),
    ("Lessons", 0.10),
)
"""The rest by value, each with the share of what is left that it may take before the others had their turn."""
EMPTY = frozenset({"(none)", "(none recorded)", "(no task list)"})
"""What a writer puts into a section that has nothing."""
SHORTEST = 40
"""Tokens under which the beginning of a block says nothing."""


class Shelf:
    """The blocks of every section, and which of them are taken."""

    def __init__(self, sections: dict[str, list[str]], purse: Purse) -> None:
        self._sections = {name: [b for b in rows if b.strip() not in EMPTY] for name, rows in sections.items()}
        self._purse = purse
        self._taken: dict[str, dict[int, str]] = {}

    def fill(self, name: str, room: int) -> None:
        """Take the blocks of a section that fit into `room`, in order; a long one that does not fit is cut after a line."""
        taken = self._taken.setdefault(name, {})
        room = min(room, self._purse.left)
        for place, block in enumerate(self._sections.get(name, [])):
            extra = 0 if taken else self._purse.cost(heading(name))
            shown = "" if place in taken else self._fitting(block, room - extra)
            if shown:
                taken[place] = shown
                room -= extra + self._purse.cost(shown)
                self._purse.left -= extra + self._purse.cost(shown)

    def _fitting(self, block: str, room: int) -> str:
        if self._purse.cost(block) <= room:
            return block
        rows = block.split("\n")
        while len(rows) > 2 and room >= SHORTEST:
            rows = rows[:-1]
            cut = "\n".join([*rows, "  > …"])
            if self._purse.cost(cut) <= room:
                return cut
        return ""

    def shown(self, name: str) -> list[str]:
        """What was taken of a section, in its order."""
        taken = self._taken.get(name, {})
        return [taken[place] for place in sorted(taken)]

    def left_out(self) -> dict[str, int]:
        """How many blocks of each section were not taken."""
        missing = {name: len(self._sections.get(name, [])) - len(taken) for name, taken in self._taken.items()}
        return {name: count for name, count in missing.items() if count > 0}


def by_value(shelf: Shelf, purse: Purse) -> None:
    """A first turn within each section's share, a second for what is left over."""
    room = purse.left
    for name, share in VALUE:
        shelf.fill(name, int(room * share))
    for name, _ in VALUE:
        shelf.fill(name, purse.left)


def quoted(text: str) -> str:
    """A text with every line marked as a quotation, so that nothing in it can pass for more."""
    return "\n".join(f"> {row}".rstrip() for row in marks.escape(text.strip()).splitlines())


def names(sections: Sequence[str]) -> list[str]:
    """The commands' words for the files that hold these sections."""
    mind = {"Workstreams", "Where I am", "Key decisions", "Lessons"}
    return sorted({"mind" if name in mind else "scene" for name in sections})
