"""What is known of entries only later: by the second witness, or because the session is over; and what is none yet.

The first two become events of the session's transcript, committed with the cursor where it stands.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memd.daemon.reader import kept
from memd.model import Event, Message, Session
from memd.model.masking import masked
from memd.store import Seed, Store
from memd.tools.protocol import Tool


def lift(store: Store, tool: Tool, session: Session, environ: Mapping[str, str], now: int) -> bool:
    """Let the tool's prompt history speak for entries that nothing attributes; whether it changed any."""
    history = tool.place(environ).history
    concerned = [record for record in store.messages(session.id) if tool.concerns(record)]
    if not concerned or history is None or not history.is_file() or session.parent is not None:
        return False
    with history.open("rb") as lines:
        events = tool.lift(concerned, lines, session.native)
    return _amend(store, session, lambda state: (state, events), tool, now)


def close(store: Store, tool: Tool, session: Session, now: int) -> bool:
    """The session is over, or read to its end: what its state still waits for did not come; whether there was any."""
    return _amend(store, session, tool.left, tool, now)


def queued(store: Store, tool: Tool, session: Session) -> tuple[Message, ...]:
    """What waits in the client's queue: what would not have been delivered if the session were over now.

    It is on disk as soon as it is typed, the row of its delivery later (measured on Claude Code 2.1.332: now and then only
    after PreCompact was answered). So it is given back before it is an entry, and no look has to come in time for it.
    """
    row = store.sources.of(session.path) if session.path else None
    try:
        events = tool.left(tool.load(kept(store, row)))[1] if row is not None else ()
    except (ValueError, TypeError, KeyError):  # another version's state: the next read starts afresh
        return ()
    return tuple(event for event in masked(events) if isinstance(event, Message))


def _amend(
    store: Store,
    session: Session,
    change: Callable[[Any], tuple[Any, Iterable[Event]]],
    tool: Tool,
    now: int,
) -> bool:
    row = store.sources.of(session.path) if session.path else None
    if row is None or session.path is None:
        return False
    try:
        state, events = change(tool.load(kept(store, row)))
    except (ValueError, TypeError, KeyError):  # another version's state: the next read starts afresh
        return False
    found = masked(tuple(events))
    if not found:
        return False
    seed = Seed(session.id, session.tool, session.native, session.parent, row.path, row.unit)
    said = tool.dump(state)
    store.commit(seed, row.cursor, said.text, found, places=said.places.new, size=row.size, offset=row.offset, now=now)
    return True
