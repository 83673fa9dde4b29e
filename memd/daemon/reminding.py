"""The facts of a module, told when the agent is about to touch it: once after each compaction, each held against its source."""

import time
from collections.abc import Callable
from pathlib import Path

from memd.daemon.catching_up import after_reply
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import wall_clock
from memd.daemon.telling import IN_TIME
from memd.daemon.worker import Worker
from memd.extract.anchors import inside
from memd.extract.files import with_reads
from memd.model import Kind
from memd.project import facts, identity, sources
from memd.project.paths import Paths
from memd.project.places import Places
from memd.store import Store
from memd.tools.protocol import Moment, Tool

LINES, MOST = 5, 5_000
"""Facts that are told at a time, and of how many it is kept in memory that they were told, until it is recorded."""
KINDS = {Kind.READ, Kind.EDIT, Kind.CREATE}
_TURN = "facts"
"""No turn of a session is called like this: facts take no room from the guard."""


class Reminding:
    """Tells facts; runs in the event loop's thread and reads only."""

    def __init__(self, worker: Worker, state: Path, reader: Callable[[], Store]) -> None:
        self._worker = worker
        self._places = Places(state)
        self._reader = reader
        self._told: set[tuple[str, str]] = set()

    def lines(self, tool: Tool, moment: Moment, asked: float) -> str:
        """The facts of what the announced calls touch; usually none. `asked` as for the guard."""
        targets = [call.target for call in with_reads(moment.calls) if call.kind in KINDS]
        session = self._reader().session(f"{tool.name}:{moment.session}") if targets else None
        found = identity.find(session.cwd) if session else None
        if session is None or found is None or found.agent is None:
            return ""
        every = [fact for fact in facts.facts(found) if not fact.struck]
        paths = [path for path in map(Paths(found, session.cwd).relate, targets) if inside(path)]
        near = dict.fromkeys(fact for path in paths for fact in facts.about(every, path))
        told = self._reader().projects.advised(session.id) if near else {}
        marks = {fact: f"facts {session.compactions} {fact.key}" for fact in near}
        new = [f for f, mark in marks.items() if mark not in told and (session.id, mark) not in self._told][:LINES]
        if not new:
            return ""
        known = sources.remembered(self._places.own(found.id))
        text = "\n".join(f"memd: note: fact {facts.check(found.root, fact, known).shown()}" for fact in new)
        if time.monotonic() - asked < IN_TIME:
            self._note(session.id, [marks[fact] for fact in new])
        return text

    def _note(self, session: str, marks: list[str]) -> None:
        self._told = (self._told if len(self._told) < MOST else set()) | {(session, mark) for mark in marks}
        now = wall_clock()

        def note() -> None:
            self._worker.submit(
                Urgency.COMMAND, lambda pipeline: pipeline.store.projects.advise(session, marks, _TURN, now)
            )

        after_reply(note)
