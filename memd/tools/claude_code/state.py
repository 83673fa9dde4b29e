"""The reader's state of one Claude Code transcript: small, frozen, kept beside the cursor.

Raise VERSION when the meaning of a field changes; a state of another version makes the file be read again from its start,
where the row ids keep every entry from being recorded twice.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field, structs

from memd.model import Facts
from memd.tools.places import Kept, Places
from memd.tools.remembered import dumped, loaded

VERSION = 1
END_LIMIT, ASIDE_LIMIT = 50, 8
"""So many ends of branches are remembered: two programs that write into one file go on at each other's. So many of those that no
way back left: the rows of parallel calls are among them, so the last ones do."""

Segment = tuple[str | None, int, str | None]
"""Where a branch starts (key of its first entry), which segment it left (-1: none) and after which entry."""

ROW, SEGMENT = "row ", "segment "
"""What the places of a state are: where a rewind can lead back to (the rows that a prompt followed, and the prompts themselves),
a row's segment and the last entry at it; and the segments before the one that is read."""


class Queued(Struct, frozen=True):
    """Something that waits in the client's queue; `told`: it was recorded as undelivered."""

    key: str
    at: int | None
    offset: int
    length: int
    text: str
    told: bool = False


class ReaderState(Struct, frozen=True):
    """What has to be known of the rows before to understand the next one."""

    session: str
    child: bool = False
    leaf: str = ""
    """The id of the last row that has one."""
    last: str | None = None
    """The key of the last entry."""
    segment: int = 0
    branch: Segment = (None, -1, None)
    """The segment that is read."""
    places: Places = field(default_factory=Places)
    ends: tuple[str, ...] = ()
    """The last rows of branches that were left, the newest last."""
    aside: tuple[str, ...] = ()
    """The same where the row that followed led to no place to which one can go back."""
    anew: str = ""
    """Where the last prompt has no parent: the row before it. The next prompt behind an answer ends that."""
    answered: bool = False
    """The agent has answered that prompt."""
    calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool calls that have no result yet."""
    tasks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The agent's task list by id, in order."""
    facts: Facts = field(default_factory=Facts)
    queue: tuple[Queued, ...] = ()
    """What waits in the client's queue, oldest first."""
    arriving: tuple[Queued, ...] = ()
    """What left the queue and whose row is still to come."""
    attests: bool = False
    """This client states origins, so their absence tells something."""
    newest: int = 0
    """The time of the newest row."""
    replay: bool = False
    """A prompt was seen a second time: what follows and is old was there before too."""
    usage: str = ""
    """The answer whose usage was last told."""


_QUEUES = ("queue", "arriving")
_MASKED = ("calls", "tasks", "facts")
"""What the agent and the client wrote: no secret of theirs is kept here either. A queue may hold the person's words."""


def dump(state: ReaderState) -> Kept:
    """The state as it is kept."""
    values = {name: value for name, value in structs.asdict(state).items() if name != "places"}
    values["facts"] = structs.asdict(state.facts)
    values |= {name: [structs.astuple(waiting) for waiting in values[name]] for name in _QUEUES}
    return dumped(VERSION, values, _MASKED, state.places)


def load(kept: Kept) -> ReaderState:
    """The state that `dump` wrote.

    Raises:
        ValueError: the text is another version's, or no state at all.
    """
    return loaded(VERSION, kept, _made)


def _made(values: dict[str, Any], places: Places) -> ReaderState:
    if "marks" in values:
        places = _set_apart(values, places)
    start, parent, after = values["branch"]
    values |= {
        "branch": (start, parent, after),
        "ends": tuple(values.get("ends", ())),
        "aside": tuple(values.get("aside", ())),
    }
    values |= {name: tuple(Queued(*waiting) for waiting in values[name]) for name in _QUEUES}
    return ReaderState(**{**values, "facts": Facts(**values["facts"])}, places=places)


def _set_apart(values: dict[str, Any], places: Places) -> Places:
    """A state as it was written before places were kept apart holds all of them."""
    *before, values["branch"] = values.pop("segments")
    found = {f"{SEGMENT}{number}": segment for number, segment in enumerate(before)}
    for key, place in (found | {f"{ROW}{row}": place for row, place in values.pop("marks").items()}).items():
        places = places.put(key, place)
    return places
