"""Sessions that were at work when the daemon started are looked through when nothing else is to be done.

What their texts and calls say is remembered then, as it is of a session that the daemon has followed for a turn, and goes when
the daemon rests. So a compaction that is the first thing after a start is answered as one that comes later.
"""

import os
from functools import partial
from itertools import islice

from memd import tokens
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Urgency, Worker
from memd.store import Store
from memd.tools.registry import TOOLS

AT_WORK = 3
"""So many sessions at most, 0.1 s of processor time each."""


def look_through(worker: Worker, since: float, pipeline: Pipeline) -> None:
    """Plan it for the sessions whose transcripts changed last, of those that did since a time (seconds since the epoch)."""
    for name in lately(pipeline.store, AT_WORK, since):
        worker.submit(Urgency.LAST, partial(_foresee, name))


def lately(store: Store, last: int, since: float) -> list[str]:
    """The sessions whose transcripts changed last, newest first; sub-agents', which have no checkpoint, are passed over."""
    changed = ((_changed(path), path) for tool in TOOLS for path in store.sources.paths(tool))
    newest = sorted((one for one in changed if one[0] >= since), reverse=True)
    found = (store.sources.of(path) for _, path in newest)
    return list(islice((row.session for row in found if row is not None and "/" not in row.session), last))


def _foresee(name: str, pipeline: Pipeline) -> None:
    with tokens.hurried():  # as it is when a hook waits
        pipeline.keeper.foresee(name)


def _changed(path: str) -> float:
    """When a file was changed last; 0 where it is not there."""
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - of every transcript
    except (OSError, ValueError):
        return 0.0
