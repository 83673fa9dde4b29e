"""One line being read: the state so far and the events that it made. The readers of single row types work on it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memd.model import Channel, Envelope, Event, Facts, Message, Source
from memd.provenance import Answer, classify
from memd.tools.claude_code import branches, jobs
from memd.tools.claude_code.state import ReaderState
from memd.tools.fields import string
from memd.tools.remembered import changed

Row = Mapping[str, Any]

HARNESS = 600
"""Characters of the client's own texts (listings, reminders, skill bodies) that are kept; the record points to the rest."""


class Reading(Struct, gc=False):
    """What has come of a line."""

    state: ReaderState
    source: Source
    events: list[Event] = field(default_factory=list)
    index: int = 0
    """Which row of the line is being read; more than one only where the client lost a newline."""
    at: int | None = None
    """When the row was written."""
    copied: bool = False
    """The row is an old one, written again."""

    @property
    def place(self) -> str:
        """A name for the row by its place in the file."""
        return f"{self.source.offset}.{self.index}" if self.index else str(self.source.offset)

    def key(self, row: Row) -> str:
        """The name of the entry that a row makes: its own id, or its place for the few rows that have none."""
        return string(row, "uuid") or f"line:{self.place}"

    def enter(self, message: Message) -> None:
        """Add an entry; from now on it is the last one, unless it was there before."""
        if message.channel is Channel.BACKGROUND_NOTIFICATION:
            message = replace(message, extra={**message.extra, **jobs.told(message.text)})
        self.events.append(message)
        if not self.copied:
            self.state = branches.enter(self.state, message.key)

    def say(self, key: str, row: Row, envelope: Envelope, text: str, **extra: Any) -> None:
        """Add an entry whose speaker its envelope tells."""
        self.add(key, row, classify(envelope), text, extra)

    def add(self, key: str, row: Row, answer: Answer, text: str, extra: dict[str, Any]) -> None:
        """Add an entry whose speaker is known."""
        turn = string(row, "promptId") or None
        self.enter(Message(key, self.at, *answer, text, self.source, turn, extra=extra))

    def tell(self, facts: Facts) -> None:
        """Tell what is now known of the session, if it is news."""
        if facts != self.state.facts:
            self.state = changed(self.state, facts=facts)
            self.events.append(facts)
