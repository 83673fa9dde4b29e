"""What waits for the worker, and what of it goes first."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import IntEnum
from heapq import heappop, heappush
from typing import Any

from msgspec import Struct

from memd.daemon.life import Chain
from memd.daemon.pipeline import Pipeline
from memd.tools.protocol import Tool


class Urgency(IntEnum):
    """What goes first; a checkpoint that is due stands between COMMAND and LIVE, those of the backfill come when all is read."""

    HOOK = 0
    COMMAND = 1
    LIVE = 2
    MADE = 3
    """A step of an old transcript that the second process made: it is recorded before another is begun, but that the process
    never waits for a transcript (`Jobs.get`)."""
    BACKFILL = 4
    LAST = 5


class Job(Struct):
    """What waits in the queue. At a start there are as many readings as transcripts, so one holds no more than it must."""

    urgency: Urgency
    order: float
    serial: int

    @property
    def old(self) -> bool:
        """Whether it is a step of an old transcript, which nobody waits for."""
        return False

    def __lt__(self, other: "Job") -> bool:
        return (self.urgency, self.order, self.serial) < (other.urgency, other.order, other.serial)


class Asked(Job):
    """Anything at all; somebody waits for what comes of it."""

    run: Callable[[Pipeline], Any]
    result: "Future[Any]"


class Reading(Job):
    """A transcript, or a file that holds some, may have grown."""

    tool: Tool
    path: str

    @property
    def old(self) -> bool:
        return self.urgency is Urgency.BACKFILL


class Refreshing(Job):
    """A session's checkpoint is to be made when there is time."""

    session: str


class Made(Job):
    """The second process has answered: the oldest of a transcript's answers is taken, whichever this job was made for."""

    chain: Chain

    @property
    def old(self) -> bool:
        return self.urgency is Urgency.MADE


class Jobs:
    """Those that wait; any thread may put one, one thread takes them."""

    def __init__(self) -> None:
        self._some = threading.Condition()
        self._old: list[Job] = []
        """Old transcripts to be read; both are heaps."""
        self._others: list[Job] = []

    def put(self, job: Job) -> None:
        with self._some:
            heappush(self._old if isinstance(job, Reading) and job.urgency is Urgency.BACKFILL else self._others, job)
            self._some.notify()

    def get(self, timeout: float, *, feeding: bool) -> Job:
        """The most urgent; where the second process is to be fed, an old transcript goes before what that one made.

        Raises:
            queue.Empty: none came in so many seconds.
        """
        with self._some:
            if not self._some.wait_for(self.waiting, timeout):
                raise queue.Empty
            return heappop(self._first(feeding=feeding))

    def another_old(self, *, feeding: bool) -> Job | None:
        """The most urgent if it is there and `old`."""
        with self._some:
            jobs = self._first(feeding=feeding)
            return heappop(jobs) if jobs and jobs[0].old else None

    def another_live(self) -> Job | None:
        """The most urgent if it is there and more than a step of an old transcript."""
        with self._some:
            return heappop(self._others) if self._others and self._others[0].urgency <= Urgency.LIVE else None

    def _first(self, *, feeding: bool) -> list[Job]:
        """The heap that has the most urgent."""
        return self._old if self._old and self._begins_old(feeding=feeding) else self._others

    def _begins_old(self, *, feeding: bool) -> bool:
        if not self._others:
            return True
        first = self._others[0]
        return self._old[0] < first or (feeding and first.urgency is Urgency.MADE)

    def old(self) -> int:
        """How many old transcripts wait to be read."""
        return len(self._old)

    def waiting(self) -> int:
        """How many there are."""
        return len(self._old) + len(self._others)
