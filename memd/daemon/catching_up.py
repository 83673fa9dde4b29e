"""What is read and made while a hook waits, and what of it can wait until the hook has its reply."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from memd import tokens
from memd.daemon import steps
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.errors import SourceUnreadable
from memd.store import Store
from memd.tools.protocol import Moment, Tool

AFTERWARDS = 0.05
"""Seconds that what a hook's event sets off waits for the replies to that event's other hooks."""


class CatchingUp:
    """Brings record and checkpoint up to a hook's moment; runs in the event loop's thread."""

    def __init__(self, worker: Worker, reader: Callable[[], Store]) -> None:
        self._worker = worker
        self._reader = reader

    async def bring_up(self, tool: Tool, moment: Moment, trigger: str) -> None:
        """Read the transcript to its end and bring the checkpoint up to it."""
        name = f"{tool.name}:{moment.session}"

        def refresh(pipeline: Pipeline) -> None:
            if not (pipeline.current(name) and pipeline.keeper.settled(name)):
                pipeline.refresh_for_hook(name, trigger)
            self._worker.refreshes.drop(name)

        await self._read(tool, moment, name, refresh)

    async def see_compaction(self, tool: Tool, moment: Moment) -> None:
        """The same for a text that stands in every request, where that is one from before the last compaction."""
        name = f"{tool.name}:{moment.session}"

        def refresh(pipeline: Pipeline) -> None:
            if pipeline.behind(name):
                pipeline.refresh_for_hook(name, "compact")
                self._worker.refreshes.drop(name)

        await self._read(tool, moment, name, refresh)

    async def _read(self, tool: Tool, moment: Moment, name: str, refresh: Callable[[Pipeline], None]) -> None:
        """Read the transcript to its end, where the hook says that it is, else where it was, and make what hooks give back.

        Most often one step reads all there is, and both are one job: each way to the worker and back takes a part of a
        millisecond. The rest is made when the hooks have their replies.
        """
        path = located(tool, moment, self._reader())

        def step(pipeline: Pipeline) -> bool:
            more = path is not None and pipeline.step(tool, path).more
            if not more:
                refresh(pipeline)
            return more

        def finish(pipeline: Pipeline) -> None:
            with tokens.hurried():  # the next hook may come any moment
                self._worker.refreshes.finish(pipeline, name)

        try:
            while await steps.run(self._worker, Urgency.HOOK, step):
                pass
        except SourceUnreadable:  # what is recorded still helps; the worker has told
            await steps.run(self._worker, Urgency.HOOK, refresh)
        after_reply(lambda: self._worker.submit(Urgency.COMMAND, finish))


def after_reply(act: Callable[[], object]) -> None:
    """Do something when the hooks of one event have their replies: the worker's thread would take time from them."""
    asyncio.get_running_loop().call_later(AFTERWARDS, act)


def transcript(tool: Tool, moment: Moment) -> Path | None:
    """The transcript that a hook names, if it is one."""
    path = Path(moment.transcript or "")
    return path if path.is_absolute() and tool.wanted(str(path)) and tool.there(path) else None


def located(tool: Tool, moment: Moment, store: Store) -> Path | None:
    """A session's transcript: where the hook says that it is, else where it was."""
    path = transcript(tool, moment)
    known = store.session(f"{tool.name}:{moment.session}") if path is None else None
    return Path(known.path) if known and known.path else path
