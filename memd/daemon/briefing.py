"""What a session is told of its project: the bootstrap at its start, and the constraints whenever no copy of them is near.

Whether a copy is near is measured in the record: the transcript shows which text of memd's went in, and where. A copy from
before the last compaction is gone; one of an older version is none. Runs in the event loop's thread and reads only.
"""

import time
from collections.abc import Callable

from msgspec import Struct

from memd.config import Config
from memd.daemon.constraints import WINDOW, block
from memd.daemon.opening import bootstrap
from memd.daemon.pipeline import wall_clock
from memd.extract.material import SPEAKING
from memd.model import BESIDE_CHANNELS, Channel, Session
from memd.model.newest import Newest
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
LOOKED = 200
"""memd's texts in a session among which the last copy is looked for."""
STARTING = SPEAKING - {Channel.HUMAN_STEERED, Channel.HUMAN_ANSWER}
"""What begins a turn, and is not added to one."""


class About(Struct, frozen=True):
    """A session and its project; `boundary` is the last message before its last compaction."""

    session: Session
    found: Project
    rules: Constraints | None
    window: int | None
    boundary: int


class Briefing:
    """Tells sessions of their project."""

    def __init__(self, config: Config, reader: Callable[[], Store]) -> None:
        self._config = config
        self._reader = reader
        self._gave = Newest[str, float](MOST)
        """When a session was last given the constraints, in this process's monotonic seconds."""
        self._blind = Newest[str, tuple[str, int]](MOST)
        """What it was given with a prompt, and behind which message."""

    def started(self, tool: Tool, moment: Moment) -> None:
        """A session's context begins anew, with the constraints in it: that is not in the transcript at once."""
        if moment.source != "resume":
            self._gave[f"{tool.name}:{moment.session}"] = time.monotonic()

    def fresh(self, tool: Tool, moment: Moment) -> str:
        """For a session that starts: the bootstrap; after a `clear`, which is the person's act, the constraints alone."""
        found = identity.find(moment.cwd)
        if found is None or found.agent is None:
            return ""
        window = moment.window or tool.window(None)
        if moment.source == "clear":
            return block(agent.constraints(found), window)
        return bootstrap(self._reader(), found, project.BOOTSTRAP, window, wall_clock())

    def prompt(self, tool: Tool, moment: Moment) -> str:
        """For a prompt: the constraints where no copy is near, after 15 turns without one a short bootstrap."""
        about = self._about(tool, moment)
        if about is None:
            return ""
        if self._turns(about, project.BOOTSTRAP_MARK) >= TURNS - 1:
            return self._note(about, bootstrap(self._reader(), about.found, project.SHORT, about.window, wall_clock()))
        if self._config.constraints.every == "turn":
            return block(about.rules, about.window)
        return self._needed(about)

    def call(self, tool: Tool, moment: Moment) -> str:
        """For a call in a long turn: the constraints where no copy is near any more; in every request there is one."""
        wanted = moment.calls and self._config.constraints.every == "needed" and not tool.request_event
        about = self._about(tool, moment) if wanted else None
        return "" if about is None else self._needed(about)

    def _about(self, tool: Tool, moment: Moment) -> About | None:
        session = self._reader().session(f"{tool.name}:{moment.session}")
        found = identity.find(session.cwd or moment.cwd) if session else None
        if session is None or found is None or found.agent is None:
            return None
        window = session.window or tool.window(session.model)
        boundaries = self._reader().boundaries(session.id)
        return About(session, found, agent.constraints(found), window, boundaries[-1].number if boundaries else 0)

    def _needed(self, about: About) -> str:
        """The constraints, unless a copy is near or just under way."""
        rules, name = about.rules, about.session.id
        if rules is None or time.monotonic() - self._gave.get(name, -UNDER_WAY) < UNDER_WAY:
            return ""
        copy = self._copy(about, project.constraints_mark(rules.name, rules.digest))
        if copy is not None and self._since(about, copy) < TURNS - 1 and self._grown(about, copy) < SHARE:
            return ""
        return self._note(about, block(rules, about.window))

    def _note(self, about: About, text: str) -> str:
        """A text goes in now; a client that does not write down what it was given leaves no other trace of it."""
        name = about.session.id
        self._gave[name] = time.monotonic()
        self._blind[name] = (text, about.session.messages)
        return text

    def _copy(self, about: About, mark: str) -> int | None:
        """The number of the last copy, in the context, of a text that begins like this."""
        store, name = self._reader(), about.session.id
        own = store.messages(name, after=about.boundary, channels={Channel.MEMD_INJECTION}, last=LOOKED)
        copy = next((record.number for record in reversed(own) if mark in record.text), None)
        if copy is None and not store.messages(name, channels=BESIDE_CHANNELS, last=1):
            text, number = self._blind.get(name, ("", 0))
            copy = number if mark in text and number >= about.boundary else None
        return copy

    def _turns(self, about: About, mark: str) -> int:
        """How many turns began since the last copy; since the compaction or the start where there is none."""
        copy = self._copy(about, mark)
        return self._since(about, about.boundary if copy is None else copy)

    def _since(self, about: About, number: int) -> int:
        return sum(r.in_force for r in self._reader().messages(about.session.id, after=number, channels=STARTING))

    def _grown(self, about: About, number: int) -> float:
        """How much came since, of the window."""
        grown = (about.session.tokens or 0) - self._reader().glances.tokens_at(about.session.id, number)
        return max(grown, 0) / (about.window or WINDOW)
