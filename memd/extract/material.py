"""Everything of one session that a checkpoint is made from, as the store gave it."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import TypeVar, cast

from msgspec import Struct

from memd.extract.asked import asks, begins
from memd.extract.kinds import Calls, Said
from memd.model import Boundary, Channel, Done, Kind, Message, Record, Session, State
from memd.model.once import Carried

BLOCK = 256
"""What is old falls out of the newest texts and calls in blocks of so many entries, so that it does not with each turn."""
OPEN = 12
"""So many of the newest entries may still change (a call ends, and is another's then): what they say is added anew each time."""
T = TypeVar("T", Record, Done)
A = TypeVar("A")
S = TypeVar("S")

SPEAKING = frozenset(channel for channel in Channel if channel.starts_turn)
"""The channels whose entries are always read whole: what people, operators and machines asked for."""


SESSIONS = 4
"""So many sessions' entries are gone through from where they ended last, of those that were asked for last."""


def _asking(found: list[Record], record: Record) -> None:
    if asks(record):
        found.append(record)


def _beginning(found: list[Record], record: Record) -> None:
    if begins(record):
        found.append(record)


_asked = Carried[Record, list[Record]](list, _asking, SESSIONS)
_begun = Carried[Record, list[Record]](list, _beginning, SESSIONS)
_said = Carried[Record, Said](Said, Said.take, SESSIONS)


def newest(found: Sequence[T], last: int) -> Sequence[T]:
    """The last so many, and with them those before that belong to the same block of entries; `found` are up to BLOCK more."""
    at = max(len(found) - last, 0)
    border = found[at].number // BLOCK * BLOCK if found else 0
    while at and found[at - 1].number >= border:
        at -= 1
    return found[at:]


def of_material(function: Callable[["Material"], A]) -> Callable[["Material"], A]:
    """Work an answer out once for each material: several sections ask for it."""
    name = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def asking(material: "Material") -> A:
        if name not in (answers := vars(material)):
            answers[name] = function(material)
        return cast("A", answers[name])

    return asking


class Material(Struct, frozen=True, dict=True):
    """Records of one session, each in number order."""

    session: Session
    said: tuple[Record, ...]
    """Every entry that can start a turn, human or not, withdrawn ones too."""
    agent: tuple[Record, ...]
    """The last texts of the agent."""
    done: tuple[Done, ...]
    """The last tool calls."""
    boundaries: tuple[Boundary, ...]
    before: tuple[Record, ...] = ()
    """What was asked in the session that this one was forked from and stands in no row of its own: `copy_of` says where."""
    queued: tuple[Message, ...] = ()
    """What waits in the client's queue, or left it and is not seen to have come: no entries yet, so without numbers."""
    unsummed: bool = False
    """What the client put in the place of the conversation at its last compaction is an error message."""

    @cached_property
    def asked(self) -> tuple[Record, ...]:
        """Everything the person (or operator) asked for, in order."""
        return tuple(_asked(self.session.id, self.said))

    @cached_property
    def begun(self) -> tuple[Record, ...]:
        """The entries with which turns began."""
        return tuple(_begun(self.session.id, self.said))

    def of(self, kind: Kind) -> list[Done]:
        """The calls of a kind, in order."""
        return _sorted(self).kinds.get(kind, [])

    def in_state(self, state: State) -> list[Done]:
        """The calls that have come so far, in order."""
        return _sorted(self).states.get(state, [])

    @property
    def open(self) -> list[Done]:
        """Calls that have not ended well, and schedules, in order."""
        return _sorted(self).open

    @property
    def ends(self) -> list[Done]:
        """Calls that say which job has ended."""
        return _sorted(self).ends

    @property
    def called_at(self) -> int | None:
        """When the newest call began, as far as calls have a time."""
        return _sorted(self).newest

    def by(self, channel: Channel) -> list[Record]:
        """What came in by a channel, in order."""
        return self._said.channels.get(channel, [])

    @property
    def gone(self) -> list[Record]:
        """What was said and is not part of the conversation, in order."""
        return self._said.gone

    @cached_property
    def _said(self) -> Said:
        return _said(self.session.id, self.said)

    @cached_property
    def telling(self) -> tuple[Record, ...]:
        """The agent's texts that say something new: not those that it wrote word for word more than once."""
        times = Counter(record.text.strip() for record in self.agent)
        return tuple(record for record in self.agent if times[record.text.strip()] == 1)

    @property
    def upto(self) -> int:
        """The last message number."""
        return self.session.messages


def of_calls(
    start: Callable[[Session], S], take: Callable[[S, Done], None], fresh: Callable[[S], S]
) -> Callable[[Material], S]:
    """What the calls come to, taken one after the other. Those that cannot change any more are taken once.

    Of the session `start` may use what its calls do not say, which is where they were made. `fresh` gives what is to be added
    to without changing what it is made of.
    """
    carried = Carried(start, take, SESSIONS)

    def asking(material: Material) -> S:
        settled = max(len(material.done) - OPEN, 0)
        session = material.session
        state = fresh(carried(f"{session.id} {session.cwd}", material.done[:settled], session))
        for call in material.done[settled:]:
            take(state, call)
        return state

    return asking


_sorted = of_material(of_calls(lambda _: Calls(), Calls.take, Calls))
