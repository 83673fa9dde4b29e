"""One line for a turn that no person started: how its prompt was delivered, told as soon as the client's own row says so.

A client announces a finished job, a schedule or another agent's message in the person's role. What the words claim proves
nothing, and the hook of the prompt is the same for all; the row that states the origin is on disk a moment later (measured on
Claude Code 2.1.332: rows are written in batches of about 100 ms). So the turn's first reading, editing or shell call asks, and
the next one while the row is not there yet, or where the answer may have come too late for the hook. A turn is told once, but
for that, and nothing is ever guessed.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from memd.daemon import steps
from memd.daemon.catching_up import located
from memd.daemon.jobs import Urgency
from memd.daemon.worker import Worker
from memd.errors import SourceUnreadable
from memd.extract.material import SPEAKING
from memd.model import Record
from memd.model.newest import Newest
from memd.store import Store
from memd.tools.protocol import Moment, Tool
from memd.writers.extractive.phrases import machine

IN_TIME = 0.12
"""Seconds within which an answer surely reaches its hook (whose deadline is 0.2); after a later one the next call is told too."""
MOST = 1_000
"""Sessions whose last settled turn is remembered."""
NEWEST = 8
"""Entries that can start a turn among which the running turn's is looked for."""


class Telling:
    """Tells who started a turn; runs in the event loop's thread."""

    def __init__(self, worker: Worker, reader: Callable[[], Store]) -> None:
        self._worker = worker
        self._reader = reader
        self._settled = Newest[str, str](MOST)

    async def line(self, tool: Tool, moment: Moment) -> str:
        """The line for a call in a turn that a machine started; nothing for a person's, or while nothing tells."""
        name, asked = f"{tool.name}:{moment.session}", time.monotonic()
        if moment.turn is None or self._settled.get(name) == moment.turn:
            return ""
        start = self._start(name, moment.turn) or await self._read_on(tool, moment, name)
        if start is None:
            return ""
        if time.monotonic() - asked < IN_TIME:
            self._settled[name] = moment.turn
        return f"memd: {machine(start)}" if start.channel.background else ""

    async def _read_on(self, tool: Tool, moment: Moment, name: str) -> Record | None:
        """The row may be on disk and not read yet."""
        path = located(tool, moment, self._reader())
        if path is None or moment.turn is None:
            return None
        with suppress(SourceUnreadable):
            await steps.run(
                self._worker, Urgency.HOOK, lambda pipeline: self._worker.refreshes.note(pipeline.step(tool, path))
            )
        return self._start(name, moment.turn)

    def _start(self, name: str, turn: str) -> Record | None:
        recent = self._reader().messages(name, channels=SPEAKING, last=NEWEST)
        return next((record for record in recent if record.turn == turn), None)
