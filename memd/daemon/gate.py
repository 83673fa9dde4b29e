"""Which transcripts may be recorded: not those of ignored directories, nor those that were forgotten.

Until a transcript tells its directory nothing of it is kept: it is read from its start again at the next hint. One in which
the agent has answered without a directory in any row has none to tell, and is recorded; so is one that a person names. One that
may never tell it, since its rows are of types that this memd does not know, is named.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeGuard

from memd.daemon.ignore import Ignore
from memd.health.verdict import ROWS
from memd.model import Channel, Event, Facts, Gap, Message
from memd.model.newest import Newest
from memd.store import Seed, SourceRow, Store

TURNED_AWAY = 10_000
_UNREAD = frozenset({"unknown", "words", "malformed", "torn"})


class Gate:
    """Asked by the reader, before and after it looks into a transcript."""

    def __init__(self, store: Store, ignore: Ignore, strange: Callable[[str], object] = str) -> None:
        self._store = store
        self._ignore = ignore
        self._strange = strange
        self._directories = Newest[Path, str](TURNED_AWAY)
        """Of transcripts that were turned away: so the newest need not be read again to be turned away again."""
        self._named: set[Path] = set()

    def closed(self, path: Path, row: SourceRow | None) -> bool:
        """Whether a transcript is not to be read (on) because of its directory, as far as that is known."""
        known = self._store.session(row.session) if row else None
        directory = known.cwd if known else self._directories.get(path)
        return directory is not None and self._ignore.reason(directory) is not None

    def reason(self, path: Path) -> str | None:
        """What says that a transcript that was turned away is not recorded."""
        directory = self._directories.get(path)
        return None if directory is None else self._ignore.reason(directory)

    def ignores(self, directory: str) -> bool:
        """Whether nothing of a directory is to be kept."""
        return self._ignore.reason(directory) is not None

    def welcome(self, path: Path) -> None:
        """A person names this transcript: it may be recorded although it tells no directory."""
        self._named.add(path)

    def admits(self, seed: Seed, size: int, events: Iterable[Event], *, whole: bool) -> bool | None:
        """Whether a transcript of which nothing is recorded yet may be; None: these events, not its whole, do not tell."""
        if self._store.forgetting.is_forgotten(seed.session, seed.parent, seed.path, size):
            return False
        found, known = list(events), self._store.session(seed.session)
        directory = next((event.cwd for event in found if isinstance(event, Facts) and event.cwd), None)
        if known is not None:  # another file of a session that is recorded: its directory is that one's, told or not
            directory = directory or known.cwd
            return directory is None or self._ignore.reason(directory) is None
        if directory is None:
            answered = any(isinstance(event, Message) and event.channel is Channel.AGENT_TEXT for event in found)
            if not (whole or answered):
                return None
            welcome = answered or Path(seed.path) in self._named
            if not welcome and sum(event.count for event in found if _unread(event)) >= ROWS:
                self._strange(f"{seed.path}: not recorded: no row that this memd can read tells its directory")
            return welcome
        if self._ignore.reason(directory) is None:
            return True
        self._directories[Path(seed.path)] = directory
        return False


def _unread(event: Event) -> TypeGuard[Gap]:
    return isinstance(event, Gap) and event.kind in _UNREAD
