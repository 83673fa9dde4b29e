"""The newest calls and messages of sessions at work, kept as values: a checkpoint looks at all of them after each turn.

One process writes at a time. So an answer is brought up to date by what this one's commits wrote: calls are read again by
their ids, messages behind the last that was read; where a commit changed older messages, those are let go. A call that began
before what an answer holds has no place in it, whatever becomes of it.
"""

from collections.abc import Collection

from msgspec import Struct, field

from memd.model import Channel, Done, Kind, Record
from memd.model.folded import SIZE, folded
from memd.store import keys, reading
from memd.store.calls import FIELDS, done
from memd.store.database import Database
from memd.store.lookup import listed
from memd.store.rows import Committed

MOST = 8_000
"""Calls and messages kept in all (a kilobyte or two each); the session that was asked for longest ago goes first."""
MUCH = 500
"""So many changed calls of a session are an old transcript that is being read: nothing of it is kept then."""

NEAR = 1_000
"""So many of a session's newest messages are as they are, where all are asked for; those before them are folded."""

Kinds = tuple[frozenset[Kind] | None, int | None]
Channels = tuple[frozenset[Channel], int | None]


class _Session(Struct):
    """Answers by what was asked, and ids of calls that were written since: those among them that began, and all."""

    calls: dict[Kinds, dict[str, Done]] = field(default_factory=dict)
    messages: dict[Channels, list[Record]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)

    @property
    def size(self) -> int:
        return sum(map(len, (*self.calls.values(), *self.messages.values())))

    def take(self, written: list[Done]) -> None:
        """Put calls where they belong: those that began behind the others."""
        for (kinds, last), answer in self.calls.items():
            for call in (call for call in written if kinds is None or call.kind in kinds):
                if call.call in answer or call.call in self.begun:
                    answer[call.call] = call
            for name in list(answer)[: -last if last is not None else 0]:
                del answer[name]
        self.begun.clear()
        self.changed.clear()


class Latest:
    """Keeps calls in the order of their start and messages by number."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._kept: dict[str, _Session] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0

    def operations(self, session: str, kinds: Collection[Kind] | None, last: int | None) -> list[Done]:
        """See `Store.operations`."""
        kept, asked = self._of(session), (None if kinds is None else frozenset(kinds), last)
        if kept.changed:
            kept.take(self._written(session, kept.changed))
        if asked not in kept.calls:
            found = reading.operations(self._db, session, after=0, upto=None, kinds=kinds, states=None, last=last)
            kept.calls[asked] = {one.call: one for one in found}
            self._shrink(session)
        return list(kept.calls[asked].values())

    def messages(self, session: str, channels: Collection[Channel], last: int | None) -> list[Record]:
        """See `Store.messages`."""
        kept, asked = self._of(session), (frozenset(channels), last)
        answer = kept.messages.setdefault(asked, [])
        after = answer[-1].number if answer else 0
        if last is None:
            for record in reading.oldest_first(self._db, session, after=after, channels=channels):
                _add(answer, record)
        else:
            answer += reading.messages(
                self._db, session, after=after, upto=None, channels=channels, last=last, numbers=None
            )
            del answer[:-last]
        self._shrink(session)
        return list(answer)

    def committed(self, made: Committed) -> None:
        """Note what a commit wrote."""
        for name, other in self._kept.items() if made.altered else ():
            other.messages.clear()
            self._weigh(name)
        kept = self._kept.get(made.session)
        if kept is not None:
            kept.begun.update(made.begun)
            kept.changed.update(made.calls)
            if len(kept.changed) > MUCH:
                self._drop(made.session)

    def forget(self, but: str | None = None) -> None:
        """Give all of it back but one session's."""
        for session in [name for name in self._kept if name != but]:
            self._drop(session)

    def _of(self, session: str) -> _Session:
        """A session's answers; it is the one that was asked for last."""
        kept = self._kept[session] = self._kept.pop(session, _Session())
        return kept

    def _written(self, session: str, calls: Collection[str]) -> list[Done]:
        rows = self._db.rows(
            f"SELECT {FIELDS} FROM operation o WHERE session = (SELECT row FROM session WHERE id = ?)"  # noqa: S608 - a constant
            " AND key IN (SELECT value FROM json_each(?)) ORDER BY id",
            (session, listed(keys.of(calls))),
        )
        return [done(row) for row in rows]

    def _shrink(self, session: str) -> None:
        """Keep the session that was just asked for, whatever it has, and of the others what there is room for."""
        self._weigh(session)
        while self._total > MOST and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))

    def _weigh(self, session: str) -> None:
        size = self._kept[session].size
        self._total += size - self._sizes.get(session, 0)
        self._sizes[session] = size

    def _drop(self, session: str) -> None:
        del self._kept[session]
        self._total -= self._sizes.pop(session, 0)


def _add(answer: list[Record], record: Record) -> None:
    """Put a message behind the others, and fold the oldest of those that are as they are, where there are enough of them."""
    answer.append(record)
    far = len(answer) - NEAR
    if far > 0 and far % SIZE == 0:
        answer[far - SIZE : far] = folded(answer[far - SIZE : far])
