"""Events and checkpoints with everything filled in that a test does not care about."""

from memd.model import Amend, Channel, Checkpoint, Grade, Kind, Message, Operation, Parts, Source, State
from memd.store import Seed

TOOL = "claude-code"
ONE = Seed(f"{TOOL}:one", TOOL, "one", None, "/transcripts/one.jsonl")
TWO = Seed(f"{TOOL}:two", TOOL, "two", None, "/transcripts/two.jsonl")
NOW = 1_000_000


def message(key, at=None, channel=Channel.HUMAN_TYPED, **fields):
    given = {"grade": Grade.PROVED, "text": f"text of {key}", "source": Source(0, 1)} | fields
    return Message(key=key, at=at, channel=channel, **given)


def operation(call, state=State.RUNNING, **fields):
    given = {"kind": Kind.EDIT, "name": "Edit", "at": None} | fields
    return Operation(call=call, state=state, **given)


def amend(key, **fields):
    return Amend(key, **fields)


def checkpoint(number, session=ONE.session, writer="extractive", **fields):
    given = {"at": NOW, "trigger": "turn", "upto": 1, "receipt": f"CODE{number:02}"} | fields
    return Checkpoint(session=session, number=number, writer=writer, parts=Parts("mind", b"memo", "scene"), **given)


def commit(store, *events, seed=ONE, cursor="cursor", reader="reader", size=100, now=NOW, offset=None):
    return store.commit(seed, cursor, reader, events, size=size, now=now, offset=offset)


def everything(store, session=ONE.session):
    """The whole record of one session, for comparing."""
    return {
        "session": store.session(session),
        "messages": store.messages(session),
        "operations": store.operations(session),
        "boundaries": store.boundaries(session),
        "gaps": store.glances.gaps(session),
        "deliveries": store.deliveries.all(session),
    }
