"""The running turn: what was asked for, by whom, and what came in while the agent worked.

The current request is the newest thing that a person (or the operator of a headless run) asked the agent itself for. A
command that the client ran on its own (`/compact`, `!ls`) asks the agent for nothing. A turn that a machine started is told
apart: its text is shown as delivered and never as the request.
"""

from dataclasses import dataclass

from memd.extract.material import Material
from memd.model import MEMO_CHANNELS, Channel, Grade, Record

_ADDED = {Channel.HUMAN_STEERED, Channel.HUMAN_ANSWER}


_TRIFLES = frozenset(
    "hi,hello,hey,ok,okay,yes,no,continue,go on,go ahead,test,thanks,hallo,你好,继续".split(",")  # noqa: SIM905 - a list of words
)
"""What says too little to be a mission."""


@dataclass(frozen=True, slots=True)
class Turn:
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


def asks(record: Record) -> bool:
    """Whether a record is words that the agent itself was given to act on, still part of the conversation."""
    if record.channel not in MEMO_CHANNELS or not record.in_force or record.copy_of is not None:
        return False
    local = record.channel is Channel.HUMAN_COMMAND and record.grade is Grade.INFERRED
    return not local and bool(record.text.strip() or record.extra.get("images"))


def words(material: Material) -> list[Record]:
    """Everything the person (or operator) asked for, in order."""
    asked = [record for record in material.said if asks(record)]
    return asked or [r for r in material.said if asks(_own(r))]


def directing(material: Material) -> Record | None:
    """The message that set the mission: the newest goal, else the first that says more than a greeting or "go on"."""
    asked = words(material)
    goals = [r for r in asked if r.channel is Channel.HUMAN_COMMAND and r.extra.get("command") == "goal"]
    found = goals[-1:] or [r for r in asked if _telling(r)][:1] or asked[:1]
    return found[0] if found else None


def _telling(record: Record) -> bool:
    return record.channel is not Channel.HUMAN_ANSWER and record.text.strip().lower().rstrip(".!?") not in _TRIFLES


def _own(record: Record) -> Record:
    """In a fork all words may be copies; they still are what the session is about."""
    return Record(**{name: getattr(record, name) for name in Record.__slots__ if name != "copy_of"})


def current(material: Material) -> Turn:
    """The turn that runs now, or ran last."""
    asked = words(material)
    prompts = [record for record in asked if record.channel not in _ADDED]
    request = prompts[-1] if prompts else (asked[-1] if asked else None)
    added = tuple(r for r in asked if request is not None and r.number > request.number and r.channel in _ADDED)
    starters = [
        r for r in material.said if r.in_force and r.channel.starts_turn and r.channel not in _ADDED and not _local(r)
    ]
    return Turn(request, added, starters[-1] if starters else None, running(material))


def _local(record: Record) -> bool:
    return record.channel is Channel.HUMAN_SHELL or (
        record.channel is Channel.HUMAN_COMMAND and record.grade is Grade.INFERRED
    )


def running(material: Material) -> bool:
    """Whether the agent works now: something came in after its last turn ended."""
    ended = material.session.turn_ended_at
    last = max((r.at for r in material.said if r.at is not None and not _local(r)), default=None)
    calls = max((d.at for d in material.done if d.at is not None), default=None)
    newest = max((at for at in (last, calls) if at is not None), default=None)
    return newest is not None and (ended is None or newest > ended)


def since_boundary(material: Material) -> int:
    """How many turns began since the last compaction; all of them when there was none."""
    after = material.boundaries[-1].number if material.boundaries else 0
    return sum(
        r.number > after and r.channel.starts_turn and r.channel not in _ADDED and not _local(r) for r in material.said
    )
