"""One row being read: the state so far and the events that it made. The readers of single row types work on it."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memd.model import Envelope, Event, Facts, Message, Origin, Receipt, Source, Wrapper, marks
from memd.provenance import Answer, classify
from memd.tools.codex import rollback
from memd.tools.codex.state import Pending, ReaderState
from memd.tools.fields import moment, string, table, whole
from memd.tools.remembered import changed

Row = Mapping[str, Any]

HARNESS = 600
"""Characters of the client's own texts (instructions, context, skills) that are kept; the record points to the rest."""


class Reading(Struct, gc=False):
    """What has come of a row. `row` is the whole of it, `payload` what its type says that it carries."""

    state: ReaderState
    source: Source
    events: list[Event] = field(default_factory=list)
    index: int = 0
    """Which row of the physical line it is; more than one only where the client lost a newline."""
    at: int | None = None
    stamp: str = ""
    taken_back: bool = False
    """The session was rewound behind this row, and goes on in another file that may have been read before."""

    def open(self, row: Row) -> None:
        """Begin with a row of the line."""
        self.stamp = string(row, "timestamp")
        self.at = moment(row.get("timestamp"))
        until, ordinal = self.state.until, whole(row, "ordinal")
        self.taken_back = until is not None and ordinal is not None and ordinal >= until

    def key(self, item: Row, content: str) -> str:
        """The name of the entry that an item makes, the same wherever the client writes the item again.

        Items have ids (for calls: the call's) that survive the client's own migration of its files, archiving and the copying
        into a sub-agent's file, where their times do not; events get new ones. The content is in it, for some providers
        number their answers from 0 again and again. Items of old clients have no id, but a time that the migration
        keeps; the oldest have neither, and no migration (it refuses their files): their place has to do.
        """
        ident = string(item, "id") or string(item, "call_id")
        if not ident:
            ident = self.stamp or f"{self.state.session}:{self.source.offset}.{self.index}"
        return f"{ident}:{digest(content)}"

    def say(
        self,
        key: str,
        envelope: Envelope,
        text: str,
        turn: str = "",
        extra: Row | None = None,
        source: Source | None = None,
    ) -> None:
        """Add an entry whose speaker its envelope tells."""
        self.add(key, classify(envelope), text, turn, extra or {}, source)

    def add(self, key: str, answer: Answer, text: str, turn: str, extra: Row, source: Source | None = None) -> None:
        """Add an entry whose speaker is known."""
        named, where = turn or self.state.turn.id or None, source or self.source
        self.events.append(Message(key, self.at, *answer, text, where, named, withdrawn=self.taken_back, extra=extra))
        self.state = rollback.enter(self.state, key)
        if self.state.turned:
            self.state, rewind = rollback.begun(self.state)
            self.events.append(rewind)

    def hook(self, key: str, text: str, turn: str) -> None:
        """A hook's output that went to the model; memd's own is known by its marks and proves its delivery."""
        own = Wrapper.OWN if marks.own(text) else None
        self.say(key, Envelope(Origin.HOOK, wrapper=own), text, turn)
        found = marks.find(text)
        if found is not None:
            receipt = Receipt(self.at, found.number, found.part, found.parts, found.code, found.session)
            self.events.append(receipt)

    def tell(self, **known: Any) -> None:
        """Tell what is now known of the session, if it is news."""
        facts = replace(self.state.facts, **{name: value for name, value in known.items() if value})
        if facts != self.state.facts:
            self.state = changed(self.state, facts=facts)
            self.events.append(Facts(**{name: getattr(facts, name) for name in Facts.__struct_fields__}))

    def wait(self, pending: Pending) -> None:
        """Let an item wait for the event that vouches for it."""
        self.state = changed(self.state, pending=pending, late=None)


def digest(text: str) -> str:
    """Sixteen hex digits of a text."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def turn_of(item: Row) -> str:
    """The turn that an item says it belongs to."""
    return string(table(item, "internal_chat_message_metadata_passthrough"), "turn_id")
