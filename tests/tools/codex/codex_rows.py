"""What the tests of the reader share: recorded rows, hand-made ones, and what becomes of them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memd.model import (
    Amend,
    Channel,
    Compaction,
    Facts,
    Gap,
    Grade,
    Message,
    Operation,
    Receipt,
    Rewind,
    TurnEnd,
    Usage,
)
from memd.store.calls import merge
from memd.store.ranges import Rewound, bounds
from memd.tail.batch import Line
from memd.tools.codex import Codex
from memd.tools.protocol import Identity

DATA = Path(__file__).parents[2] / "data" / "codex"
THREAD = "01a22988-7aea-7731-8d65-000000000001"
TURN = "turn-1"
TOOL = Codex()


@dataclass(frozen=True)
class Read:
    """A transcript that was read to its end."""

    events: tuple
    state: object
    records: list

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def said(self):
        """Each entry's channel and text."""
        return [(str(record.channel), record.text) for record in self.records]

    @property
    def human(self):
        return [record for record in self.records if record.channel.human]

    @property
    def calls(self):
        """What is known of each tool call in the end, as the record puts it together."""
        known = {}
        for event in self.of(Operation):
            known[event.call] = merge(known.get(event.call), event, 1)
        return list(known.values())

    @property
    def gaps(self):
        return [(gap.kind, gap.what) for gap in self.of(Gap)]

    @property
    def receipts(self):
        return self.of(Receipt)

    @property
    def usages(self):
        return self.of(Usage)

    @property
    def compactions(self):
        return self.of(Compaction)

    @property
    def ends(self):
        return self.of(TurnEnd)

    @property
    def facts(self):
        return (self.of(Facts) or [None])[-1]


@dataclass
class Entry:
    """An entry as the store would give it back: numbered, marked, mended by what came later."""

    number: int
    key: str
    at: int | None
    channel: Channel
    grade: Grade
    text: str
    extra: dict
    withdrawn: bool = False
    undelivered: bool = False
    copy_of: None = None


def recorded(events):
    """The entries that events make, in order, each once."""
    entries = {}
    for event in events:
        match event:
            case Message() if event.key not in entries:
                told = (event.at, event.channel, event.grade, event.text, dict(event.extra))
                entries[event.key] = Entry(len(entries) + 1, event.key, *told)
            case Amend() if event.key in entries:
                entries[event.key].channel, entries[event.key].grade = event.channel, event.grade
            case Rewind():
                _go_back(entries, event)
    return list(entries.values())


def _go_back(entries, rewind):
    numbers = {key: entry.number for key, entry in entries.items()}
    kept = [bounds(numbers, first, last, len(entries)) for first, last in rewind.path]
    rewound = Rewound(len(entries), tuple(filter(None, kept)), sure=None not in kept)
    for entry in entries.values():
        entry.withdrawn = rewound.withdrawn(entry.number, before=entry.withdrawn)


def read(*rows, child=False, thread=THREAD, left=True):
    """Feed rows (objects, or physical lines as bytes), each through a state that was dumped and loaded."""
    state, events, offset = TOOL.start(Identity("agent", thread) if child else Identity(thread)), [], 0
    for row in rows:
        data = row if isinstance(row, bytes) else json.dumps(row).encode()
        state, found = TOOL.feed(TOOL.load(TOOL.dump(state)), Line(offset, len(data), data))
        events.extend(found)
        offset += len(data) + 1
    if left:
        state, found = TOOL.left(state)
        events.extend(found)
    return Read(tuple(events), state, recorded(events))


@cache
def recording(name):
    """The physical lines of a recording."""
    return tuple((DATA / f"{name}.jsonl").read_bytes().removesuffix(b"\n").split(b"\n"))


@cache
def names():
    """All recordings."""
    found = sorted(path.name.removesuffix(".jsonl") for path in DATA.glob("*.jsonl"))
    return [name for name in found if name != "history" and not name.endswith(".expected")]


def identity(name):
    """Whose transcript a recording is; its name tells nothing."""
    return TOOL.identify(Path("rollout.jsonl"), recording(name))


@cache
def play(name):
    """A recording as memd records it: read to its end, the prompt history asked."""
    own = identity(name) or Identity(THREAD)
    found = read(*recording(name), child=own.parent is not None, thread=own.native)
    concerned = [record for record in found.records if TOOL.concerns(record)]
    lifted = [] if own.parent else TOOL.lift(concerned, recording("history"), own.native)
    return Read(found.events, found.state, recorded([*found.events, *lifted]))


@cache
def real_rows():
    """Every row of every recording."""
    return [json.loads(line) for name in names() for line in recording(name)]


# Rows as the client writes them (codex-cli 0.171.0); `more` overrides


def row(kind, payload, at="2026-11-29T22:59:00.000Z", **more):
    return {"timestamp": at, "ordinal": 1, "type": kind, "payload": payload, **more}


def meta(**more):
    told = {"id": THREAD, "session_id": THREAD, "cwd": "/srv/work", "originator": "codex-tui", "cli_version": "0.171.0"}
    return row("session_meta", {**told, "source": "cli", "thread_source": "user", **more})


def event(kind, /, **fields):
    return row("event_msg", {"type": kind, **fields})


def begin(trigger="user", turn=TURN, **more):
    told = {"turn_id": turn, "turn_trigger": trigger}
    return event("task_started", turn_id=turn, turn_attribution=told, model_context_window=258_400, **more)


def item(text, kind="user.text", provenance="user", role="user", ident="msg_1", turn=TURN, about=None, **more):
    """A response item with one part; without a kind as an old client writes it."""
    told = {"turn_id": turn, "content_item_kinds": [kind], "content_item_metadata": [{"provenance": provenance}]}
    if isinstance(provenance, str):
        told["content_item_metadata"] = [{"provenance": {"type": provenance}}]
    payload = {"type": "message", "id": ident, "role": role, "content": [{"type": "input_text", "text": text}], **more}
    if kind is not None:
        payload["internal_chat_message_metadata_passthrough"] = told
    return row("response_item", payload, metadata=about or {})


def heard(text, turn=TURN, ident="item_1", client="c1", **more):
    """The event of a user's message."""
    said = {"type": "UserMessage", "id": ident, "content": [{"type": "text", "text": text}], **more}
    return event("item_completed", turn_id=turn, item=said | ({"client_id": client} if client else {}))


def said(text, ident="msg_1", **more):
    """The item and the event of a user's message."""
    return item(text, ident=ident, **more), heard(text, ident=f"i{ident}")


def old(text):
    """A user's message and its event, as clients before 2026 write them."""
    return item(text, kind=None, ident=None), event("user_message", message=text, images=[])


def call(name, ident="call_1", **given):
    payload = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": ident}
    return row("response_item", payload)


def result(output, ident="call_1"):
    return row("response_item", {"type": "function_call_output", "call_id": ident, "output": output})


def done(kind, ident="call_1", /, **fields):
    return event("item_completed", turn_id=TURN, item={"type": kind, "id": ident, **fields})
