"""What was counted before, by a hash of the text, so that unchanged text costs no second count and is not kept."""

import threading
from collections import OrderedDict

from memd.model.once import key


class Seen:
    """The last `limit` counts (about 200 bytes each); the one that was asked for longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._counts: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def get(self, text: str) -> int | None:
        """The count of this text, if it is still known."""
        known = key(text)
        with self._lock:
            if known in self._counts:
                self._counts.move_to_end(known)
            return self._counts.get(known)

    def put(self, text: str, count: int) -> None:
        """Remember the count of this text."""
        known = key(text)
        with self._lock:
            self._counts[known] = count
            self._counts.move_to_end(known)
            if len(self._counts) > self._limit:
                self._counts.popitem(last=False)
