"""When checkpoints are refreshed: soon after what matters, and so that neither they nor reading starve the other."""

import time

from memd.model.newest import Newest

SOON, LATER, BUSY = 0.05, 2.0, 10.0
"""Seconds to a refresh: after what a person said or a turn's end, and after anything else; the last while old transcripts are
read, which wants all of the processor. A hook has the checkpoint made at once, whatever is planned."""
SHARE = 10
"""A session's refreshes may take one part in so many of the time while its turn runs: a huge one is refreshed less often."""
PAUSE, LONGEST_PAUSE, CROWD = 3, 1.0, 8
"""Where so many checkpoints are due, no other refresh begins for so many times the length of the last, and at most so many
seconds: what is appended meanwhile is read in milliseconds, and waits for a refresh one time in four at most. A person with a
few sessions has each checkpoint at once."""

SESSIONS = 1_000
"""So many sessions it is remembered of how long their refreshes take."""


class Plan:
    """Which sessions' checkpoints are due, and when, by the monotonic clock; belongs to one thread."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._cost = Newest[str, float](SESSIONS)
        """Seconds of each session's last refresh."""
        self._paused = 0.0
        """Until when no checkpoint is refreshed, where many are due."""

    def due(self, session: str, *, soon: bool, busy: bool = False) -> None:
        """One is due now, or soon enough."""
        wait = SOON if soon else max(BUSY if busy else LATER, self._cost.get(session, 0.0) * SHARE)
        due = time.monotonic() + wait
        self._due[session] = min(self._due.get(session, due), due)

    def later(self, session: str, wait: float) -> None:
        """One is due in so many seconds, and not before."""
        self._due[session] = time.monotonic() + wait

    def drop(self, session: str) -> None:
        """One is not due any more: it is made now, or was made for another reason."""
        self._due.pop(session, None)

    def took(self, session: str, start: float) -> None:
        """One was made, or tried, since `start`."""
        self._cost[session] = (end := time.monotonic()) - start
        self._paused = end + min(self._cost[session] * PAUSE, LONGEST_PAUSE)

    @property
    def crowded(self) -> bool:
        """Whether so many are due that they wait for one another."""
        return len(self._due) >= CROWD

    @property
    def sessions(self) -> list[str]:
        """Those whose checkpoints are due some time."""
        return list(self._due)

    def moments(self) -> list[float]:
        """When they are due."""
        floor = self._floor()
        return [max(when, floor) for when in self._due.values()]

    def overdue(self) -> str | None:
        """The session whose checkpoint is to be refreshed first, if one is due."""
        now = time.monotonic()
        session = None if now < self._floor() else min(self._due, key=lambda name: self._due[name], default=None)
        return session if session is not None and self._due[session] <= now else None

    def _floor(self) -> float:
        """The moment before which no checkpoint is refreshed."""
        return self._paused if self.crowded else 0.0
