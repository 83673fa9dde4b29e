"""Handing a checkpoint over: which text, once, whole, and never held up.

All parts of one compaction come from the same replies, whatever is written meanwhile. They are frozen at PreCompact and once
more by the first request after it: a client writes its last rows in batches, and what it wrote while the summary was made (the
running turn's last result, words typed meanwhile) is on disk only then (measured on Claude Code 2.1.332). That last look has
120 ms; without it the text of PreCompact stands. A session that goes on is looked at in the same way: a headless run compacts
and ends, and the next one begins before anybody has read that (measured on 2.0.76).
"""

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from memd.daemon import constraints, opening
from memd.daemon.catching_up import CatchingUp, after_reply
from memd.daemon.frozen import Freezer, Frozen
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.ready import LATE, made_for
from memd.daemon.worker import Worker
from memd.model import Channel, marks
from memd.model.newest import Newest
from memd.project import identity
from memd.render import project
from memd.store import Store
from memd.store.folders import Folders, Replies, Standing
from memd.tools.protocol import Moment, Tool

LOST, MOST_GIVEN = 15.0, 1_000
"""Seconds after which a text that was given and is not in the transcript did not arrive; sessions remembered for that."""
LOOK = 0.12
"""Seconds that the last look at a transcript may take before the first part is answered (the hook's deadline is 0.2)."""
PATIENCE = 0.17
"""Seconds since a part was asked for, for which it waits for the hooks of earlier parts to end."""


_PART = re.compile(rb"(?<!\\\\)memd checkpoint \d+, part \d of \d")


