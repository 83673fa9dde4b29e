"""What the tests of the reader share: real rows from the recordings, hand-made ones, and what becomes of them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memd.model import Amend, Channel, Facts, Gap, Grade, Message, Operation, Receipt, Rewind, TurnEnd, Usage
from memd.store.ranges import Rewound, bounds
from memd.tail.lines import Line
from memd.tools.claude_code import ClaudeCode
from memd.tools.protocol import Identity

DATA = Path(__file__).parents[2] / "data" / "claude_code"
SESSION = "11111111-2222-4333-8444-555555555555"
TOOL = ClaudeCode()


@dataclass(frozen=True)
class Read:
    """A transcript that was read to its end."""

    events: tuple
    state: object
    records: list

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def messages(self):
        return self.of(Message)

    @property
    def said(self):
        """Each entry's channel and text."""
        return [(str(record.channel), record.text) for record in self.records]

    @property
    def human(self):
        return [record for record in self.records if record.channel.human]

    @property
    def calls(self):
        """The last that is known of each tool call."""
        return list({event.call: event for event in self.of(Operation)}.values())

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
    undelivered: bool
    extra: dict
    withdrawn: bool = False
    copy_of: None = None


def recorded(events):
    """The entries that events make, in order, each once."""
    entries = {}
    for event in events:
        match event:
            case Message() if event.key not in entries:
                told = (event.at, event.channel, event.grade, event.text, event.undelivered, dict(event.extra))
                entries[event.key] = Entry(len(entries) + 1, event.key, *told)
            case Amend() if event.key in entries:
                for name in ("channel", "grade", "undelivered"):
                    if getattr(event, name) is not None:
                        setattr(entries[event.key], name, getattr(event, name))
            case Rewind():
                _go_back(entries, event)
    return list(entries.values())


def _go_back(entries, rewind):
    numbers = {key: entry.number for key, entry in entries.items()}
    kept = [bounds(numbers, first, last, len(entries)) for first, last in rewind.path]
    rewound = Rewound(len(entries), tuple(filter(None, kept)), sure=None not in kept)
    for entry in entries.values():
        entry.withdrawn = rewound.withdrawn(entry.number, before=entry.withdrawn)


def read(*rows, child=False, session=SESSION, left=False):
    """Feed rows (objects, or physical lines as bytes), each through a state that was dumped and loaded."""
    state, events, offset = TOOL.start(Identity("agent", session) if child else Identity(session)), [], 0
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


@cache
def real_rows():
    """Every row of every recording."""
    return [json.loads(line) for name in names() for line in recording(name)]


def session_of(name):
    return next(row["sessionId"] for row in map(json.loads, recording(name)) if row.get("sessionId"))


def play(name):
    """A recording as memd reads it: to its end, with what the prompt history says of it."""
    child, session = "agent-" in name, session_of(name)
    done = read(*recording(name), child=child, session=session, left=True)
    concerned = [record for record in done.records if TOOL.concerns(record)]
    lifted = [] if child else TOOL.lift(concerned, recording("history"), session)
    events = (*done.events, *lifted)
    return Read(events, done.state, recorded(events))


_count = iter(range(1, 1 << 30))


def _row(kind, given, defaults):
    number = next(_count)
    base = {
        "type": kind,
        "uuid": f"row-{number}",
        "parentUuid": None,
        "timestamp": f"2026-11-29T22:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "sessionId": SESSION,
        "entrypoint": "cli",
        "version": "2.1.332",
    }
    row = {**base, **defaults, **given}
    return {key: value for key, value in row.items() if value is not ABSENT}


ABSENT = object()
"""Take a field away that a row would have."""


def typed(text, **given):
    """A prompt that a person typed (2.1.332)."""
    delivered = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
    defaults = {**delivered, "permissionMode": "default", "message": {"role": "user", "content": text}}
    return _row("user", given, defaults)


def plain(text, **given):
    """A user row of a client that states no origin (2.0.76)."""
    return _row(
        "user", given, {"version": "2.0.76", "entrypoint": ABSENT, "message": {"role": "user", "content": text}}
    )


def agent(*content, stop="end_turn", tokens=1000, **given):
    """A row of the agent's; strings are text blocks."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    message = {"role": "assistant", "model": "claude-opus-5-5", "content": blocks, "stop_reason": stop}
    message |= {"id": f"msg-{next(_count)}", "usage": {"input_tokens": tokens, "output_tokens": 1}}
    return _row("assistant", given, {"message": message, "requestedModel": "claude-opus-5-5"})


def call(name, ident="t1", **given):
    """A `tool_use` block."""
    return {"type": "tool_use", "id": ident, "name": name, "input": given}


def result(text, ident="t1", *, error=False, known=None, **given):
    """A user row with a tool's answer (2.1.332)."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": text, **({"is_error": True} if error else {})}
    extra = {"promptId": "p", **({} if known is None else {"toolUseResult": known})}
    return _row("user", given, {"message": {"role": "user", "content": [block]}, **extra})


def attachment(what, **given):
    return _row("attachment", given, {"attachment": what})


def hook_context(*content, hook="SessionStart:compact", **given):
    what = {"type": "hook_additional_context", "content": list(content), "hookName": hook, "hookEvent": "SessionStart"}
    return attachment(what, **given)


def system(subtype, **given):
    return _row("system", given, {"subtype": subtype})


def queue(operation, content=None, **given):
    content = {} if content is None else {"content": content}
    return _row(
        "queue-operation", {"uuid": ABSENT, "parentUuid": ABSENT, "operation": operation, **content, **given}, {}
    )


def chained(*rows):
    """The rows, each the child of the one before it, where they name no parent."""
    last = None
    for row in rows:
        if row.get("parentUuid") is None and "uuid" in row:
            row["parentUuid"] = last
        last = row.get("uuid", last)
    return rows
