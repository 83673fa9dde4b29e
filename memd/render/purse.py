"""What is left to spend, in tokens, and how fixed amounts shrink with it."""

from collections.abc import Iterator, Sequence

from memd.render.sizing import Sizer

FULL_SIZE = 4_000
"""Below so many tokens fixed amounts shrink in proportion."""


class Purse:
    """The tokens of one text. Only `take` and `headed` spend."""

    def __init__(self, budget: int, sizer: Sizer) -> None:
        self.left = budget
        self.sizer = sizer
        self.dropped: dict[str, int] = {}
        """How many blocks of each section did not fit."""
        self._scale = min(1.0, budget / FULL_SIZE)

    def fixed(self, amount: int) -> int:
        """A fixed amount, shrunk in proportion under the full size, never more than what is left."""
        return max(0, min(int(amount * self._scale), self.left))

    def cost(self, block: str) -> int:
        """What a block costs, with the end of its line."""
        return self.sizer.count(block) + 1

    def take(self, block: str) -> str:
        """Spend a block."""
        self.left -= self.cost(block)
        return block

    def clip(self, text: str, room: int) -> str:
        """The text, or its beginning and a sign that it was cut."""
        return text if self.sizer.count(text) <= room else self.sizer.clip(text, max(room - 1, 1)) + "…"


def headed(name: str, blocks: Sequence[str]) -> Iterator[str]:
    """Heading and blocks; the heading goes with the first block, so that no part ends in a heading."""
    if blocks:
        yield f"{heading(name)}\n{blocks[0]}"
        yield from blocks[1:]


def heading(name: str) -> str:
    """A section's heading with the blank line before it."""
    return f"\n## {name}"
