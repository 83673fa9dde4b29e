"""Long work cut into the worker's short jobs, awaited in the event loop: whatever is more urgent gets in between."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.tools.protocol import Tool

T = TypeVar("T")


async def run(worker: Worker, urgency: Urgency, job: Callable[[Pipeline], T]) -> T:
    """One job's result."""
    result: T = await asyncio.wrap_future(worker.submit(urgency, job))
    return result


async def wrapped(future: "Future[T]") -> T:
    """The result of work in another thread."""
    result: T = await asyncio.wrap_future(future)
    return result


async def read_whole(worker: Worker, urgency: Urgency, tool: Tool, path: Path) -> str | None:
    """Read a transcript to its present end; the session that it belongs to.

    Raises:
        SourceUnreadable: it is there and cannot be read now.
    """
    while (step := await run(worker, urgency, lambda pipeline: pipeline.step(tool, path))).more:
        pass
    return step.session
