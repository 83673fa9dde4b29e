"""The anchors' noun: a place in the project that was worked on."""

from msgspec import Struct


class Anchor(Struct, frozen=True):
    """A file, or something in it.

    Attributes:
        path: relative to the project's root.
        name: the function, config key or constant in it; empty for the file itself.
        kind: `file`, `function`, `key` or `constant`.
        at: when it was used last, milliseconds since the epoch.
        stale: it was looked for and not found.
    """

    path: str
    name: str
    kind: str
    at: int
    stale: bool = False

    @property
    def shown(self) -> str:
        """As people and agents see it.

        >>> Anchor("src/a.py", "load", "function", 0).shown
        'src/a.py:load'
        """
        return f"{self.path}:{self.name}" if self.name else self.path
