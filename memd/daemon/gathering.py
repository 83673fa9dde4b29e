"""What a checkpoint is made from, asked of the record."""

from collections.abc import Collection
from operator import attrgetter

from memd.daemon import afterthoughts, summaries
from memd.daemon.lineage import inherited
from memd.extract.material import BLOCK, SPEAKING, Material, newest
from memd.model import Channel, Done, Kind, Message, Record, Session
from memd.store import Store
from memd.tools.registry import tool as named

AGENT_TEXTS, CALLS = 200, 1_500
"""So many of the newest are looked at at least; what people asked for is always read whole."""
_DECISIONS = frozenset({Kind.PLAN, Kind.ASK})
"""Calls by which the person is asked."""


class Gathering:
    """Asks one record."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def material(self, session: Session, upto: int | None = None) -> Material:
        """All that a checkpoint of the session is made from; with `upto` what there was up to that entry.

        What the agent said, and what the person decided of its plans and questions, in a part of the conversation that was
        taken back is not among it; what its calls did is.
        """
        store, name = self._store, session.id
        agent = newest(self._texts(name, upto, {Channel.AGENT_TEXT}, AGENT_TEXTS + BLOCK), AGENT_TEXTS)
        said, before = inherited(store, name, self._texts(name, upto, SPEAKING))
        boundaries = tuple(store.boundaries(name)[: None if upto is None else session.compactions])
        return Material(
            session,
            said,
            tuple(record for record in agent if record.in_force),
            self._calls(name, upto),
            boundaries,
            before,
            self.waiting(session) if upto is None else (),
            summaries.failed(store, name, boundaries, upto),
        )

    def _calls(self, name: str, upto: int | None) -> tuple[Done, ...]:
        store = self._store
        decisions = self._asked(name, upto, kinds=_DECISIONS)
        numbers = {d.number for d in decisions}
        gone = {r.number for r in store.messages(name, numbers=numbers) if not r.in_force} if numbers else set[int]()
        tasks, recent = (
            self._asked(name, upto, kinds={Kind.TASKS}, last=20),
            self._asked(name, upto, last=CALLS + BLOCK),
        )
        calls = {d.call: d for d in (*decisions, *tasks, *newest(recent, CALLS))}
        stand = [d for d in calls.values() if d.number not in gone or d.kind not in _DECISIONS]
        if len({d.number for d in stand}) < len(stand):  # several that run
            stand.sort(key=lambda d: d.at or 0)
        return tuple(sorted(stand, key=attrgetter("number")))

    def _texts(
        self, name: str, upto: int | None, channels: Collection[Channel], last: int | None = None
    ) -> list[Record]:
        """Messages up to an entry; the newest are kept by the store."""
        if upto is None:
            return self._store.latest_messages(name, channels=channels, last=last)
        return self._store.messages(name, upto=upto, channels=channels, last=last)

    def _asked(
        self, name: str, upto: int | None, kinds: Collection[Kind] | None = None, last: int | None = None
    ) -> list[Done]:
        """Calls up to an entry; the newest are kept by the store."""
        if upto is None:
            return self._store.latest_operations(name, kinds=kinds, last=last)
        return self._store.operations(name, upto=upto, kinds=kinds, last=last)

    def waiting(self, session: Session) -> tuple[Message, ...]:
        """What waits in the client's queue."""
        return afterthoughts.queued(self._store, named(session.tool), session)
