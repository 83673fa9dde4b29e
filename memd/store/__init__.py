"""memd's own database and its only SQL.

`database` opens the file (`aside` puts a damaged one away), `migrations` gives it its `shape`. A commit goes through `lookup`
(what is known of the keys), `batch` with `calls` and `ranges` (thinking, no SQL), `writing` with `tables` (doing) and `copies`
(whose copy is whose). `sources`, `sessions`, `reading` (`latest`: kept), `checkpoints`, `judging` and `deliveries` answer
questions, `glances` small ones. `Store` is the way in; the nouns of its own are in `rows`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memd.later import later
from memd.model import Boundary, Channel, Done, Event, Fill, Kind, Record, Session, State
from memd.store import reading, sessions
from memd.store.checkpoints import Checkpoints
from memd.store.database import Database, open_reader, open_writer
from memd.store.deliveries import Deliveries
from memd.store.glances import Glances
from memd.store.judging import Judging
from memd.store.rows import Committed, Hit, Seed, SourceRow
from memd.store.sources import Sources

if TYPE_CHECKING:
    from memd.store import aside, forgetting, latest, projects, search, writing
    from memd.store.commits import Together
else:
    aside, forgetting, latest, projects, search, writing = later(
        __name__, "aside", "forgetting", "latest", "projects", "search", "writing"
    )

__all__ = ["Committed", "Hit", "Seed", "SourceRow", "Store"]


class Store:
    """One open record, used from the thread that opened it. One process writes, any number read beside it.

    All times are milliseconds since the epoch, UTC. Every method raises `StoreTrouble` when the file is locked for
    longer than 5 s, full or damaged. Asking about a session that is not recorded gives nothing, not an error, unless it
    says so.
    """

    def __init__(self, database: Database, *, writes: bool = True) -> None:
        self._db, self._writes = database, writes
        self.judging = Judging(database)
        """The memo's boxes that were decided on, and the runs of models."""
        self.checkpoints = Checkpoints(database)
        self.deliveries = Deliveries(database)
        """What was handed to hooks, and what transcripts show of it."""
        self.sources = Sources(database)
        """How far each transcript is read."""
        self.glances = Glances(database)
        """Small questions about many sessions."""

    @cached_property
    def forgetting(self) -> forgetting.Forgetting:
        """What is taken out, and what stays whatever its age."""
        return forgetting.Forgetting(self._db, self.release)

    @cached_property
    def _latest(self) -> latest.Latest:
        return latest.Latest(self._db)

    @cached_property
    def projects(self) -> projects.Projects:
        """The journal and the anchors."""
        return projects.Projects(self._db)

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Self:
        """Open the record at `path`, made if need be; `readonly` never makes, changes or blocks anything.

        Raises:
            NotFound: `readonly` and nothing is recorded yet.
            Refused: a newer memd wrote it; `readonly` and an older one did.
            StoreTrouble: it cannot be opened, or is damaged.
        """
        return cls(open_reader(path), writes=False) if readonly else cls(open_writer(path))

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def release(self, but: str | None = None) -> None:
        """Give the memory of texts that were unpacked, and of what the newest questions were answered with, back.

        With `but`, what is kept of that session stays: it is about to be asked for.
        """
        self._db.unpacked.release()
        self._latest.forget(but)

    def sound(self) -> bool:
        """Whether the whole file is in order; takes seconds for a large one."""
        return aside.sound(self._db)

    def rescue(self) -> tuple[str, ...]:
        """Carry over what was forgotten and pinned from damaged records that were set aside; the lists that were lost.

        Each of them once. What transcripts tell is read from them again.
        """
        return aside.rescue(self._db)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What readers of transcripts write.

    def commit(
        self,
        seed: Seed,
        cursor: str,
        reader: str,
        events: Iterable[Event],
        *,
        size: int,
        now: int,
        offset: int | None = None,
        places: Mapping[str, str] | None = None,
        anew: bool = False,
    ) -> Committed:
        """Record events in file order with the cursor and the reader's state behind them: all of it, or nothing.

        Args:
            seed: the session and the path that the events come from.
            cursor: where to go on in the source after these events.
            reader: the parser's state after these events.
            events: what was read; a message whose key the session has is counted, not recorded again.
            size: how far the source reaches, in the seed's unit.
            now: when it was read.
            offset: how far it is read, in the seed's unit; without it all of `size`.
            places: what the parser looks up by key, in addition to what is kept for the source.
            anew: the source is read from its start (again), so what could not be read of it is counted anew, and its
                places are these alone.
        """
        reached = writing.Reached(cursor, reader, places or {}, size, size if offset is None else offset, anew=anew)
        made = writing.commit(self._db, seed, reached, events, now)
        self._latest.committed(made)
        return made

    def together(self) -> AbstractContextManager[Together]:
        """All that is written inside is recorded as one; where something of it fails, all before it is taken back too."""
        return self._db.commits.together()

    def rehearse(self) -> None:
        """Make the first commit as quick as the next ones; nothing is recorded."""
        writing.rehearse(self._db)

    # Sessions.

    def session(self, id: str) -> Session | None:  # noqa: A002  # the noun's own word
        """The session with exactly this id."""
        return sessions.session(self._db, id)

    def sessions(self, *, children: bool = False, last: int | None = None) -> list[Session]:
        """All sessions or the `last` N, newest entry first; sub-agents only if asked for."""
        return list(sessions.each(self._db, children=children, last=last))

    def each_session(self, *, children: bool = False) -> Iterator[Session]:
        """All sessions, one at a time: ten thousand at once take ten megabytes. Nothing may be written meanwhile."""
        return sessions.each(self._db, children=children)

    def find(self, text: str | None, cwd: str | None) -> Session:
        """The session that a person means.

        An exact id wins, with or without the tool; then a prefix, with or without the tool, which matches sub-agents
        only when it holds "/". None means the newest session whose directory is `cwd`, else the newest.

        Raises:
            NotFound: nothing fits, or the text is empty.
            Ambiguous: several fit; the message names up to five.
        """
        return sessions.find(self._db, text, cwd)

    def end_session(self, id: str, at: int) -> None:  # noqa: A002  # the noun's own word
        """The tool said that the session ended at `at`; an entry from after that takes it back."""
        sessions.set_ended(self._db, id, at)

    def reopen_session(self, id: str) -> None:  # noqa: A002  # the noun's own word
        """The session goes on."""
        sessions.set_ended(self._db, id, None)

    def move_session(self, id: str, directory: str) -> None:  # noqa: A002  # the noun's own word
        """The session goes on in this directory: its project was moved."""
        sessions.set_cwd(self._db, id, directory)

    def set_window(self, id: str, tokens: int) -> None:  # noqa: A002  # the noun's own word
        """The client told how large the session's context window is."""
        sessions.set_window(self._db, id, tokens)

    # What was said and done.

    def messages(
        self,
        session: str,
        *,
        after: int = 0,
        upto: int | None = None,
        channels: Collection[Channel] | None = None,
        last: int | None = None,
        numbers: Collection[int] | None = None,
    ) -> list[Record]:
        """Messages in number order, `after` excluded, `upto` included; `last` takes the last N of what is left."""
        return reading.messages(
            self._db, session, after=after, upto=upto, channels=channels, last=last, numbers=numbers
        )

    def message(self, session: str, number: int) -> Record | None:
        """One message."""
        return next(iter(self.messages(session, after=number - 1, upto=number)), None)

    def operations(
        self,
        session: str,
        *,
        after: int = 0,
        upto: int | None = None,
        kinds: Collection[Kind] | None = None,
        states: Collection[State] | None = None,
        last: int | None = None,
    ) -> list[Done]:
        """Tool calls in order of start; `after`, `upto` and `last` as in `messages`, by the calls' numbers."""
        return reading.operations(self._db, session, after=after, upto=upto, kinds=kinds, states=states, last=last)

    def latest_messages(self, session: str, *, channels: Collection[Channel], last: int | None = None) -> list[Record]:
        """The same as `messages`; where this store writes they are kept, and after a commit only what it wrote is read.

        `release` gives them back.
        """
        if not self._writes:
            return self.messages(session, channels=channels, last=last)
        return self._latest.messages(session, channels, last)

    def latest_operations(
        self, session: str, *, kinds: Collection[Kind] | None = None, last: int | None = None
    ) -> list[Done]:
        """The same as `operations`, kept like the messages."""
        if not self._writes:
            return self.operations(session, kinds=kinds, last=last)
        return self._latest.operations(session, kinds, last)

    def search(
        self,
        query: str,
        *,
        now: int,
        session: str | None = None,
        channels: Collection[Channel] | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """Messages that hold all words and "phrases" of the query, best first; nothing in it is an operator.

        The score is `-bm25 / (1 + days / 30)`: how much the words say about the message, half as much after a month,
        a third after two. Chinese, Japanese and Korean are found by any run of characters.

        Args:
            query: words in any order; between quotation marks a phrase. Upper case, accents and signs do not matter.
            now: the time from which age is counted.
            session: only this session and its sub-agents; without it all, and copies in forks are left out.
            channels: only these.
            limit: at most so many.
        """
        return search.search(self._db, query, session=session, channels=channels, limit=limit, now=now)

    # How it went.

    def boundaries(self, session: str) -> list[Boundary]:
        """Compactions, oldest first."""
        return reading.boundaries(self._db, session)

    def fills(self, session: str) -> list[Fill]:
        """How full the context was at each answer of the model, oldest first."""
        return reading.fills(self._db, session)

    def channels(self, session: str) -> dict[int, Channel]:
        """The channel of every message that is in force, by number."""
        return reading.channels(self._db, session)

    def copies(self, session: str) -> dict[int, str]:
        """`<session>#n` of what each copied message is a copy of, by number."""
        return reading.copies(self._db, session)

    # Small values that belong to no session.

    def meta_get(self, key: str) -> str | None:
        """A counter or a mark of the daemon's own."""
        return reading.meta_get(self._db, key)

    def meta_set(self, key: str, value: str) -> None:
        """Replace it."""
        reading.meta_set(self._db, key, value)
