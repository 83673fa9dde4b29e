"""What is known of entries only later: by the second witness, or because the session is over.

Both become events of the session's transcript, committed with the cursor where it stands.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memd.model import Event, Session
from memd.model.secrets import masked
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


def _amend(
    store: Store,
    session: Session,
    change: Callable[[Any], tuple[Any, Iterable[Event]]],
    tool: Tool,
    now: int,
) -> bool:
    row = store.source(session.path) if session.path else None
    if row is None or session.path is None:
        return False
    try:
        state, events = change(tool.load(row.reader))
    except (ValueError, TypeError, KeyError):  # another version's state: the next read starts afresh
        return False
    found = [masked(event) for event in events]
    if not found:
        return False
    seed = Seed(session.id, session.tool, session.native, session.parent, row.path, row.unit)
    store.commit(seed, row.cursor, tool.dump(state), found, size=row.size, offset=row.offset, now=now)
    return True
