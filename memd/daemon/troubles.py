"""What went wrong lately, for `memd status`: each trouble once, with the time when it was seen last."""

import threading
import time
from datetime import UTC, datetime

MOST = 20
"""The newest are kept."""


class Troubles:
    """Told from any thread."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}
        self._lock = threading.Lock()

    def tell(self, text: str) -> bool:
        """Keep a trouble; whether it is news."""
        with self._lock:
            news = self._at.pop(text, None) is None
            self._at[text] = time.time()
            while len(self._at) > MOST:
                del self._at[next(iter(self._at))]
            return news

    def lines(self) -> list[str]:
        """One line each, the newest last."""
        with self._lock:
            return [f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ} {text}" for text, at in self._at.items()]
