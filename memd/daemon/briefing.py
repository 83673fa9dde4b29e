"""What a session is told of its project: the bootstrap at its start, and the constraints whenever no copy of them is near.

Whether a copy is near is measured in the record: the transcript shows which text of memd's went in, and where. A copy from
before the last compaction is gone; one of an older version is none. Runs in the event loop's thread and reads only.
"""

import secrets
import string
import time
from collections.abc import Callable
from dataclasses import dataclass

from memd.config import Config
from memd.daemon.constraints import TOGETHER, WINDOW, block
from memd.daemon.layer import state
from memd.daemon.pipeline import wall_clock
from memd.extract.material import SPEAKING
from memd.model import Channel, Session
from memd.project import agent, identity
from memd.project.agent import Constraints
from memd.project.identity import Project
from memd.render import project
from memd.store import Store
from memd.tools.protocol import Moment, Tool

TURNS, SHARE = 15, 0.25
"""A copy is near for so many turns, and for so large a part of the window."""
UNDER_WAY, MOST = 10.0, 1_000
"""Seconds in which what a start or a compaction was given comes into the transcript; sessions remembered for that."""
LOOKED = 40
"""memd's texts in a session among which the last copy is looked for."""
ANCHORS, ENTRIES = 30, 3
_CODE = string.ascii_uppercase + string.digits


@dataclass(frozen=True, slots=True)
class Near:
    """How far away the last copy of a text is; None: there is none in the context."""

    turns: int | None = None
    share: float = 0.0
    """Of the window: what came since."""

    def within(self) -> bool:
        """Whether it is near enough."""
        return self.turns is not None and self.turns < TURNS and self.share < SHARE


class Briefing:
    """Tells sessions of their project."""

    def __init__(self, config: Config, reader: Callable[[], Store]) -> None:
        self._config = config
        self._reader = reader
        self._gave: dict[str, float] = {}
        """When a start or a compaction of a session was answered, in this process's monotonic seconds."""

    def started(self, tool: Tool, moment: Moment) -> None:
        """A session's context begins anew, with the constraints in it: that is not in the transcript at once."""
        if moment.source != "resume":
            self._gave[f"{tool.name}:{moment.session}"] = time.monotonic()
            while len(self._gave) > MOST:
                del self._gave[next(iter(self._gave))]

    def fresh(self, tool: Tool, moment: Moment) -> str:
        """For a session that starts: the bootstrap; after a `clear`, which is the person's act, the constraints alone."""
        found = identity.find(moment.cwd)
        if found is None or found.agent is None:
            return ""
        rules = agent.constraints(found)
        if moment.source == "clear":
            return block(rules, tool.window(None))
        return self._bootstrap(found, rules, project.BOOTSTRAP, tool.window(None))

    def prompt(self, tool: Tool, moment: Moment) -> str:
        """For a prompt: the constraints where no copy is near, after 15 turns without one a short bootstrap."""
        name = f"{tool.name}:{moment.session}"
        session = self._reader().session(name)
        found = identity.find((session.cwd if session else None) or moment.cwd)
        rules = None if found is None else agent.constraints(found)
        if found is None or found.agent is None:
            return ""
        window = (session.window if session else None) or tool.window(session.model if session else None)
        mark = project.constraints_mark(rules.name, rules.digest) if rules else ""
        if session is None:
            return ""
        boot = self._near(session, project.BOOTSTRAP_MARK, window)
        if boot.turns is not None and boot.turns >= TURNS:
            return self._bootstrap(found, rules, project.SHORT, window)
        if self._config.constraints.every == "turn":
            return block(rules, window)
        just = time.monotonic() - self._gave.get(name, -UNDER_WAY) < UNDER_WAY
        return "" if just or self._near(session, mark, window).within() else block(rules, window)

    def _near(self, session: Session, mark: str, window: int | None) -> Near:
        """Where the last copy of a text that begins like this is."""
        store = self._reader()
        boundaries = store.boundaries(session.id)
        after = boundaries[-1].number if boundaries else 0
        own = store.messages(session.id, after=after, channels={Channel.MEMD_INJECTION}, last=LOOKED)
        copy = next((record for record in reversed(own) if mark in record.text), None)
        if not mark or copy is None:
            return Near()
        turns = len([r for r in store.messages(session.id, after=copy.number, channels=SPEAKING) if r.in_force])
        grown = (session.tokens or 0) - store.tokens_at(session.id, copy.number)
        return Near(turns, max(grown, 0) / (window or WINDOW))

    def _bootstrap(self, found: Project, rules: Constraints | None, room: int, window: int | None) -> str:
        store, now = self._reader(), wall_clock()
        most = int((window or WINDOW) * TOGETHER)
        known = project.Known(
            found.root.name,
            now,
            state(store, found, now),
            store.projects.anchors(found.id, ANCHORS),
            store.projects.journal(found.id, ENTRIES),
            "".join(secrets.choice(_CODE) for _ in range(6)),
            block(rules, window, room * 2 // 3),
        )
        return project.bootstrap(known, min(room, most))