class Giving:
    """Hands checkpoints to hooks; runs in the event loop's thread."""

    def __init__(self, worker: Worker, folders: Folders, reader: Callable[[], Store]) -> None:
        self._worker = worker
        self._folders = folders
        self._reader = reader
        self._catching_up = CatchingUp(worker, reader)
        self.frozen = Freezer()
        self._gave = Newest[str, float](MOST_GIVEN)
        """When each session was last given something, in this process's monotonic seconds."""
        self._stands = Newest[str, int](MOST_GIVEN)
        """The number of the text that stands in each session's requests, once it was given."""
        self._told = Newest[str, int](MOST_GIVEN)
        """The number that was given since each session's last compaction began, by its key."""
        self._untold = Newest[str, int](MOST_GIVEN)
        """How many compactions of each session began of which no hook told yet, by the same key."""
        self._flights: dict[str, dict[int, asyncio.Event]] = {}
        """Parts whose hooks are under way, by the key of their text; each event is set when that hook has ended."""
        self._begun = Newest[str, None](MOST_GIVEN)
        """Sessions whose first request was seen, for a tool that asks before each."""
        self._looks: dict[str, asyncio.Task[None]] = {}
        """Last looks that are under way, by the key of the text that they are for."""

    async def part(self, tool: Tool, moment: Moment, part: int, gone: asyncio.Event | None) -> bytes:
        """A part of what a session is given that was compacted, that goes on, or that is a fork.

        Compacted: its text. Going on: its text if it waits for it, else one line. A fork: its own, or its source's until it
        has its own. `gone` is set when the hook's process has ended.
        """
        until, key = time.monotonic() + PATIENCE, _key(tool, moment)
        self._under_way(key, part, gone)
        if moment.source != "fork":
            await self._look_again(tool, moment, part)
        await self._in_turn(key, part, until)
        native = self._source(tool, moment) if moment.source == "fork" else moment.session
        return self._part(tool, native, moment, part)

    def _part(self, tool: Tool, native: str, moment: Moment, part: int) -> bytes:
        key = _key(tool, moment)
        frozen = self.frozen.get(key, part) or self.frozen.put(key, self._folders.replies(self._folder(tool, native)))
        source = "resume" if moment.source == "fork" else moment.source
        if not frozen.served:
            frozen = self._asked(tool, moment, native, frozen, f"SessionStart.{source}.")
        frozen.served.add(part)
        text = frozen.replies.get(f"SessionStart.{source}.{part}")
        if native == moment.session and b"memd checkpoint %d" % frozen.replies.number in text:
            self._told[_key(tool, replace(moment, source="compact"))] = frozen.replies.number
        return text

    def _asked(self, tool: Tool, moment: Moment, native: str, frozen: Frozen, prefix: str) -> Frozen:
        """The first part of a text is asked for: nothing is given where it went in already for another compaction.

        A client tells of some compactions only with the next prompt: of each that was made by hand since, one after the other,
        and where the session goes on, of that first (measured on codex-cli 0.171.0). Who asks again for one that was told of
        gets its text again: it may not have arrived.
        """
        key, number = _key(tool, moment), frozen.replies.number
        untold = self._untold.pop(key, 0)
        if untold > 1:
            self._untold[key] = untold - 1
        if untold and 0 < number <= self._told.get(key, 0):
            return self.frozen.put(key, Replies(), final=True)
        self._given(tool, moment, native, frozen.replies, prefix)
        return frozen

    async def _in_turn(self, key: str, part: int, until: float) -> None:
        """Let the hooks of earlier parts that are under way end first: a client shows texts in the order of those ends."""
        flights = self._flights.get(key, {})
        before = [event for earlier, event in flights.items() if earlier < part]
        with suppress(TimeoutError):
            async with asyncio.timeout(max(until - time.monotonic(), 0.0)):
                for event in before:
                    await event.wait()

    def _under_way(self, key: str, part: int, gone: asyncio.Event | None) -> None:
        """A part was asked for; those whose hooks have ended are forgotten, as are texts that nobody asks for any more."""
        running = {name: _running(parts) for name, parts in self._flights.items()}
        self._flights = {name: parts for name, parts in running.items() if parts}
        if gone is not None:
            self._flights.setdefault(key, {})[part] = gone

    async def _look_again(self, tool: Tool, moment: Moment, part: int) -> None:
        """Before the first part: one last look, for which all parts wait."""
        key = _key(tool, moment)
        frozen = self.frozen.get(key, part)
        if frozen is not None and frozen.final:
            return
        if key not in self._looks:
            self._looks[key] = asyncio.create_task(self._refreeze(tool, moment, key, frozen))
            self._looks[key].add_done_callback(lambda _: self._looks.pop(key))
        await asyncio.shield(self._looks[key])

    async def _refreeze(self, tool: Tool, moment: Moment, key: str, frozen: Frozen | None) -> None:
        look = asyncio.create_task(self._catching_up.bring_up(tool, moment, moment.source or moment.event))
        await asyncio.wait({look}, timeout=LOOK)
        fine = look.done() and not look.cancelled() and look.exception() is None
        if not fine and frozen is not None:
            frozen.final = True
            return
        self.frozen.put(key, self._folders.replies(self._folder(tool, moment.session)), final=True)

    def late(self, tool: Tool, moment: Moment) -> bytes:
        """A prompt after a compaction whose own hook gave nothing (seen in the field): it is given now, once.

        What was given a moment ago is not in the transcript yet, so it must be a while ago before it counts as lost.
        """
        name = f"{tool.name}:{moment.session}"
        replies = self._folders.replies(self._folder(tool, moment.session))
        text = replies.get(LATE)
        if not text or time.monotonic() - self._gave.get(name, -LOST) < LOST:
            return b""
        self._given(tool, moment, moment.session, replies, LATE)
        return text

    async def standing(self, tool: Tool, moment: Moment, predecessor: Callable[[], str]) -> bytes:
        """The text that stands in every request; after a compaction the one that was made since.

        `predecessor` gives the line that names the session before, for a session that begins.

        The first request after a compaction may come before its row was read: there is one look, as for a last part.
        """
        name = f"{tool.name}:{moment.session}"
        await asyncio.wait({asyncio.create_task(self._catching_up.see_compaction(tool, moment))}, timeout=LOOK)
        replies = self._folders.replies(self._folder(tool, moment.session))
        text = replies.get(tool.request_event)
        found = marks.find(text.decode("utf-8", "replace"))
        if found is None:
            return self._opening(tool, moment, text, predecessor)
        if self._stands.get(name) != found.number:
            self._stands[name] = found.number
            self._given(tool, moment, moment.session, replace(replies, number=found.number), tool.request_event)
        return text

    def _opening(self, tool: Tool, moment: Moment, text: bytes, predecessor: Callable[[], str]) -> bytes:
        """What stands from a session's first request to its first compaction: its project's bootstrap, and the session before.

        The first request may come before anything of the session was read, or when it has a checkpoint already, with `text`.
        """
        folder = self._folder(tool, moment.session)
        kept, about = self._folders.standing(folder), made_for(constraints.of_directory(moment.cwd, moment.window))
        if self._begins(f"{tool.name}:{moment.session}") and (kept is None or not kept.compactions):
            bootstrap = self._bootstrap(moment) if kept is None else kept.reply.decode("utf-8", "replace")
            if whole := "\n\n".join(filter(None, (bootstrap, predecessor()))):
                kept = Standing(0, about if kept is None else kept.about, tool.reply(tool.request_event, whole))
                self._folders.let_stand(folder, kept)
        return kept.reply if kept and (kept.compactions, kept.about) == (0, about) else text

    def _bootstrap(self, moment: Moment) -> str:
        found = identity.find(moment.cwd)
        return opening.bootstrap(self._reader(), found, project.BOOTSTRAP, moment.window, wall_clock())

    def _begins(self, name: str) -> bool:
        """Whether this is a session's first request: nothing of it was answered, and none was asked for."""
        if name in self._begun:
            return False
        self._begun[name] = None
        store = self._reader()
        return not store.messages(name, channels={Channel.AGENT_TEXT}, last=1) and not store.operations(name, last=1)

    def _folder(self, tool: Tool, native: str) -> Path:
        return self._folders.session(tool.name, native)

    def _given(self, tool: Tool, moment: Moment, native: str, replies: Replies, prefix: str) -> None:
        """Record that a checkpoint's text was handed over, and in how many parts; a single line is no checkpoint."""
        session, origin = f"{tool.name}:{moment.session}", f"{tool.name}:{native}"
        texts = [
            reply
            for name, reply in replies.by_name.items()
            if name.startswith(prefix) and _PART.search(reply)  # not the constraints beside it
        ]
        hook, at = f"{moment.event}:{moment.source}" if moment.source else moment.event, wall_clock()
        self._gave[session] = time.monotonic()

        def give(pipeline: Pipeline) -> None:
            given = pipeline.store.checkpoints.get(origin, replies.number)
            if given is None or not any(
                marks.ending(given.number, origin, given.receipt).encode() in text for text in texts
            ):
                return
            behind = len(pipeline.store.boundaries(session))
            pipeline.store.deliveries.give(
                session,
                given.number,
                given.receipt,
                len(texts),
                hook,
                at,
                compactions=behind,
                origin=origin,
            )

        after_reply(lambda: self._worker.submit(Urgency.COMMAND, give))

    async def before_compaction(self, tool: Tool, moment: Moment) -> bytes | None:
        """A last refresh; then the text stands still until the compaction's parts were fetched."""
        key = f"{tool.name}:{moment.session}:compact"
        self.frozen.drop(key)  # of a compaction that did not come about
        self._told.pop(key, None)
        self._untold[key] = self._untold.get(key, 0) + 1
        await self._catching_up.bring_up(tool, moment, "precompact")
        replies = self._folders.replies(self._folder(tool, moment.session))
        return self.frozen.put(key, replies).replies.get("PreCompact")

    def _source(self, tool: Tool, moment: Moment) -> str:
        """The session whose checkpoint a fork gets: its own if it has one, else its source's."""
        if self._folders.published(self._folder(tool, moment.session)):
            return moment.session
        known = self._reader().session(f"{tool.name}:{moment.session}")
        origin = known.forked_from if known else None
        return origin.partition(":")[2] if origin else moment.session


def _running(parts: dict[int, asyncio.Event]) -> dict[int, asyncio.Event]:
    return {part: gone for part, gone in parts.items() if not gone.is_set()}


def _key(tool: Tool, moment: Moment) -> str:
    """What a text is frozen for."""
    return f"{tool.name}:{moment.session}:{moment.source}"
