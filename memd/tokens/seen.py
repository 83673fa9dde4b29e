"""What was counted before, by a hash of the text, so that unchanged text costs no second count and is not kept.

Two dictionaries: when the newer one has `limit` counts it becomes the older one, and what that held and nobody asked for since
is forgotten. So a look is a look into a dictionary or two; one refresh looks some thousand times. Nothing is locked: a step is
one operation of a dictionary, and of two threads that do the same at once one counts again at worst.
"""

from collections.abc import Callable, Iterable

from memd.model.once import key


class Seen:
    """At least the last `limit` counts that were asked for, at most twice as many (80 bytes each)."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._newer: dict[int, int] = {}
        self._older: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._newer.keys() | self._older.keys())

    def get(self, text: str) -> int | None:
        """The count of this text, if it is still known."""
        known = hash(text) << 32 | len(text)  # `key`, which is called too often here
        count = self._newer.get(known)
        if count is None and (count := self._older.get(known)) is not None:
            self._put(known, count)
        return count

    def total(self, texts: Iterable[str], counted: Callable[[str], int]) -> int:
        """What texts have together; those that are not known are counted. One loop, since a checkpoint has thousands of lines."""
        total, newer = 0, self._newer
        for text in texts:
            count = newer.get(hash(text) << 32 | len(text))
            if count is None and (count := self.get(text)) is None:
                self.put(text, count := counted(text))
            newer = self._newer
            total += count
        return total

    def put(self, text: str, count: int) -> None:
        """Remember the count of this text."""
        self._put(key(text), count)

    def _put(self, known: int, count: int) -> None:
        newer = self._newer
        newer[known] = count
        if len(newer) >= self._limit:
            self._newer, self._older = {}, newer
