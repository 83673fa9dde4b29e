"""The reader's state of one OpenCode session: small, frozen, kept beside the cursor.

Raise VERSION when the meaning of a field changes; a state of another version makes the session be read again from its start,
where the ids of messages and parts keep every entry from being recorded twice.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field, structs

from memd.model import Facts
from memd.tools.places import Kept, Places
from memd.tools.remembered import dumped, loaded

VERSION = 1
RECENT = 40
"""So many messages are remembered whole; rows about older ones change nothing any more."""
OPEN = 100
"""So many calls without a result are remembered: a crash leaves some, and their results never come."""
NOTED = 4_000
"""So many notes of the plugin wait for their message: who reads after a long time has all of them first."""
CHUNK, RUNS = 64, "runs "
"""So many runs of entries lie together in a place, by number; a session has two runs for each prompt."""

Known = Mapping[str, Mapping[str, Any]]
Run = tuple[str, str, str]
"""A message, and the keys of the first and last of entries that follow one another and are all of it; empty: none yet."""


class ReaderState(Struct, frozen=True):
    """What has to be known of the rows before to understand the next one."""

    session: str
    child: bool = False
    created: int = 0
    """When the session was made, ms; what is older in it was copied."""
    run: bool = False
    """`opencode run` made the session, and nobody has spoken in it yet."""
    facts: Facts = field(default_factory=Facts)
    messages: Known = field(default_factory=dict)
    """The last messages: `role`, `parent`, `agent`, `at`, and what was made of them (`parts`, `said`, `stepped`, …)."""
    calls: Known = field(default_factory=dict)
    """Tool calls that have no result yet, by part."""
    held: Known = field(default_factory=dict)
    """Texts that were written, but not to their end, by part."""
    noted: Known = field(default_factory=dict)
    """What the plugin noted of messages whose rows are still to come."""
    runs: tuple[Run, ...] = ()
    """The newest; those before them lie in `chunks` places (see `branches.runs`)."""
    chunks: int = 0
    places: Places = field(default_factory=Places)
    gone: tuple[str, ...] = ()
    """Messages and entries that were removed for good."""
    reverted: str = ""
    """The message from which on everything is taken back for now."""
    compacting: Known = field(default_factory=dict)
    """Requests for a compaction whose summary is still to come: `auto`, `overflow`."""
    replay: bool = False
    """The client is about to write the last prompt again, which had overflowed the window."""
    asked: str = ""
    """The last prompt as a digest, and its key."""
    tokens: int | None = None
    """How full the context was at the last step."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """A text of memd's that went into a request whose answer is still to come: `number`, `code`, `at`."""
    answered: int = 0
    """When the last step of an answer ended, ms."""


_MASKED = ("messages", "calls", "held", "facts")
"""What agent and client wrote: no secret of theirs is kept here either. Notes may hold the person's words."""


def dump(state: ReaderState) -> Kept:
    """The state as it is kept."""
    values = {name: value for name, value in structs.asdict(state).items() if name != "places"}
    values["facts"] = structs.asdict(state.facts)
    return dumped(VERSION, values, _MASKED, state.places)


def load(kept: Kept) -> ReaderState:
    """The state that `dump` wrote.

    Raises:
        ValueError: the text is another version's, or no state at all.
    """
    return loaded(VERSION, kept, _made)


def _made(values: dict[str, Any], places: Places) -> ReaderState:
    values["runs"] = tuple((message, first, last) for message, first, last in values["runs"])
    values["gone"] = tuple(values["gone"])
    return ReaderState(**{**values, "facts": Facts(**values["facts"])}, places=places)


def put(known: Known, key: str, value: Mapping[str, Any], limit: int) -> Known:
    """The mapping with one more entry, the oldest fallen out."""
    found = {**known, key: value}
    while len(found) > limit:
        del found[next(iter(found))]
    return found


def without(known: Known, key: str) -> Known:
    """The mapping without an entry."""
    return {name: value for name, value in known.items() if name != key}
