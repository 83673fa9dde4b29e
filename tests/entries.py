"""What a reader's events make: entries as the record would number, mend and mark them."""

import json
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from memd.model import (
    Amend,
    Compaction,
    Facts,
    Gap,
    Message,
    Operation,
    Receipt,
    Record,
    Rewind,
    TurnEnd,
    Usage,
)
from memd.store.calls import merge
from memd.store.ranges import Rewound, bounds, without
from memd.tail.batch import Line


@dataclass(frozen=True)
class Read:
    """A transcript that was read to its end, and what else is known of it."""

    events: tuple
    state: object

    @cached_property
    def records(self):
        return recorded(self.events)

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
    def graded(self):
        """Each entry's channel, grade and text."""
        return [(str(record.channel), str(record.grade), record.text) for record in self.records]

    @property
    def human(self):
        return [record for record in self.records if record.channel.human]

    @property
    def in_force(self):
        return [record.text for record in self.records if not record.withdrawn]

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


def recorded(events):
    """The entries that events make, in order, each once."""
    entries = {}
    for event in events:
        match event:
            case Message() if event.key not in entries:
                told = (event.key, event.at, event.channel, event.grade, event.text, event.source, event.turn)
                entries[event.key] = Record(
                    len(entries) + 1, *told, undelivered=event.undelivered, extra=dict(event.extra)
                )
            case Amend() if event.key in entries:
                told = {name: getattr(event, name) for name in ("channel", "grade", "undelivered")}
                mended = {name: value for name, value in told.items() if value is not None}
                entries[event.key] = replace(entries[event.key], **mended)
            case Rewind():
                entries = _gone_back(entries, event)
    return list(entries.values())


def _gone_back(entries, rewind):
    numbers = {key: entry.number for key, entry in entries.items()}
    kept = [bounds(numbers, first, last, len(entries)) for first, last in rewind.path]
    out = [numbers[key] for key in rewind.out if key in numbers]
    rewound = Rewound(len(entries), without(tuple(filter(None, kept)), out), sure=None not in kept)
    return {
        key: replace(entry, withdrawn=rewound.withdrawn(entry.number, before=entry.withdrawn))
        for key, entry in entries.items()
    }


def read_lines(tool, identity, lines, *, left=False):
    """Feed lines, each through a state that was dumped and loaded; `left`: the transcript is left then."""
    state, events = tool.start(identity), []
    for line in lines:
        state, found = tool.feed(tool.load(tool.dump(state)), line)
        events += found
    if left:
        state, found = tool.left(state)
        events += found
    return Read(tuple(events), state)


def physical(rows):
    """Rows (objects, or lines as bytes) as the lines of a file."""
    offset = 0
    for row in rows:
        data = row if isinstance(row, bytes) else json.dumps(row).encode()
        yield Line(offset, len(data), data)
        offset += len(data) + 1
