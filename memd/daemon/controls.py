"""What the command line asks of the running daemon."""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from memd import __version__
from memd.daemon import forgetting, steps, ticking
from memd.daemon.answers import Control
from memd.daemon.desk import Desk
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.transcripts import find, tool_named
from memd.daemon.worker import Worker
from memd.daemon.writing import as_answer
from memd.errors import Fault, NotFound, Unwanted
from memd.model import Checkpoint, Problem
from memd.tools.protocol import Tool
from memd.writers.agent import NAME as AGENT


class Controls:
    """Answers to control requests by name; `about` is the daemon's word on itself, `desk` runs models."""

    def __init__(self, worker: Worker, about: Callable[[], dict[str, Any]], desk: Desk | None = None) -> None:
        self._desk = desk
        self._worker = worker
        self._about = about
        self._come = (0, 0)
        """How many transcripts of the ingest that runs were read, and of how many."""

    def table(self) -> dict[str, Control]:
        """Each request and what answers it."""
        return {
            "ping": self.ping,
            "status": self.status,
            "ingest": self.ingest,
            "progress": self.progress,
            "checkpoint": self.checkpoint,
            "tick": self.tick,
            "forget": self.forget,
            "pin": self.pin,
        }

    async def ping(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Whether somebody is there."""
        return {"version": __version__, "pid": os.getpid()}

    async def status(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """The part of `memd status --json` that only the daemon knows."""
        return self._about()

    async def ingest(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Read transcripts, step by step; one that cannot be read does not keep the others back."""
        paths, tool = [Path(path) for path in asked.get("paths", [])], tool_named(asked.get("tool"))
        found = await asyncio.to_thread(find, paths, tool)
        wanted = await steps.run(self._worker, Urgency.COMMAND, partial(forgetting.chosen, found=found, named=paths))
        sessions, problems = [], list(found.problems)
        for place, source in enumerate(reversed(wanted)):  # from the other end, between these: maybe in another process
            self._worker.hint(*source, Urgency.BACKFILL, place)
        for done, (owner, path) in enumerate(wanted):
            self._come = done, len(wanted)
            try:
                sessions.append(session := await self._read(owner, path))
                problems += await steps.run(
                    self._worker, Urgency.COMMAND, partial(Pipeline.complaints, session=session)
                )
            except Unwanted as error:  # news only to one who named it
                problems += [str(error)] if path in paths else []
            except (Fault, NotFound) as error:
                problems.append(str(error))
        return {"sessions": sessions, "problems": problems}

    async def progress(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """How far the ingest that runs has come."""
        done, total = self._come
        return {"done": done, "total": total}

    async def _read(self, owner: Tool, path: Path) -> str:
        session = await steps.read_whole(self._worker, Urgency.COMMAND, owner, path)
        return await steps.run(self._worker, Urgency.COMMAND, lambda pipe: pipe.complete(session, owner, path))

    async def checkpoint(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Read the session's transcript to its end, where it is there, and make the checkpoint."""
        name = str(asked.get("session"))
        source = await steps.run(self._worker, Urgency.COMMAND, lambda pipeline: pipeline.transcript(name))
        if source is not None:
            await steps.read_whole(self._worker, Urgency.COMMAND, *source)
        made, problems = await steps.run(self._worker, Urgency.COMMAND, partial(_made, name))
        if self._desk is None or asked.get("writer") != AGENT:
            return {"number": made.number if made else None, "problems": [asdict(one) for one in problems]}
        return as_answer(await self._desk.now(name))

    async def tick(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The person decides on boxes of the memo."""
        name, changed = str(asked.get("session")), dict(asked.get("boxes", {}))
        return await steps.run(self._worker, Urgency.COMMAND, lambda pipeline: ticking.tick(pipeline, name, changed))

    async def forget(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Delete sessions, then their bytes."""
        delete = partial(forgetting.forget, names=list(asked.get("sessions", [])), now=wall_clock())
        gone = await steps.run(self._worker, Urgency.COMMAND, delete)
        return {"sessions": gone, "clean": await steps.run(self._worker, Urgency.COMMAND, forgetting.clean)}

    async def pin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a session whatever its age, or no longer."""
        name, at = str(asked.get("session")), wall_clock() if asked.get("pinned") else None
        await steps.run(self._worker, Urgency.COMMAND, lambda pipeline: pipeline.store.forgetting.pin(name, at))
        return {}


def _made(name: str, pipeline: Pipeline) -> tuple[Checkpoint | None, tuple[Problem, ...]]:
    return pipeline.refresh(name, "command"), pipeline.problems(name)
