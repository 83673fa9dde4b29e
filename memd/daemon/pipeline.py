"""The whole flow on one page.

    transcript --tail--> lines --tool.feed--> events --store.commit--> record --keeper--> checkpoint --folders--> ready replies

`Pipeline` does this for one path or one session at a time, in the caller's thread; it holds the one open record. The daemon
runs it in its worker thread (`worker`), `memd ingest` and `memd checkpoint` run it directly when no daemon does.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from memd.config import Config, Paths
from memd.daemon import afterthoughts
from memd.daemon.keeper import Keeper
from memd.daemon.reader import Reader, Step, head
from memd.errors import NotFound, SourceUnreadable
from memd.model import Checkpoint
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS
from memd.tools.registry import tool as named
from memd.writers.extractive import Extractive


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
    ) -> None:
        self.store = Store.open(paths.state / "memd.db")
        self.folders = Folders(paths.state)
        self.keeper = Keeper(self.store, self.folders, config, clock)
        self._reader = Reader(self.store, clock)
        self._clock = clock
        self._environ = environ
        self._writer = Extractive()

    def close(self) -> None:
        """Let the record go."""
        self.store.close()

    def step(self, tool: Tool, path: Path) -> Step:
        """Read a transcript on by one step; what it shows of an injection becomes proof of delivery."""
        step = self._reader.step(tool, path)
        if step.session is not None:
            for receipt in step.receipts:
                self._prove(step.session, receipt.number, receipt.parts, receipt.hook, receipt.at)
            if any(tool.concerns(record) for record in step.added) and not step.more:
                self._lift(tool, step.session)
        return step

    def _lift(self, tool: Tool, name: str) -> None:
        """Ask the second witness about what nothing else attributes."""
        session = self.store.session(name)
        if session is not None:
            afterthoughts.lift(self.store, tool, session, self._environ, self._clock())

    def end(self, name: str) -> None:
        """The tool says that the session ended."""
        self.over(name)
        self.store.end_session(name, self._clock())

    def over(self, name: str) -> None:
        """The session ended, or was read once to its end: what still waited for its row did not come."""
        session = self.store.session(name)
        if session is not None:
            afterthoughts.close(self.store, named(session.tool), session, self._clock())

    def _prove(self, session: str, number: int, parts: int, hook: str, at: int | None) -> None:
        """A text that a hook read from disk while the daemon was down is known by its checkpoint's number."""
        given = self.store.checkpoint(session, number)
        if given is not None:
            behind = len(self.store.boundaries(session))
            self.store.give(
                session, number, given.receipt, parts, hook, at or self._clock(), compactions=behind, short=False
            )

    def current(self, name: str) -> bool:
        """Whether a session's checkpoint holds for all that is recorded."""
        session, made = self.store.session(name), self.store.current_checkpoint(name)
        return session is not None and made is not None and made.upto >= session.messages

    def refresh(self, session: str, trigger: str) -> Checkpoint | None:
        """Bring a session's checkpoint up to date."""
        return self.keeper.refresh(session, trigger, self._writer)

    def read_whole(self, tool: Tool, path: Path) -> str | None:
        """Read a transcript to its present end; the session that it belongs to."""
        while (step := self.step(tool, path)).more:
            pass
        return step.session

    def checkpoint(self, session: str) -> Checkpoint | None:
        """Read a session's transcript to its end, where it is still there, and make its checkpoint."""
        known = self.store.session(session)
        if known is not None and known.path is not None and Path(known.path).is_file():
            self.read_whole(named(known.tool), Path(known.path))
        return self.refresh(session, "command")

    def ingest(self, paths: Iterable[Path], tool: Tool | None, trigger: str = "ingest") -> Iterator[str]:
        """Read transcripts to their end and leave a current checkpoint for each session.

        Raises:
            NotFound: a path is not there, or no tool knows the file.
            SourceUnreadable: a file cannot be read.
        """
        for path in paths:
            for owner, transcript in self._transcripts(path.absolute(), tool):
                session = self.read_whole(owner, transcript)
                if session is None:
                    raise NotFound(f"{transcript}: a transcript of {owner.name} that names no session")
                self.over(session)
                self.refresh(session, trigger)
                yield session

    def _transcripts(self, path: Path, tool: Tool | None) -> Iterator[tuple[Tool, Path]]:
        """The transcripts behind a path: itself with its sub-agents', or all below a directory."""
        if path.is_dir():
            found = [(owner, file) for owner, file in _below(path, tool) if file.is_file()]
            if not found:
                raise NotFound(f"{path}: no transcript in it that memd knows")
            yield from found
            return
        if not path.is_file():
            raise NotFound(f"{path}: no such file")
        owner = tool or owner_of(path)
        yield owner, path
        yield from ((owner, child) for child in owner.children(path))


def _below(folder: Path, tool: Tool | None) -> Iterator[tuple[Tool, Path]]:
    for file in sorted(folder.rglob("*")):
        owner = tool or next(
            (t for t in TOOLS.values() if t.wanted(file) and file.is_file() and t.claims(head(file))), None
        )
        if owner is not None and owner.wanted(file):
            yield owner, file


def owner_of(path: Path) -> Tool:
    """The tool that wrote a transcript, told by its first lines.

    Raises:
        NotFound: no tool knows it.
    """
    try:
        start = head(path)
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror}") from error
    for tool in TOOLS.values():
        if tool.claims(start):
            return tool
    raise NotFound(f"{path}: not a transcript of {', '.join(TOOLS)}; --tool names the tool if it is")


def tool_named(name: str | None) -> Tool | None:
    """The tool that an option names."""
    return None if name is None else named(name)
