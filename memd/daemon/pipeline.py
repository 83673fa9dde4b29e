"""The whole flow on one page.

    transcript --tail--> lines --tool.feed--> events --store.commit--> record --keeper--> checkpoint --folders--> ready replies

`Pipeline` does this for one path or one session at a time, in the caller's thread; it holds the one open record. The daemon
runs it in its worker thread (`worker`), `memd ingest` and `memd checkpoint` run it directly when no daemon does.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from memd import tokens
from memd.config import Config, Paths
from memd.daemon import afterthoughts, moved
from memd.daemon.gate import Gate
from memd.daemon.ignore import Ignore
from memd.daemon.journalling import Journalling
from memd.daemon.keeper import Keeper
from memd.daemon.layer import Layer
from memd.daemon.noting import Noting
from memd.daemon.parsing import Ask, Parsed
from memd.daemon.projects import Projects
from memd.daemon.reader import Reader, Step
from memd.daemon.revising import Reviser
from memd.daemon.thrift import Bound
from memd.errors import NotFound, Unwanted, told
from memd.model import Checkpoint, Problem, once
from memd.store import Seed, Store
from memd.store.commits import Together
from memd.store.folders import Folders
from memd.tail.batch import Line
from memd.tools.protocol import Identity, News, Tool
from memd.tools.registry import TOOLS
from memd.tools.registry import tool as named
from memd.writers.extractive import Extractive

FALLBACK = "the checkpoint is made, and what hooks give back is of it"
"""What holds where only the copies for people cannot be written."""


def _raise(error: OSError) -> None:
    raise error


def wall_clock() -> int:
    """Now, in milliseconds since the epoch."""
    return int(time.time() * 1000)


class Pipeline:
    """Reads transcripts into the record and keeps their checkpoints current."""

    def __init__(
        self,
        config: Config,
        paths: Paths,
        clock: Callable[[], int] = wall_clock,
        environ: Mapping[str, str] = os.environ,
        trouble: Callable[[OSError], None] = _raise,
        strange: Callable[[str], object] = str,
    ) -> None:
        self.store = Store.open(paths.state / "memd.db")
        self.folders = Folders(paths.state)
        self.keeper = Keeper(self.store, self.folders, config, clock)
        home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - a text is needed
        self.gate = Gate(self.store, Ignore(config.ignore, home), strange)
        self._reader = Reader(self.store, paths.state / "sessions", clock, self.gate, config.trust.hosts)
        self._clock = clock
        self._writer = Extractive()
        self.journalling = Journalling(self.store, paths.state, clock)
        layer = Layer(self.store, paths.state, clock)
        self.projects = Projects(self.store, self.gate, self.journalling, layer, trouble)
        self._noting = Noting(self.store, self.projects, environ, clock)
        self.reviser = Reviser(self.store, self.keeper, self._writer)
        self.store.judging.abandon_runs()
        self._bound = Bound(self.forget)
        self._unwritten: dict[str, OSError] = {}

    def close(self) -> None:
        """Let the record go."""
        try:
            self.keeper.left.finish_all()
        finally:
            self.store.close()

    def release(self) -> None:
        """Give back what is kept in memory only to be quick: nothing is to be done.

        The tokenizer last: it has the C library return what was let go, which includes the rest.
        """
        self.forget()
        tokens.release()

    def forget(self) -> None:
        """Let go of answers that are remembered only to be quick."""
        once.forget()
        self.keeper.let_go()
        self.store.release()

    def prepare(self) -> None:
        """Import what reads and records, which comes with the first row (this one says nothing): no hook shall wait for it."""
        for tool in map(named, self.store.glances.tally()):
            state, _ = tool.feed(tool.start(Identity("")), Line(0, 2, b"{}"))
            tool.left(state)
        self.store.rehearse()

    def whose(self, tool: Tool, path: Path) -> Seed | None:
        """The session of a transcript, recorded or not."""
        return self._reader.session(tool, path)

    def size(self, tool: Tool, path: Path) -> int:
        """What is in a transcript, in its tool's unit."""
        return self._reader.size(tool, path)

    def step(self, tool: Tool, path: Path) -> Step:
        """Read a transcript on by one step; what it shows of an injection becomes proof of delivery."""
        return self._noting.taken(tool, self._reader.step(tool, path))

    def ask(self, tool: Tool, path: Path, upto: int) -> Ask | None:
        """What the next step of a transcript is made from, where another process may make it and `upto` is not read."""
        return self._reader.ask(tool, path, upto)

    def take(self, tool: Tool, ask: Ask, parsed: Parsed) -> Step | None:
        """A step that another process made, as `step`; None where it is not the next one any more."""
        step = self._reader.take(tool, ask, parsed)
        return None if step is None else self._noting.taken(tool, step)

    def together(self, between: Callable[[], None]) -> AbstractContextManager[Together]:
        """Steps that are taken inside are recorded as one; `between` is called before what follows from each."""
        return self._noting.together(between)

    def end(self, name: str) -> None:
        """The tool says that the session ended."""
        self.over(name)
        self.store.end_session(name, self._clock())

    def take_up(self, name: str, directory: str | None) -> None:
        """A session is taken up again: it has not ended, and what failed in its last run is forgotten.

        Where its own directory is not here any more it goes on in this one: its project was moved or renamed.
        """
        known = self.store.session(name)
        if known is not None:
            if directory is not None and moved.gone_on(known, directory):
                self.store.move_session(name, directory)
            self.store.judging.take_up(name, self._clock())
            if known.ended_at is not None:
                self.store.reopen_session(name)

    def over(self, name: str) -> None:
        """The session ended, or was read once to its end: what still waited for its row did not come.

        The witness is asked last: of what did not come too, and where its line was written after the row was read.
        """
        session = self.store.session(name)
        if session is not None:
            tool = named(session.tool)
            afterthoughts.close(self.store, tool, session, self._clock())
            self._noting.lift(tool, name)

    def current(self, name: str) -> bool:
        """Whether a session's checkpoint holds for all that is recorded."""
        session, upto = self.store.session(name), self.store.checkpoints.upto(name)
        return session is not None and upto is not None and upto >= session.messages

    def behind(self, name: str) -> bool:
        """Whether the text that stands in a session's requests is one from before its last compaction."""
        session = self.store.session(name)
        return session is not None and self.keeper.ready.behind(named(session.tool), session)

    def counts(self, session: str) -> bool:
        """Whether the tokenizer is used for a session's checkpoint; then there is room for it."""
        if self.keeper.long(session):
            return False
        if not tokens.loaded():
            self._bound.make_room(tokens.SIZE)
        return True

    def refresh(self, session: str, trigger: str) -> Checkpoint | None:
        """Bring a session's checkpoint up to date."""
        self.counts(session)
        made = self.keeper.refresh(session, trigger, self._writer)
        self.finish(session)
        self._bound.look()
        return made

    def refresh_for_hook(self, session: str, trigger: str) -> None:
        """The same as far as a hook waits for it: what hooks give back. `finish` does the rest."""
        with tokens.hurried():
            self.keeper.refresh(session, trigger, self._writer)

    def draft_ahead(self, session: str) -> None:
        """Make the draft that a session's next checkpoint will be of, if nothing else comes until that is due."""
        with tokens.hurried():  # a hook may come any moment
            self.keeper.draft_ahead(session, self._writer)

    def finish(self, session: str) -> None:
        """What is left of a session's checkpoint, and what is kept of the project; `unwritten` tells what could not be."""
        self._unwritten.pop(session, None)
        try:
            done = self.keeper.finish(session)
        except OSError as error:
            self._unwritten[session], done = error, True
        if done:
            self.projects.bring_up(session)

    def unwritten(self, session: str) -> OSError | None:
        """Why what people read of a session's checkpoint could not be written, when that was tried last."""
        return self._unwritten.get(session)

    def problems(self, session: str) -> tuple[Problem, ...]:
        """The same as who asked for the checkpoint is told it."""
        error = self.unwritten(session)
        return () if error is None else (Problem("copies", f"cannot be written: {told(error)}", FALLBACK),)

    def complaints(self, session: str) -> list[str]:
        """The same in lines."""
        return [f"{session}: {one.part}: {one.fault}; {one.fallback}" for one in self.problems(session)]

    def read_whole(self, tool: Tool, path: Path) -> str | None:
        """Read a transcript to its present end; the session that it belongs to."""
        while (step := self.step(tool, path)).more:
            pass
        return step.session

    def transcript(self, session: str) -> tuple[Tool, Path] | None:
        """A session's transcript and whose it is, where it is still there."""
        known = self.store.session(session)
        if known is None or known.path is None:
            return None
        tool, path = named(known.tool), Path(known.path)
        return (tool, path) if tool.there(path) else None

    def news(self, tool: Tool, file: Path) -> Sequence[News]:
        """The transcripts that a changed file may have something new in."""
        return tool.sources(
            file, lambda: {Path(path): at for path, at in self.store.sources.offsets(tool.name).items()}
        )

    def checkpoint(self, session: str) -> Checkpoint | None:
        """Read a session's transcript to its end, where it is still there, and make its checkpoint."""
        source = self.transcript(session)
        if source is not None:
            self.read_whole(*source)
        return self.refresh(session, "command")

    def ingest(self, tool: Tool, path: Path, trigger: str = "ingest") -> str:
        """Read a transcript to its end and leave a current checkpoint; the session.

        Raises:
            NotFound: the file names no session, or one that is not to be recorded (`Unwanted`).
            SourceUnreadable: it cannot be read.
        """
        return self.complete(self.read_whole(tool, path), tool, path, trigger)

    def complete(self, session: str | None, tool: Tool, path: Path, trigger: str = "ingest") -> str:
        """A transcript was read to its end, for once: close what waited, and leave a current checkpoint.

        Raises:
            NotFound: the file names no session, or one that is not to be recorded (`Unwanted`).
        """
        if session is None:
            raise self._why_not(tool, path)
        self.over(session)
        self.refresh(session, trigger)
        return session

    def _why_not(self, tool: Tool, path: Path) -> NotFound:
        seed = self.whose(tool, path)
        if seed is None:
            return NotFound(f"{path}: a transcript of {tool.name} that names no session, or one of memd's own runs")
        why = self.gate.reason(path) or "it tells no directory yet"
        return Unwanted(f"{path}: {seed.session} is not recorded: {why}")

    def unfinished(self) -> list[str]:
        """Sessions whose checkpoint or its files a crash left behind the record, the newest first."""
        return self.store.glances.unfinished(
            lambda tool, native, number: self.folders.sound(self.folders.session(tool, native), number)
        )

    def missing(self) -> Iterator[tuple[Tool, Path]]:
        """Transcripts that were deleted while nobody watched, one at a time; nothing may be recorded meanwhile."""
        known = ((tool, Path(path)) for tool in TOOLS.values() for path in self.store.sources.paths(tool.name))
        return ((tool, path) for tool, path in known if not tool.there(path))
