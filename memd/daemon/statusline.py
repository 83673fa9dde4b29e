"""The status line of a client: how full the context is, how old the checkpoint, how sound; and the window that it tells of.

A client asks several times a minute, and the answer has a hook's deadline. What takes longer is the installation (it starts a
program and asks the service manager); it is looked at aside, and again when a minute has gone by.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from memd.config import Config
from memd.daemon import survey
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import wall_clock
from memd.daemon.setup.standing import Standing
from memd.daemon.survey import Row
from memd.daemon.worker import Worker
from memd.model import Session
from memd.model.text import brief
from memd.store import Store
from memd.tools.protocol import Moment, Tool

AGAIN = 60.0
"""Seconds for which what was seen of the installation holds."""
PATIENCE = 0.12
"""Seconds that the first answer waits for it (a hook's deadline is 0.2)."""

FIRST = 10_000
"""Milliseconds since a session was first seen within which it is no fault that it has no checkpoint yet."""


class StatusLine:
    """Answers a client that draws its line; runs in the event loop's thread.

    `look` gives the installation's facts, `about` the daemon's word on itself.
    """

    def __init__(
        self,
        worker: Worker,
        reader: Callable[[], Store],
        look: Callable[[], Standing],
        about: Callable[[], dict[str, Any]],
        settings: Config,
    ) -> None:
        self._worker = worker
        self._reader = reader
        self._look = look
        self._about = about
        self._settings = settings
        self._setup: Standing | None = None
        self._looked = 0.0
        self._looking: asyncio.Task[None] | None = None

    async def __call__(self, tool: Tool, moment: Moment) -> bytes:
        """The line, in UTF-8."""
        setup = await self._installation()
        store = self._reader()
        session = store.session(f"{tool.name}:{moment.session}")
        if session is None or not session.messages:
            return text(_fill(moment, None), None, None).encode()
        self._note(session, moment)
        if setup is None:
            return text(_fill(moment, None), None, "…").encode()
        row = survey.row(store, session, self._about(), setup, self._settings)
        if row.checkpoint is None and wall_clock() - (session.seen_at or 0) < FIRST:
            return text(_fill(moment, row), None, None).encode()
        age = wall_clock() - row.checkpoint.at if row.checkpoint else None
        return text(_fill(moment, row), age, row.verdict.health.value).encode()

    def _note(self, session: Session, moment: Moment) -> None:
        """The client knows its window; the transcript names the model alone."""
        if moment.window is not None and moment.window != session.window:
            note = partial(_set_window, session.id, moment.window)
            self._worker.submit(Urgency.COMMAND, note)

    async def _installation(self) -> Standing | None:
        if self._looking is None and (self._setup is None or time.monotonic() - self._looked > AGAIN):
            self._looking = asyncio.create_task(self._look_aside())
        if self._setup is None and self._looking is not None:
            await asyncio.wait({self._looking}, timeout=PATIENCE)
        return self._setup

    async def _look_aside(self) -> None:
        try:
            self._setup = await asyncio.to_thread(self._look)
            self._looked = time.monotonic()
        finally:
            self._looking = None


def text(fill: float | None, age: int | None, health: str | None) -> str:
    """The line, 20 characters at most. `fill` is of the window, `age` in milliseconds; `health` None: nothing recorded yet.

    >>> text(0.42, 180_000, "ok"), text(1.0, 59 * 60_000, "degraded"), text(0.01, None, None)
    ('● 42% 3m ok', '● 100% 59m degraded', '○ 1% new')
    """
    share = [f"{100 * fill:.0f}%"] if fill is not None else []
    if health is None:
        return " ".join(["○", *share, "new"])
    return " ".join(["●", *share, brief(age) if age is not None else "-", health])


def _fill(moment: Moment, row: Row | None) -> float | None:
    """By the client's word, else by what its transcript told last."""
    if moment.window and moment.tokens is not None:
        return moment.tokens / moment.window
    if row is None or row.session.tokens is None or not row.window:
        return None
    return row.session.tokens / row.window


def _set_window(name: str, tokens: int, pipeline: Any) -> None:
    pipeline.store.set_window(name, tokens)
