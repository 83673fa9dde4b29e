"""One row being read: the state so far and the events that it made. The readers of single row types work on it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from memd.model import Event, Facts, Message, Source
from memd.tools.opencode import branches
from memd.tools.opencode.delivery import Answer
from memd.tools.opencode.state import RECENT, ReaderState, put
from memd.tools.remembered import changed

Row = Mapping[str, Any]

HARNESS = 600
"""Characters of the client's own texts (files read for a mention, reminders) that are kept; the record points to the rest."""


class Reading(Struct):
    """What has come of a row."""

    state: ReaderState
    source: Source
    of: str = ""
    """What the row is a copy of, in the session that this one was forked from."""
    events: list[Event] = field(default_factory=list)

    def message(self, ident: str) -> Row | None:
        """What is known of a message; None for one that was not told, or long ago."""
        return self.state.messages.get(ident)

    def remember(self, ident: str, **known: Any) -> None:
        """Know more of a message."""
        message = {**(self.message(ident) or {}), **known}
        self.state = changed(self.state, messages=put(self.state.messages, ident, message, RECENT))

    def say(self, message: str, key: str, at: int | None, answer: Answer, text: str, **extra: Any) -> None:
        """Add an entry that belongs to a message."""
        known = self.message(message) or {}
        turn = message if known.get("role") == "user" else known.get("parent") or message
        extra = {name: value for name, value in extra.items() if value}
        self.events.append(Message(key, at, *answer, text, self.source, turn or None, extra=extra))
        self.state = branches.enter(self.state, message, key)

    def tell(self, facts: Facts) -> None:
        """Tell what is now known of the session, if it is news."""
        if facts != self.state.facts:
            self.state = changed(self.state, facts=facts)
            self.events.append(facts)
