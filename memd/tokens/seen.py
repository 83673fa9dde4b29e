"""What was counted before, by a hash of the text, so that unchanged text costs no second count and is not kept."""

import threading
from collections import OrderedDict


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
        key = _key(text)
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
            return self._counts.get(key)

    def put(self, text: str, count: int) -> None:
        """Remember the count of this text."""
        key = _key(text)
        with self._lock:
            self._counts[key] = count
            self._counts.move_to_end(key)
            if len(self._counts) > self._limit:
                self._counts.popitem(last=False)


def _key(text: str) -> int:
    """A text's own hash, which differs from process to process, beside its length: 2^-64 that two are taken for one."""
    return hash(text) << 32 | len(text)
