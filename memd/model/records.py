"""What the store gives back. Numbers are the session's own message numbers, counted from 1 without gaps."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from memd.model.channels import Channel, Grade
from memd.model.events import Kind, Source, State


class Session(Struct, frozen=True):
    """One conversation of one tool, `id` as in `claude-code:<uuid>` or `<parent id>/<agent id>`."""

    id: str
    tool: str
    native: str
    parent: str | None = None
    path: str | None = None
    cwd: str | None = None
    title: str | None = None
    model: str | None = None
    window: int | None = None
    version: str | None = None
    entrypoint: str | None = None
    forked_from: str | None = None
    created_at: int | None = None
    last_at: int | None = None
    ended_at: int | None = None
    turn_ended_at: int | None = None
    tokens: int | None = None
    messages: int = 0
    compactions: int = 0
    seen_at: int | None = None
    """When the daemon last read something of it (its own clock)."""


class Record(Struct, frozen=True, gc=False):
    """One numbered message."""

    number: int
    key: int
    """The number that stands for the tool's own key; see `store.keys`."""
    at: int | None
    channel: Channel
    grade: Grade
    text: str
    source: Source
    turn: str | None = None
    withdrawn: bool = False
    undelivered: bool = False
    copy_of: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Of what names it; `extra` has no hash of its own."""
        return hash((self.number, self.key))

    @property
    def in_force(self) -> bool:
        """Whether it is still part of the conversation."""
        return not (self.withdrawn or self.undelivered)


class Done(Struct, frozen=True, gc=False):
    """One tool call as recorded; `number` is its result's, or the entry before it while it still runs."""

    call: str
    number: int
    kind: Kind
    name: str
    at: int | None
    ended_at: int | None
    state: State
    target: str
    detail: Mapping[str, Any]
    result: str

    def __hash__(self) -> int:
        """Of what names it; `detail` has no hash of its own."""
        return hash((self.call, self.number))


class Boundary(Struct, frozen=True):
    """A compaction as recorded; `number` is the last message before it."""

    ordinal: int
    number: int
    at: int | None
    trigger: str
    before: int | None
    after: int | None


class Fill(Struct, frozen=True):
    """How full the context was at one answer; `number` is the entry before it, `tokens` the provider's."""

    number: int
    at: int | None
    tokens: int


class Delivered(Struct, frozen=True):
    """The last injection of a session and how far its proof has come."""

    number: int
    code: str
    at: int
    hook: str
    parts: int
    seen: frozenset[int]
    ended: bool
    """The end mark with the right code was seen."""
    compactions: int = 0
    """How many compactions lay behind when it was given."""
    opened: bool = False
    """The agent read a file since that the text names."""
    acknowledged: bool = False
    """The agent said the code since."""

    @property
    def level(self) -> str:
        """`written`, `delivered`, `complete`, `opened` or `acknowledged`."""
        if self.acknowledged:
            return "acknowledged"
        if self.ended and len(self.seen) == self.parts:
            return "opened" if self.opened else "complete"
        return "delivered" if self.seen else "written"
