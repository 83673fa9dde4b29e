"""How large the parts may be, in raw o200k tokens for windows of 192,000 and more, scaled down in proportion under that."""

from msgspec import Struct

FULL_WINDOW = 192_000
MIND = {"Where I am": 1_000, "Goals": 2_000, "Key decisions": 1_500, "Lessons": 1_500}
SCENE = 3_000
MEMO, ENTRY = 3_000, 300
"""All ticked messages together, and what one of them is shown of."""
SLACK = 1.2
"""A scene is to have about its size: it is at fault only this much above it."""


class Caps(Struct, frozen=True):
    """The caps for one window; None: it is not known, and taken for a full one."""

    window: int | None = None

    @property
    def scale(self) -> float:
        """What the numbers are multiplied by."""
        return min(1.0, (self.window or FULL_WINDOW) / FULL_WINDOW)

    def mind(self, section: str) -> int:
        """One section of mind.md."""
        return int(MIND[section] * self.scale)

    @property
    def scene(self) -> int:
        """The scene."""
        return int(SCENE * self.scale)

    @property
    def memo(self) -> int:
        """All ticked messages together."""
        return int(MEMO * self.scale)

    @property
    def entry(self) -> int:
        """One ticked message."""
        return int(ENTRY * self.scale)
