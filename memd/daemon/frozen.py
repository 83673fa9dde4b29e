"""Texts that stand still: all parts of one compaction come from the same replies, whatever is written meanwhile."""

import time

from msgspec import Struct, field

from memd.store.folders import Replies

THAWS = 900.0
"""Seconds after which a text that nobody fetched is given up (a compaction's summary takes minutes at worst)."""
MOST = 32
"""So many stand still at a time, of some 40 kB each; the oldest is given up."""


class Frozen(Struct):
    """The replies of one compaction; `served` are the parts that were fetched."""

    replies: Replies
    at: float
    served: set[int] = field(default_factory=set)
    final: bool = False
    """The last look at the transcript lies behind; before it, what is here is only better than nothing."""


class Freezer:
    """The frozen texts by what they are for."""

    def __init__(self) -> None:
        self._texts: dict[str, Frozen] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def get(self, key: str, part: int) -> Frozen | None:
        """The text that this part is to come from; None where a new one begins.

        A part that is asked for twice is another compaction's.
        """
        text = self._texts.get(key)
        return None if text is None or part in text.served or time.monotonic() - text.at > THAWS else text

    def put(self, key: str, replies: Replies, *, final: bool = False) -> Frozen:
        """Let a text stand still from now on."""
        now = time.monotonic()
        self._texts = {old: text for old, text in self._texts.items() if old != key and now - text.at <= THAWS}
        self._texts[key] = text = Frozen(replies, now, final=final)
        while len(self._texts) > MOST:
            del self._texts[next(iter(self._texts))]
        return text

    def drop(self, key: str) -> None:
        """Give one up."""
        self._texts.pop(key, None)
