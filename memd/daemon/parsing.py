"""One step of reading, without the record: from a cursor and a reader's state to events and the state behind them.

What a step needs is in `Ask`, what came of it in `Parsed`. Nothing here asks the record or writes anywhere, so a step can be
made in another process (`memd.daemon.second`), and what comes of it is the same to the byte.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memd.model import Amend, Channel, Envelope, Event, Gap, Message, Origin
from memd.model.masking import masked
from memd.provenance import classify
from memd.tail.batch import Batch
from memd.tools.places import Kept, Places
from memd.tools.protocol import Identity, Tool
from memd.tools.registry import tool as named

STEP = 2 << 20
"""Bytes that one step reads. Steps of half the size take 6 % more time in all, of twice the size 1 % less; while old transcripts
are read a live one waits for the step that runs, 60 ms at most instead of 40 (recorded sessions of two tools)."""


_VOUCHED = (Message, Amend)


class Ask(Struct, frozen=True, tag=True):
    """What a step is made from: all that the record says of a transcript, and nothing else."""

    tool: str
    path: str
    notes: str
    """Where the tool's plugin notes things (`Tool.read`)."""
    hosts: frozenset[str] = frozenset()
    """Programs whose prompts are the person's typing."""
    limit: int = STEP
    cursor: str | None = None
    """None: nothing of it is recorded."""
    offset: int = 0
    """How far it is read."""
    text: str = ""
    """The reader's state, as `Tool.dump` gave it."""
    places: Mapping[str, str] = field(default_factory=dict)
    identity: Identity | None = None
    """Whose it is, where that is known."""
    size: int | None = None
    """Where it has this size still and no new line, there is nothing to be done."""


class Parsed(Struct, frozen=True, tag=True):
    """What came of a step. Without an identity it is nobody's transcript, and nothing else is told of it."""

    behind: str | None = None
    """The cursor that it was made from."""
    gone: bool = False
    nothing: bool = False
    """There is no news."""
    identity: Identity | None = None
    cursor: str = ""
    offset: int = 0
    size: int = 0
    more: bool = False
    anew: bool = False
    """It was read from its start, whatever the cursor said."""
    text: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    """The new ones."""
    events: list[Event] = field(default_factory=list)


def parse(ask: Ask) -> Parsed:
    """Read on for about `limit` bytes.

    Raises:
        SourceUnreadable: the transcript is there and cannot be read now.
        StoreTrouble: the cursor is damaged, or a newer memd's.
    """
    return replace(_parsed(ask), behind=ask.cursor)


def _parsed(ask: Ask) -> Parsed:
    tool, path = named(ask.tool), Path(ask.path)
    batch = read(tool, ask, ask.cursor)
    if batch.gone:
        return Parsed(gone=True)
    if not batch.lines and not batch.gaps and batch.size == ask.size:
        return Parsed(nothing=True)
    identity = ask.identity or tool.identify(path, [line.data for line in batch.lines])
    if identity is None:
        return Parsed()
    state = _state(tool, ask, identity, restarted=batch.restarted)
    anew = batch.restarted or state is None
    if state is None:  # another version's state: read the whole file again, its row ids keep it from doubling
        batch = read(tool, ask, None)
        state = tool.start(identity)
    state, events = _feed(tool, state, batch, ask.hosts)
    kept, offset = tool.dump(state), batch.cursor.offset
    more = bool(batch.lines) and offset < batch.size
    return Parsed(
        identity=identity,
        cursor=batch.cursor.dumps(),
        offset=offset,
        size=batch.size,
        more=more,
        anew=anew,
        text=kept.text,
        places=dict(kept.places.new),
        events=events,
    )


def following(ask: Ask, parsed: Parsed) -> Ask:
    """What the step behind one is made from, once that one is recorded; a dictionary of places goes over, with the new ones."""
    places = {} if parsed.anew or not isinstance(ask.places, dict) else ask.places
    places.update(parsed.places)
    return replace(
        ask,
        cursor=parsed.cursor,
        offset=parsed.offset,
        text=parsed.text,
        places=places,
        identity=parsed.identity,
        size=parsed.size,
    )


def read(tool: Tool, ask: Ask, cursor: str | None) -> Batch:
    """The rows behind a cursor; raises as `parse` does."""
    return tool.read(Path(ask.path), cursor, ask.limit, Path(ask.notes))


def _state(tool: Tool, ask: Ask, identity: Identity, *, restarted: bool) -> Any:
    if ask.cursor is None or restarted:
        return tool.start(identity)
    try:
        return tool.load(Kept(ask.text, Places(ask.places)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _feed(tool: Tool, state: Any, batch: Batch, hosts: frozenset[str]) -> tuple[Any, list[Event]]:
    events: list[Event] = [Gap(gap.kind, gap.what, gap.bytes) for gap in batch.gaps]
    for line in batch.lines:
        state, found = tool.feed(state, line)
        events.extend(found)
    return state, masked([_trusting(event, hosts) for event in events])


def _trusting(event: Event, hosts: frozenset[str]) -> Event:
    """The event, with its prompt taken for the person's typing where all that vouches for it is a host that is trusted.

    Only a parser names a host, and only beside a prompt, or with what vouches for one that was entered before; what a machine
    began or a sub-agent was told has another channel.
    """
    if not isinstance(event, _VOUCHED) or event.channel is not Channel.OPERATOR_HEADLESS:
        return event
    host = event.host if isinstance(event, Amend) else event.extra.get("host")
    if host not in hosts:
        return event
    channel, grade = classify(Envelope(Origin.PERSON, claimed=True, trusted=True))
    return replace(event, channel=channel, grade=grade)
