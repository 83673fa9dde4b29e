"""`memd status SESSION`: all that is known of one session, and what happened in it, in the order in which it did."""

from collections.abc import Iterator

from msgspec import Struct

from memd.daemon.survey import Row
from memd.extract.occasions import given_for
from memd.model import Boundary, Checkpoint, Delivered, Session
from memd.model.text import ago, clock, named
from memd.store import Store


class Moment(Struct, frozen=True):
    """Something that happened: `start`, `checkpoint`, `compaction`, `delivery`, `end`."""

    at: int | None
    kind: str
    text: str


def moments(store: Store, session: Session) -> tuple[Moment, ...]:
    """What happened in a session, oldest first: its start and end, compactions, kept checkpoints, deliveries."""
    kept = (store.checkpoints.get(session.id, number) for number in store.checkpoints.numbers(session.id))
    found = [Moment(session.created_at, "start", "the session began")]
    found += [_checkpoint(one) for one in kept if one is not None]
    found += [_compaction(one) for one in store.boundaries(session.id)]
    given = store.deliveries.all(session.id)
    found += [
        _delivery(one, _after(one, own))
        for one, own in zip(given, given_for(given, store.boundaries(session.id)), strict=True)
    ]
    found += [Moment(session.ended_at, "end", "the session ended")] if session.ended_at is not None else []
    return tuple(sorted(found, key=lambda one: one.at or 0))


def _checkpoint(made: Checkpoint) -> Moment:
    size = f", {made.tokens.total:,} tokens" if made.tokens else ""
    count = len(made.problems)
    faults = f", {count} {'fault' if count == 1 else 'faults'} in it" if count else ""
    text = f"checkpoint {made.number} by {made.writer} ({made.trigger}){size}, up to #{made.upto}{faults}"
    return Moment(made.at, "checkpoint", text)


def _compaction(bound: Boundary) -> Moment:
    before = f"{bound.before:,}" if bound.before is not None else "?"
    sizes = f", {before} -> {bound.after:,} tokens" if bound.after is not None else f", from {before} tokens"
    return Moment(bound.at, "compaction", f"compaction {bound.ordinal} ({bound.trigger}) after #{bound.number}{sizes}")


def _after(given: Delivered, own: Boundary | None) -> int:
    """When it was given; behind the compaction that it was for, whose row the client may write after it has asked its hooks."""
    return max(given.at, own.at or 0) if own is not None else given.at


def _delivery(given: Delivered, at: int) -> Moment:
    seen = f"{len(given.seen)} of {given.parts} parts seen" if given.parts > 1 else f"{given.parts} part"
    return Moment(at, "delivery", f"checkpoint {given.number} given back{_by(given)}: {given.level} ({seen})")


def _by(given: Delivered) -> str:
    """The hook, where the client says which it was."""
    return f" by {given.hook}" if given.hook else ""


def facts(row: Row, now: int) -> Iterator[tuple[str, str]]:
    """What is known of it, each with its name; what goes on with the one before has none."""
    session, made, given = row.session, row.checkpoint, row.delivery
    yield "directory", named(session.cwd or "unknown") + (" (not on this machine)" if row.state == "foreign" else "")
    client = ", ".join(str(one) for one in (session.version, session.model, session.entrypoint) if one)
    yield "client", f"{session.tool} {client}".strip()
    compacted = "1 compaction" if session.compactions == 1 else f"{session.compactions} compactions"
    yield "entries", f"{session.messages:,}, the last {ago(session.last_at, now)}; {compacted}; {row.state}"
    if made is None:
        yield "checkpoint", "none"
    else:
        yield (
            "checkpoint",
            f"{made.number}, {ago(made.at, now)}, by {made.writer} ({made.trigger}), receipt {made.receipt}",
        )
        if made.tokens is not None:
            sizes = made.tokens
            yield "", f"mind {sizes.mind:,}, memo {sizes.memo:,}, scene {sizes.scene:,}, all {sizes.total:,} tokens"
        yield from (("", f"{one.part}: {one.fault}; {one.fallback}") for one in made.told)
    if given is not None:
        yield "delivery", f"{given.level}: checkpoint {given.number}{_by(given)}, {ago(given.at, now)}"
    elif made is not None:
        none = "nothing is recorded as given back" if session.compactions else "nothing had to be given back yet"
        yield "delivery", f"ready; {none}"
    if row.source is not None:
        lag = max(0, row.size - row.source.offset)
        unread = "read to its end" if not lag else f"{lag:,} {row.source.unit} not read yet"
        yield "transcript", f"{row.source.path} ({row.size:,} {row.source.unit}, {unread})"
    if row.run is not None:
        tokens = f"{row.run.tokens:,} input tokens"
        yield "model", f"{row.run.outcome}, {ago(row.run.at, now)}, up to #{row.run.upto}, {tokens}"
        yield from (("", f"{one.part}: {one.fault}; {one.fallback}") for one in row.run.problems)


def lines(row: Row, happened: tuple[Moment, ...], now: int) -> Iterator[str]:
    """For a pipe: facts as `name: value`, then the moments."""
    for name, text in facts(row, now):
        yield f"{name}: {text}" if name else f"  {text}"
    yield from (f"{clock(one.at)}  {one.kind}  {one.text}" for one in happened)
