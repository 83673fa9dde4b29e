"""What waits for the worker, and what of it goes first."""

from collections.abc import Callable
from concurrent.futures import Future
from enum import IntEnum
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
    """A step of an old transcript that the second process made: it is recorded before another is begun."""
    BACKFILL = 4
    LAST = 5


class Job(Struct):
    """What waits in the queue. At a start there are as many readings as transcripts, so one holds no more than it must."""

    urgency: Urgency
    order: float
    serial: int

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


class Made(Job):
    """The second process has answered: the oldest of a transcript's answers is taken, whichever this job was made for."""

    chain: Chain
