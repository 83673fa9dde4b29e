"""What the daemon answers: to hooks from the ready replies, to the command line from its own state.

What hands a checkpoint over is `giving`; here is who asks, and the few answers that are no checkpoint.
"""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memd.config import Config
from memd.daemon.briefing import Briefing
from memd.daemon.catching_up import after_reply, located
from memd.daemon.giving import Giving
from memd.daemon.guard import Guard
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.reminding import Reminding
from memd.daemon.telling import Telling
from memd.daemon.wire import CONTROL, Request
from memd.daemon.worker import Worker
from memd.errors import MemdError, SourceUnreadable, told
from memd.model import Session
from memd.model.places import possible
from memd.model.text import clock, oneline
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.protocol import Moment, Tool
from memd.tools.registry import TOOLS

QUIET = 600_000
"""Milliseconds without an entry after which a session counts as over though nobody said so."""

Control = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
Drawing = Callable[[Tool, Moment], Awaitable[bytes]]


class Answers:
    """Answers requests; runs in the event loop's thread."""

    def __init__(
        self,
        worker: Worker,
        folders: Folders,
        config: Config,
        reader: Callable[[], Store],
        live: Callable[[Path], None] = lambda _: None,
        trouble: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._worker = worker
        self._config = config
        self._reader = reader
        self._live = live
        self._trouble = trouble
        self._giving = Giving(worker, folders, reader)
        self._telling = Telling(worker, reader)
        self._briefing = Briefing(config, reader)
        self._guard = Guard(worker, config, reader)
        self._reminding = Reminding(worker, folders.state, reader)
        self._ending: set[str] = set()
        """Sessions whose end is told and not recorded yet."""
        self.controls: dict[str, Control] = {}
        self.status_line: Drawing | None = None

    async def __call__(self, request: Request) -> bytes | None:
        """The text for a hook, JSON for the command line, None for "use the disk"."""
        if request.tool == CONTROL:
            return await self._control(request)
        tool = TOOLS.get(request.tool)
        payload = _object(request.payload)
        moment = tool.moment(request.event, payload) if tool and payload is not None else None
        if tool is None or moment is None:
            return None
        moment = replace(moment, cwd=_absolute(moment.cwd), transcript=_usable(moment.transcript))
        if not moment.child:
            after_reply(lambda: self._notice(tool, moment))
        return b"" if moment.child else await self._event(tool, moment, request)

    async def _event(self, tool: Tool, moment: Moment, request: Request) -> bytes | None:
        match moment.event:
            case "SessionStart":
                return await self._start(tool, moment, request)
            case "PreCompact":
                return await self._giving.before_compaction(tool, moment)
            case "SessionEnd":
                return self._end(tool, moment)
            case event if event == tool.request_event:
                return await self._giving.standing(tool, moment, lambda: self._predecessor(tool, moment, request))
            case event if event == tool.prompt_event:
                return self._giving.late(tool, moment) or tool.reply(moment.event, self._briefing.prompt(tool, moment))
            case event if event == tool.call_event:
                return await self._before_call(tool, moment)
            case event if self.status_line and tool.status_line and event == tool.status_line.event:
                return await self.status_line(tool, moment)
            case _:
                return b""

    async def _before_call(self, tool: Tool, moment: Moment) -> bytes:
        """Who started the turn, where a machine did, advice, and the facts of what is about to be touched."""
        asked = time.monotonic()
        who = await self._telling.line(tool, moment)
        advice, facts = self._guard.lines(tool, moment, asked), self._reminding.lines(tool, moment, asked)
        texts = who, advice, facts, self._briefing.call(tool, moment)
        return tool.reply(moment.event, "\n".join(filter(None, texts)))

    def _notice(self, tool: Tool, moment: Moment) -> None:
        """A hook is a hint as well: its session's transcript is read now, and followed wherever it lies.

        One that names none, or one that is not there, is about a session that the record may know: by its id, since a
        client may spell its paths in another way (a shell of its own, a worktree). Where it does not, and the session is at
        work, that is told.

        At a session's start it is not there yet, and nobody may watch its folder: from now on somebody does.
        """
        named = Path(moment.transcript or "")
        there = named.is_absolute() and tool.there(named)
        known = None if there else self._reader().session(f"{tool.name}:{moment.session}")
        if named.is_absolute() and tool.wanted(str(named)):
            self._follow(tool, named)
        if known is not None and known.path is not None:
            self._follow(tool, Path(known.path))
        if not there and known is None and moment.transcript and moment.event in {tool.call_event, "PreCompact"}:
            self._trouble(
                f"hooks of {tool.name} name a transcript that is not there, and its session is not recorded: {named}"
            )

    def _follow(self, tool: Tool, path: Path) -> None:
        if tool.wanted(str(path)):
            self._live(path)
        self._worker.hint(tool, path, Urgency.LIVE)

    def _end(self, tool: Tool, moment: Moment) -> bytes:
        """What the session still wrote is read first: an entry that comes after the end would take it back."""
        name, path = f"{tool.name}:{moment.session}", located(tool, moment, self._reader())

        def end(pipeline: Pipeline) -> None:
            with suppress(SourceUnreadable):
                if path is not None:
                    self._worker.refreshes.note(pipeline.step(tool, path))
            pipeline.end(name)
            self._ending.discard(name)

        self._ending.add(name)
        self._worker.submit(Urgency.COMMAND, end)
        return b""

    def _remember(self, directory: str) -> None:
        after_reply(
            lambda: self._worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.projects.remember(directory))
        )

    def _goes_on(self, name: str, directory: str | None) -> None:
        """A session that had ended was taken up again."""
        after_reply(lambda: self._worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.take_up(name, directory)))

    async def _start(self, tool: Tool, moment: Moment, request: Request) -> bytes | None:
        part = request.part or 1
        self._briefing.started(tool, moment)
        if part == 1 and moment.cwd:
            self._remember(moment.cwd)
        if moment.source == "resume" and part == 1:
            self._goes_on(f"{tool.name}:{moment.session}", moment.cwd)
        match moment.source:
            case "compact" | "resume" | "fork":
                return await self._giving.part(tool, moment, part, request.gone)
            case _:
                return self._fresh(tool, moment, request) if part == 1 else b""

    def _fresh(self, tool: Tool, moment: Moment, request: Request) -> bytes:
        """A new session: what its project is, and in interactive runs one line naming the session before it."""
        texts = self._briefing.fresh(tool, moment), self._predecessor(tool, moment, request)
        return tool.reply("SessionStart", "\n\n".join(filter(None, texts)))

    def _predecessor(self, tool: Tool, moment: Moment, request: Request) -> str:
        if (
            not self._config.inject.startup_line
            or moment.cwd is None
            or not tool.interactive(moment, request.entrypoint)
        ):
            return ""
        before = self._before(tool.name, moment)
        if before is None:
            return ""
        title = f' "{oneline(before.title, 80)}"' if before.title else ""
        return (
            f"memd: the session before this one in this directory is {before.id}{title}, last active {clock(before.last_at)}; "
            f"`memd show {before.id}` shows what was kept of it. It is another session: nothing of it is carried over."
        )

    def _before(self, tool: str, moment: Moment) -> Session | None:
        """The newest session of this directory that is over and has something in it; one that still runs is not before."""
        over, ending = wall_clock() - QUIET, set(self._ending)  # asked first: then it is in there, or in the record
        for one in self._reader().sessions():
            if (one.cwd, one.tool) != (moment.cwd, tool) or one.native == moment.session or not one.messages:
                continue
            if one.ended_at is not None or one.id in ending or (one.last_at or 0) < over:
                return one
        return None

    async def _control(self, request: Request) -> bytes:
        control = self.controls.get(request.event)
        payload = _object(request.payload)
        if control is None or payload is None:
            return json.dumps({"error": f"no such request: {request.event}"}).encode()
        try:
            return json.dumps(await control(payload)).encode()
        except (MemdError, OSError) as error:  # a defect has no answer: it is told, and logged
            return json.dumps({"error": told(error)}).encode()


def _usable(path: str | None) -> str | None:
    """A path as it is; None for what none can be, however a hook came to name it."""
    return path if path is not None and possible(path) else None


def _absolute(path: str | None) -> str | None:
    """A directory, None for a relative one: it is told from where the hook ran, and nobody knows where that was."""
    return path if path is not None and path.startswith("/") and possible(path) else None


def _object(payload: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
