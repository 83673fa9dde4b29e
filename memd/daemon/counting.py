"""The tokenizer is loaded beside the worker: a checkpoint waits for it, and what is live does not wait for the checkpoint.

Loading takes a quarter of a second; only for the last third of it, in which tiktoken takes the ranks over, nobody else gets on.
"""

import threading
from collections.abc import Callable

from memd import tokens


class Counting:
    """Whether texts can be counted at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # for all below
        self._waiting: list[Callable[[], None]] = []
        self._loading = False
        self._failed = False
        self._thread: threading.Thread | None = None

    @property
    def under_way(self) -> bool:
        """Whether the tokenizer is being loaded."""
        with self._lock:
            return self._loading

    def waiting(self) -> int:
        """How many wait for it."""
        with self._lock:
            return len(self._waiting)

    def ready(self, then: Callable[[], None]) -> bool:
        """Whether it is there; else it is loaded now, and `then` is called in another thread.

        Where it could not be loaded this is true once: whoever counts then meets what was in the way, and tells it.
        """
        with self._lock:
            if not self._loading:
                if tokens.loaded() or self._failed or not self._begin():
                    self._failed = False
                    return True
                self._loading = True
            self._waiting.append(then)
            return False

    def stop(self) -> None:
        """Wait for what is being loaded: an interpreter that ends meanwhile is aborted by the thread that is in tiktoken."""
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> bool:
        thread = threading.Thread(target=self._load, name="memd-tokens", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the machine gives no thread
            return False
        self._thread = thread
        return True

    def _load(self) -> None:
        try:
            tokens.load()
        except BaseException:  # noqa: BLE001 - whatever it is, a panic of tiktoken's too: who counts will meet it
            failed = True
        else:
            failed = False
        with self._lock:
            self._loading, self._failed = False, failed
            waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()
