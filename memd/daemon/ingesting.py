"""Transcripts that a person names, read one after the other; those that come next are parsed ahead of their turn.

They are recorded in their order, whoever parses them, so the record that comes of it does not depend on how quick that is.
"""

import queue
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Self

from memd.daemon.ahead import ENOUGH, Ahead
from memd.daemon.life import Came
from memd.daemon.pipeline import Pipeline
from memd.errors import Fault
from memd.tools.protocol import Tool

FAR = 8
"""So many transcripts are looked at for those that are worth to be read ahead."""
_TURN = (0, 0.0)


class Ingesting:
    """Reads what `wanted` has, in that order; without a daemon."""

    def __init__(self, pipeline: Pipeline, wanted: Sequence[tuple[Tool, Path]], trouble: Callable[[str], None]) -> None:
        self._pipeline = pipeline
        self._next = deque(wanted)
        self._came = queue.SimpleQueue[Came]()
        self._ahead = Ahead(self._came.put, trouble, sum(map(_size, wanted)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ahead.stop()

    def ingest(self) -> str:
        """Read the next transcript to its end, and leave a current checkpoint; raises as `Pipeline.ingest`."""
        tool, path = source = self._next.popleft()
        for other in islice(chain([source] if _size(source) >= ENOUGH else [], self._next), FAR):
            if not self._ahead.ready():
                break  # else a later one could be given before it
            self._ahead.offer(self._pipeline, *other, _TURN, patient=True)
        while self._ahead.holds(path):
            with suppress(Fault):  # it is met again below, if it is still there
                self._ahead.settle(self._pipeline, self._came.get())
        return self._pipeline.ingest(tool, path)


def _size(source: tuple[Tool, Path]) -> int:
    try:
        return source[1].stat().st_size
    except OSError:  # that of a database, or gone: whoever reads it says so
        return 0
