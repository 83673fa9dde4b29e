"""Forgetting sessions: when a person says so, and when they are older than `keep_days`.

The files go first: a crash in between leaves a session that can be forgotten again, not files that nobody knows of.
"""

from collections.abc import Iterable
from pathlib import Path

from memd import files
from memd.daemon.pipeline import Pipeline
from memd.model import Session
from memd.store import Store
from memd.tools.protocol import Tool

DAY_MS = 86_400_000
_LAST = "retention.last"


def forget(pipeline: Pipeline, names: Iterable[str], now: int, *, until_grown: bool = False) -> list[str]:
    """Delete the sessions' folders and records; the ids that were deleted, sub-agents' included."""
    wanted = list(names)
    for name in wanted:
        session = pipeline.store.session(name)
        if session is not None and session.parent is None:
            files.remove_tree(pipeline.folders.session(session.tool, session.native))
    return pipeline.store.forget(wanted, now, until_grown=until_grown)


def older(store: Store, days: float, now: int) -> list[Session]:
    """Sessions whose last entry is more than `days` old and that are not pinned."""
    pinned = store.pinned()
    return [one for one in store.sessions() if one.id not in pinned and _last(one, now) < now - days * DAY_MS]


def _last(session: Session, now: int) -> int:
    return next((at for at in (session.last_at, session.seen_at) if at is not None), now)


def retain(pipeline: Pipeline, keep_days: int, now: int) -> list[str]:
    """Once a day, forget what is older than `keep_days`; it is recorded again if it goes on."""
    last = int(pipeline.store.meta_get(_LAST) or 0)
    if last <= now < last + DAY_MS:
        return []
    pipeline.store.meta_set(_LAST, str(now))
    gone = forget(pipeline, [one.id for one in older(pipeline.store, keep_days, now)], now, until_grown=True)
    if gone:
        pipeline.store.compact()
    return gone


def chosen(pipeline: Pipeline, transcripts: list[tuple[Tool, Path]], named: Iterable[Path]) -> list[tuple[Tool, Path]]:
    """What is to be ingested: a file that the person names is read although it was forgotten, one in a folder is not."""
    wanted = {path for path in named if not path.is_dir()}
    wanted |= {child for tool, path in transcripts if path in wanted for child in tool.children(path)}
    return [(tool, path) for tool, path in transcripts if _may(pipeline, tool, path, named=path in wanted)]


def _may(pipeline: Pipeline, tool: Tool, path: Path, *, named: bool) -> bool:
    seed = pipeline.whose(tool, path)
    if seed is None:
        return True  # the one who reads it says so
    if named:
        pipeline.store.recall(seed.session, seed.path)
    return not pipeline.store.is_forgotten(seed.session, seed.parent, seed.path, path.stat().st_size)
