"""Forgetting sessions: when a person says so, and when they are older than `keep_days`.

What a person forgets is taken out of the projects' journals too; what is only old stays in them.
The files go first: a crash in between leaves a session that can be forgotten again, not files that nobody knows of.
"""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from memd import files
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.transcripts import Found
from memd.daemon.worker import Worker
from memd.errors import Fault
from memd.model import Session
from memd.model.globs import fitting
from memd.store import Seed, Store
from memd.tools.protocol import Tool

DAY_MS = 86_400_000
HOUR = 3_600.0
_LAST, _DUE = "retention.last", "retention.clean"


def forget(pipeline: Pipeline, names: Iterable[str], now: int, *, until_grown: bool = False) -> list[str]:
    """Delete the sessions' folders and records; the ids that were deleted, sub-agents' included."""
    wanted = list(names)
    for name in wanted if not until_grown else ():
        pipeline.journalling.forget(name)
    for name in wanted:
        pipeline.keeper.left.drop(name)
        pipeline.keeper.let_go()
        session = pipeline.store.session(name)
        if session is not None and session.parent is None:
            files.remove_tree(pipeline.folders.session(session.tool, session.native))
    return pipeline.store.forgetting.forget(wanted, now, until_grown=until_grown)


def clean(pipeline: Pipeline) -> bool:
    """Take what was deleted out of the files; where another process reads them, it is tried again within a day."""
    done = pipeline.store.forgetting.compact()
    pipeline.store.meta_set(_DUE, "" if done else "1")
    return done


def older(store: Store, days: float, now: int) -> list[Session]:
    """Sessions that are not pinned and whose last entry, or a sub-agent's, is more than `days` old; no sub-agents."""
    return _old(store, now - int(days * DAY_MS), lambda one: one.last_at or one.seen_at or now)


def _expired(store: Store, days: int, now: int) -> list[Session]:
    """The same, but for what was read within this time: an old transcript that a person ingests is kept as long."""
    return _old(store, now - days * DAY_MS, lambda one: max(one.last_at or 0, one.seen_at or now))


def _old(store: Store, before: int, at: Callable[[Session], int]) -> list[Session]:
    known, last = {one.id for one in store.each_session(children=True)}, dict[str, int]()
    for one in store.each_session(children=True):
        root = one.parent if one.parent in known else one.id
        last[root] = max(last.get(root, 0), at(one))
    pinned = store.forgetting.pinned()
    old = {name for name, its in last.items() if its < before and name not in pinned}
    return [one for one in store.each_session(children=True) if one.id in old] if old else []


def within(store: Store, glob: str, base: str, home: str) -> list[Session]:
    """Sessions that are not pinned and were started in directories that the glob fits."""
    pinned = store.forgetting.pinned()
    everyone = (one for one in store.each_session(children=True) if one.cwd)
    fits = [one for one in everyone if fitting(one.cwd or "", [glob], base=base, home=home)]
    return [one for one in fits if one.id not in pinned and one.parent not in pinned]


def retain(pipeline: Pipeline, keep_days: int, now: int) -> list[str]:
    """Once a day, forget what is older than `keep_days`; it is recorded again if it goes on."""
    store = pipeline.store
    last = int(store.meta_get(_LAST) or 0)
    if last <= now < last + DAY_MS:
        return []
    store.meta_set(_LAST, str(now))
    pipeline.journalling.archive()
    gone = forget(pipeline, [one.id for one in _expired(store, keep_days, now)], now, until_grown=True)
    if gone or store.meta_get(_DUE):
        clean(pipeline)
    return gone


async def daily(worker: Worker, keep_days: int) -> None:
    """For as long as the daemon lives: look once an hour whether a day has gone by."""
    while True:
        worker.submit(Urgency.BACKFILL, lambda pipeline: retain(pipeline, keep_days, wall_clock()))
        await asyncio.sleep(HOUR)


def chosen(pipeline: Pipeline, found: Found, named: Iterable[Path]) -> list[tuple[Tool, Path]]:
    """What is to be ingested: a file that the person names is read although it was forgotten, one in a folder is not.

    One that is recorded as another tool's is neither read as that nor as this one's; it is put to the problems.
    """
    wanted = {path for path in named if not path.is_dir()}
    wanted |= {child for tool, path in found.transcripts if path in wanted for child in tool.children(path)}
    own = list[tuple[Tool, Path]]()
    for tool, path in found.transcripts:
        seed = _recorded(pipeline, path)
        if seed is not None and seed.tool != tool.name:
            again = f"`memd forget {seed.session}` first, to have it read as {tool.name}'s"
            found.problems.append(f"{path}: recorded as a transcript of {seed.tool} already; {again}")
        elif _may(pipeline, tool, path, named=path in wanted):
            own.append((tool, path))
    return own


def _recorded(pipeline: Pipeline, path: Path) -> Seed | None:
    """The session that a file is recorded for; none for a name that is no text, which nobody records."""
    try:
        row = pipeline.store.sources.of(str(path))
    except UnicodeEncodeError:
        return None
    return row.seed if row else None


def _may(pipeline: Pipeline, tool: Tool, path: Path, *, named: bool) -> bool:
    try:
        seed, size = pipeline.whose(tool, path), pipeline.size(tool, path)
    except (Fault, OSError):
        return True  # the one who reads it says so
    if seed is None:
        return True
    if named:
        pipeline.gate.welcome(path)
        pipeline.store.forgetting.recall(seed.session, seed.path)
    return not pipeline.store.forgetting.is_forgotten(seed.session, seed.parent, seed.path, size)
