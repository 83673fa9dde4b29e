"""What a reader makes of a transcript: `feed(state, row) -> (state, events)` yields these, in file order.

Times are UTC in milliseconds since the epoch (`at`), `None` where the row has none. A `key` names an entry for ever (the
tool's own row id, with a suffix for a part of it), so that a row read twice is recorded once. What they hold is of JSON, which
knows no cycles, so the collector of garbage has nothing to look for in them (`gc`).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from memd.model.channels import Channel, Grade


class Source(Struct, frozen=True, gc=False):
    """The place in the transcript that an entry was read from: byte offset and length of its physical line."""

    offset: int
    length: int


class Message(Struct, frozen=True, tag=True, gc=False):
    """One entry: words of a person, an agent, a tool or the client. The store gives it the session's next number."""

    key: str
    at: int | None
    channel: Channel
    grade: Grade
    text: str
    source: Source
    turn: str | None = None
    undelivered: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Small facts for showing it: `question`, `allowed`, `images`, `call`, `job`, `hook`, `command`, `cut` (bytes left out),
    `host` (the program that alone vouches for a prompt)."""
    withdrawn: bool = False
    """It was taken back before it was read: in an older file of a session that was rewound."""


class Amend(Struct, frozen=True, tag=True, gc=False):
    """A later row that changes what is known of an earlier entry, named by its key, or as its record names it."""

    key: str | int
    undelivered: bool | None = None
    channel: Channel | None = None
    grade: Grade | None = None
    host: str = ""
    """The program that alone vouches for the channel; as `host` of a message, it tells only those who trust it."""


class Rewind(Struct, frozen=True, tag=True, gc=False):
    """The conversation went back: only entries inside these key ranges (both ends included) are still part of it.

    `None` as the first end means from the start, as the last end up to now.
    """

    path: tuple[tuple[str | None, str | None], ...]
    everything: bool = False
    """It decides over all that is recorded, not only over what was read up to here."""
    out: tuple[str, ...] = ()
    """Entries inside of them that were taken out alone."""


class Kind(StrEnum):
    """What a tool call does, in words that all tools share."""

    READ = "read"
    EDIT = "edit"
    CREATE = "create"
    COMMAND = "command"
    SEARCH = "search"
    WEB = "web"
    TASKS = "tasks"
    ASK = "ask"
    PLAN = "plan"
    AGENT = "agent"
    SKILL = "skill"
    SCHEDULE = "schedule"
    STOP = "stop"
    SERVER = "server"
    """A tool of a server that the person connected (MCP), or of a plugin; its target is the name with the arguments."""
    OTHER = "other"


class State(StrEnum):
    """How far a tool call has come."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """The person said no before it ran."""
    INTERRUPTED = "interrupted"
    BACKGROUND = "background"
    """It answered at once and goes on working; `detail["job"]` names it."""


class Operation(Struct, frozen=True, tag=True, gc=False):
    """One tool call. Yielded when it starts and again, under the same `call`, when its result is known."""

    call: str
    kind: Kind
    name: str
    """The tool's own name for it."""
    at: int | None
    state: State
    target: str = ""
    """The path, command line, URL, question or name that it is about."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """By kind: `old`, `new`, `description`, `exit`, `job`, `items`, `answers`, `plan`, `prompt`, `agent`, `when`."""
    result: str = ""
    """An excerpt of what it answered."""


class Usage(Struct, frozen=True, tag=True, gc=False):
    """How full the context was at one answer of the model, in the provider's tokens."""

    key: str
    at: int | None
    tokens: int
    model: str | None = None


class Compaction(Struct, frozen=True, tag=True, gc=False):
    """The tool replaced its context by a summary here."""

    key: str
    at: int | None
    trigger: str
    """`manual` or `auto`."""
    before: int | None = None
    after: int | None = None


class Receipt(Struct, frozen=True, tag=True, gc=False):
    """The transcript shows that a text of memd's went into the context."""

    at: int | None
    number: int
    part: int
    parts: int
    code: str | None
    """The receipt code of the end mark, if this part has it whole."""
    session: str | None = None
    """The session that the end mark names."""
    hook: str = ""


LOST = "overwritten"
"""The kind of a gap that reading the transcript again from its start does not find again."""


class Gap(Struct, frozen=True, tag=True, gc=False):
    """Something that is there and was not read as an entry: counted and shown, never passed over."""

    kind: str
    """`torn`, `unknown`, `words` (unknown too, and a person may have said something in it), `elided`, `malformed`, `absent`,
    `writers`, and `LOST`."""
    what: str = ""
    count: int = 1


class Facts(Struct, frozen=True, tag=True, gc=False):
    """What rows say of the session itself; a later value replaces an earlier one, `None` changes nothing."""

    cwd: str | None = None
    title: str | None = None
    model: str | None = None
    window: int | None = None
    version: str | None = None
    entrypoint: str | None = None
    branch: str | None = None
    forked_from: str | None = None


class TurnEnd(Struct, frozen=True, tag=True, gc=False):
    """The agent ended its turn."""

    at: int | None


Event = Message | Amend | Rewind | Operation | Usage | Compaction | Receipt | Gap | Facts | TurnEnd
