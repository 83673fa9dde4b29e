"""What the daemon answers: to hooks from the ready replies, to the command line from its own state.

All parts of one compaction come from the same replies, whatever is written meanwhile. They are frozen at PreCompact and once
more by the first request after it: a client writes its last rows in batches, and what it wrote while the summary was made (the
running turn's last result, words typed meanwhile) is on disk only then (measured on Claude Code 2.1.332). That last look has
120 ms; without it the text of PreCompact stands. For a resume only reading a few files lies between request and answer.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memd.config import Config
from memd.daemon import steps
from memd.daemon.frozen import Freezer, Frozen
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.wire import CONTROL, Request
from memd.daemon.worker import Urgency, Worker
from memd.errors import MemdError, SourceUnreadable
from memd.model import Session, marks
from memd.model.text import clock, oneline
from memd.store import Store
from memd.store.folders import Folders, Replies
from memd.tools.protocol import Moment, Tool
from memd.tools.registry import TOOLS

QUIET = 600_000
"""Milliseconds without an entry after which a session counts as over though nobody said so."""
AFTERWARDS = 0.05
"""Seconds that what a hook's event sets off waits for the replies to that event's other hooks."""

LOOK = 0.12
"""Seconds that the last look at a transcript may take before the first part is answered (the hook's deadline is 0.2)."""

Control = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


class Answers:
    """Answers requests; runs in the event loop's thread."""

    def __init__(
        self,
        worker: Worker,
        folders: Folders,
        config: Config,
        reader: Callable[[], Store],
        live: Callable[[Path], None] = lambda _: None,
    ) -> None:
        self._worker = worker
        self._folders = folders
        self._config = config
        self._reader = reader
        self._live = live
        self._frozen = Freezer()
        self._looks: dict[str, asyncio.Task[None]] = {}
        """Last looks that are under way, by the key of the text that they are for."""
        self._ending: set[str] = set()
        """Sessions whose end is told and not recorded yet."""
        self.controls: dict[str, Control] = {}

    async def __call__(self, request: Request) -> bytes | None:
        """The text for a hook, JSON for the command line, None for "use the disk"."""
        if request.tool == CONTROL:
            return await self._control(request)
        tool = TOOLS.get(request.tool)
        payload = _object(request.payload)
        moment = tool.moment(request.event, payload) if tool and payload is not None else None
        if tool is None or moment is None:
            return None
        if moment.transcript and not moment.child:
            _after_reply(lambda: self._notice(tool, moment))
        if moment.child:
            return b""
        match moment.event:
            case "SessionStart":
                return await self._start(tool, moment, request)
            case "PreCompact":
                return await self._before_compaction(tool, moment)
            case "SessionEnd":
                return self._end(tool, moment)
            case _:
                return b""

    def _notice(self, tool: Tool, moment: Moment) -> None:
        """A hook is a hint as well: its session's transcript is read now, and followed wherever it lies.

        At a session's start it is not there yet, and nobody may watch its folder: from now on somebody does.
        """
        path = Path(moment.transcript or "")
        if path.is_absolute() and tool.wanted(path):
            self._live(path)
            self._worker.hint(tool, path, Urgency.LIVE)

    def _end(self, tool: Tool, moment: Moment) -> bytes:
        """What the session still wrote is read first: an entry that comes after the end would take it back."""
        name, path = f"{tool.name}:{moment.session}", _transcript(tool, moment)

        def end(pipeline: Pipeline) -> None:
            with suppress(SourceUnreadable):
                if path is not None:
                    self._worker.note(pipeline.step(tool, path))
            pipeline.end(name)
            self._ending.discard(name)

        self._ending.add(name)
        self._worker.submit(Urgency.COMMAND, end)
        return b""

    def _goes_on(self, name: str) -> None:
        """A session that had ended was taken up again."""

        def reopen(pipeline: Pipeline) -> None:
            known = pipeline.store.session(name)
            if known is not None and known.ended_at is not None:
                pipeline.store.reopen_session(name)

        _after_reply(lambda: self._worker.submit(Urgency.COMMAND, reopen))

    async def _start(self, tool: Tool, moment: Moment, request: Request) -> bytes | None:
        part = request.part or 1
        if moment.source == "resume" and part == 1:
            self._goes_on(f"{tool.name}:{moment.session}")
        match moment.source:
            case "compact":
                await self._look_again(tool, moment, part)
                return self._part(tool, moment.session, moment, part)
            case "resume":
                return self._part(tool, moment.session, moment, part)
            case "fork":
                return self._part(tool, self._source(tool, moment), moment, part)
            case _:
                return self._fresh(tool, moment, request) if part == 1 else b""

    def _source(self, tool: Tool, moment: Moment) -> str:
        """The session whose checkpoint a fork gets: its own if it has one, else its source's."""
        if self._folders.published(self._folder(tool, moment.session)):
            return moment.session
        known = self._reader().session(f"{tool.name}:{moment.session}")
        origin = known.forked_from if known else None
        return origin.partition(":")[2] if origin else moment.session

    def _part(self, tool: Tool, native: str, moment: Moment, part: int) -> bytes:
        key = _key(tool, moment)
        frozen = self._frozen.get(key, part) or self._frozen.put(key, self._folders.replies(self._folder(tool, native)))
        source = "resume" if moment.source == "fork" else moment.source
        if not frozen.served:
            self._given(tool, moment, native, frozen.replies, f"SessionStart.{source}.")
        frozen.served.add(part)
        return frozen.replies.get(f"SessionStart.{source}.{part}")

    async def _look_again(self, tool: Tool, moment: Moment, part: int) -> None:
        """Before the first part of a compaction: one last look, for which all parts wait."""
        key = _key(tool, moment)
        frozen = self._frozen.get(key, part)
        if frozen is not None and frozen.final:
            return
        if key not in self._looks:
            self._looks[key] = asyncio.create_task(self._refreeze(tool, moment, key, frozen))
            self._looks[key].add_done_callback(lambda _: self._looks.pop(key))
        await asyncio.shield(self._looks[key])

    async def _refreeze(self, tool: Tool, moment: Moment, key: str, frozen: Frozen | None) -> None:
        look = asyncio.create_task(self._bring_up(tool, moment, "compact"))
        await asyncio.wait({look}, timeout=LOOK)
        fine = look.done() and not look.cancelled() and look.exception() is None
        if fine or frozen is None:
            self._frozen.put(key, self._folders.replies(self._folder(tool, moment.session)), final=True)
        else:
            frozen.final = True

    def _folder(self, tool: Tool, native: str) -> Path:
        return self._folders.session(tool.name, native)

    def _given(self, tool: Tool, moment: Moment, native: str, replies: Replies, prefix: str) -> None:
        """Record that a checkpoint's text was handed over, and in how many parts; a single line is no checkpoint."""
        session, origin = f"{tool.name}:{moment.session}", f"{tool.name}:{native}"
        texts = [reply for name, reply in replies.by_name.items() if name.startswith(prefix)]
        hook, at = f"SessionStart:{moment.source}", wall_clock()

        def give(pipeline: Pipeline) -> None:
            given = pipeline.store.checkpoint(origin, replies.number)
            if given is None or not any(
                marks.ending(given.number, origin, given.receipt).encode() in text for text in texts
            ):
                return
            behind = len(pipeline.store.boundaries(session))
            pipeline.store.give(
                session,
                given.number,
                given.receipt,
                len(texts),
                hook,
                at,
                compactions=behind,
                short=False,
                origin=origin,
            )

        _after_reply(lambda: self._worker.submit(Urgency.COMMAND, give))

    async def _before_compaction(self, tool: Tool, moment: Moment) -> bytes | None:
        """A last refresh; then the text stands still until the compaction's parts were fetched."""
        key = f"{tool.name}:{moment.session}:compact"
        self._frozen.drop(key)  # of a compaction that did not come about
        await self._bring_up(tool, moment, "precompact")
        replies = self._folders.replies(self._folder(tool, moment.session))
        return self._frozen.put(key, replies).replies.get("PreCompact")

    async def _bring_up(self, tool: Tool, moment: Moment, trigger: str) -> None:
        """Read the transcript to its end and bring the checkpoint up to it."""
        name = f"{tool.name}:{moment.session}"

        def refresh(pipeline: Pipeline) -> None:
            if not pipeline.current(name):
                pipeline.refresh(name, trigger)
            self._worker.forget_due(name)

        with suppress(SourceUnreadable):  # what is recorded still helps; the worker has told
            await self._read_last(tool, moment)
        await steps.run(self._worker, Urgency.HOOK, refresh)

    async def _read_last(self, tool: Tool, moment: Moment) -> None:
        """Read the transcript to its end: where the hook says that it is, else where it was."""
        path = _transcript(tool, moment)
        if path is None:
            known = self._reader().session(f"{tool.name}:{moment.session}")
            path = Path(known.path) if known and known.path else None
        if path is not None:
            await steps.read_whole(self._worker, Urgency.HOOK, tool, path)

    def _fresh(self, tool: Tool, moment: Moment, request: Request) -> bytes:
        """A new session: in interactive runs one line naming the session that ended here before."""
        if request.entrypoint != "cli" or not self._config.inject.startup_line or moment.cwd is None:
            return b""
        before = self._before(tool.name, moment)
        if before is None:
            return b""
        title = f' "{oneline(before.title, 80)}"' if before.title else ""
        line = (
            f"memd: the session before this one in this directory is {before.id}{title}, last active {clock(before.last_at)}; "
            f"`memd show {before.id}` shows what was kept of it. It is another session: nothing of it is carried over."
        )
        return tool.reply("SessionStart", line)

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
        except MemdError as error:
            return json.dumps({"error": str(error)}).encode()


def _after_reply(act: Callable[[], object]) -> None:
    """Do something when the hooks of one event have their replies: the worker's thread would take time from them."""
    asyncio.get_running_loop().call_later(AFTERWARDS, act)


def _key(tool: Tool, moment: Moment) -> str:
    """What a text is frozen for."""
    return f"{tool.name}:{moment.session}:{moment.source}"


def _transcript(tool: Tool, moment: Moment) -> Path | None:
    """The transcript that a hook names, if it is one."""
    path = Path(moment.transcript or "")
    return path if path.is_absolute() and tool.wanted(path) and os.path.isfile(path) else None  # noqa: PTH113 - never raises


def _object(payload: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
