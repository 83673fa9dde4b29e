"""The running turn: what was asked for, by whom, and what came in while the agent worked.

The current request is the newest thing that a person (or the operator of a headless run) asked the agent itself for. A
command that the client ran on its own (`/compact`, `!ls`) asks the agent for nothing. A turn that a machine started is told
apart: its text is shown as delivered and never as the request.
"""

import re
from bisect import bisect_right
from operator import attrgetter

from msgspec import Struct

from memd.extract.asked import ADDED, goes_on, local, says
from memd.extract.material import Material, of_material
from memd.model import Channel, Kind, Message, Record

_BARE_COMMAND = re.compile(r"/\S+")


class Turn(Struct, frozen=True):
    """Where the session stands.

    Attributes:
        request: the newest request, None in a session without one.
        added: what the person said since, into the running work.
        starter: what started the turn that runs now or ran last; differs from `request` when a machine did.
        running: whether the agent is still at it.
    """

    request: Record | None
    added: tuple[Record, ...]
    starter: Record | None
    running: bool

    @property
    def own(self) -> bool:
        """Whether the turn that runs now or ran last is the request's own."""
        return self.request is not None and (self.starter is None or self.starter.number <= self.request.number)

    @property
    def ended(self) -> bool:
        """Whether the request's own turn is over."""
        return not (self.running and self.own)


def unstated(material: Material) -> list[Record]:
    """Prompts whose sender is not known: rows of a client that does not record it. They bind nobody."""
    return [r for r in material.by(Channel.UNATTRIBUTED) if r.in_force and says(r)]


@of_material
def current(material: Material) -> Turn:
    """The turn that runs now, or ran last."""
    asked = material.asked
    prompts = (record for record in reversed(asked) if record.channel not in ADDED)
    request = next(prompts, None) or next(iter([*unstated(material)[-1:], *asked[-1:]]), None)
    later = asked[bisect_right(asked, request.number, key=attrgetter("number")) :] if request else ()
    added = tuple(record for record in later if record.channel in ADDED)
    return Turn(request, added, material.begun[-1] if material.begun else None, running(material))


def resumed(material: Material, request: Record) -> Record | None:
    """The newest request before one that says nothing but "go on"; None where the request says more, or nothing came before."""
    if not _goes_on(request):
        return None
    before = (record for record in reversed(material.asked) if record.number < request.number)
    return next((record for record in before if not _goes_on(record)), None)


def _goes_on(request: Record) -> bool:
    return goes_on(request.text) and not request.extra.get("images")


def running(material: Material) -> bool:
    """Whether the agent works now: something came in, or a call began, after its last turn ended.

    What was taken back or never delivered is no work. Where nothing has a time, an entry without an end of a turn is work.
    """
    ended = material.session.turn_ended_at
    said = (r for r in reversed(material.said) if ended is None or (r.at is not None and r.at > ended))
    if any(r.in_force and not local(r) and r.copy_of is None for r in said):
        return True
    return material.called_at is not None and (ended is None or material.called_at > ended)


def taken_in(material: Material, record: Record) -> int | None:
    """The number of the agent's first text after a message: from there on it has been heard."""
    return next((text.number for text in material.agent if text.number > record.number), None)


def undelivered(material: Material) -> list[Record]:
    """Words typed since the newest request that never reached the agent and that nobody sent again."""
    asked = material.asked
    last = asked[-1].number if asked else 0
    waits = [r for r in material.gone if r.undelivered and r.channel.human and r.number > last and r.text.strip()]
    words = {r.text.strip() for r in waits}
    heard = {text for r in asked if (text := r.text.strip()) in words} if words else words
    return [r for r in waits if r.text.strip() not in heard]


def queued(material: Material) -> list[Message]:
    """Words that wait in the client's queue and may be the person's.

    The agent's own schedules wait there too and stand elsewhere; a command without arguments says nothing to the agent.
    """
    scheduled = {str(d.detail.get("prompt", "")).strip() for d in material.of(Kind.SCHEDULE)}
    waits = (m for m in material.queued if m.channel is Channel.UNATTRIBUTED or m.channel.human)
    return [m for m in waits if m.text.strip() not in {"", *scheduled} and not _BARE_COMMAND.fullmatch(m.text.strip())]


def since_boundary(material: Material) -> int:
    """How many turns began since the last compaction; all of them when there was none."""
    return _begun(material, material.boundaries[-1].number if material.boundaries else 0, material.upto)


def before_boundary(material: Material) -> int:
    """How many turns began between the last compaction and the one before it, or the start."""
    earlier, last = ([0, 0] + [boundary.number for boundary in material.boundaries])[-2:]
    return _begun(material, earlier, last)


def _begun(material: Material, after: int, upto: int) -> int:
    return sum(after < record.number <= upto for record in material.begun)
