"""Sessions that were at work when the daemon started are looked through when nothing else is to be done.

What their texts and calls say is remembered then, as it is of a session that the daemon has followed for a turn, and goes when
the daemon rests. So a compaction that is the first thing after a start is answered as one that comes later.
"""

from functools import partial
from itertools import islice, takewhile
from pathlib import Path

from memd import tokens
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.model import Session
from memd.store import Store
from memd.tools.registry import tool as named

AT_WORK = 3
"""So many sessions at most, 0.1 s of processor time each."""


def look_through(worker: Worker, since: float, pipeline: Pipeline) -> None:
    """Plan it for the sessions that were at work last, of those that were since a time (seconds since the epoch)."""
    for name in lately(pipeline.store, AT_WORK, since):
        worker.submit(Urgency.LAST, partial(_foresee, name))


def lately(store: Store, last: int, since: float) -> list[str]:
    """The sessions with the newest entries whose transcripts are there, newest first; sub-agents have no checkpoint.

    The record is asked, and not the files: by now it is read up to their ends, and one file may hold many sessions.
    """
    newest = takewhile(lambda session: (session.last_at or 0) >= since * 1_000, store.each_session())
    return list(islice((session.id for session in newest if _there(session)), last))


def _there(session: Session) -> bool:
    return session.path is not None and named(session.tool).there(Path(session.path))


def _foresee(name: str, pipeline: Pipeline) -> None:
    with tokens.hurried():  # as it is when a hook waits
        pipeline.keeper.foresee(name)
