"""What the machine would not let us do: told for as long as it waits, and hinted at again by and by."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from memd.errors import Fault, SourceUnreadable, told

AGAIN = 30.0
"""Seconds after which what the machine would not let us do is tried again."""
MACHINE = (Fault, OSError, MemoryError, ImportError)
"""What is the machine's doing, and may be over when it is tried again. A module that is imported when it is first needed cannot
be without memory or descriptors: where its file is a library, the loader says so by an ImportError."""
MOST = 1_000
"""The newest are told: where a whole disk is away, there are as many as files."""


class Held(Struct, frozen=True):
    """One thing that failed and was not done since.

    Attributes:
        what: the path of a transcript, or of the file that holds it; or the session whose checkpoint it is.
        code: the reason's code in `memd status`.
        why: what was in the way, a line.
    """

    what: str
    code: str
    why: str


class Again:
    """Changed by one thread; any may look at what is held."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._hints: dict[str, tuple[float, Callable[[], None]]] = {}

    def failed(self, what: str, code: str, error: Exception, hint: Callable[[], None] | None = None) -> None:
        """It waits; `hint` has it tried again, where nothing else does."""
        self._held.pop(what, None)
        self._held[what] = Held(what, code, told(error))
        if hint is not None:
            self._hints[what] = (time.monotonic() + AGAIN, hint)

    @contextmanager
    def reading(self, path: str, hint: Callable[[], None]) -> Iterator[None]:
        """A transcript that the machine does not let us read or record waits."""
        try:
            yield
        except MACHINE as error:
            unread = isinstance(error, SourceUnreadable)
            self.failed(path, "source-unreadable" if unread else "store-trouble", error, hint)
            raise
        self.done(path)

    def done(self, what: str) -> None:
        """It went well, if it ever failed."""
        self._held.pop(what, None)

    def held(self) -> tuple[Held, ...]:
        """What waits, the newest last."""
        return tuple(self._held.values())[-MOST:]

    def moments(self) -> list[float]:
        """When the hints are due, by the monotonic clock."""
        return [when for when, _ in self._hints.values()]

    def hint(self) -> None:
        """Give the hints that are due."""
        now = time.monotonic()
        for what in [what for what, (when, _) in self._hints.items() if when <= now]:
            self._hints.pop(what)[1]()
