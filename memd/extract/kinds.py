"""A session's entries by what is looked for among them: some twenty questions are asked of them after each turn."""

from collections import defaultdict

from memd.model import Channel, Done, Kind, Record, State


class Calls:
    """Calls, in order in each list.

    Attributes:
        kinds: by what they do; `states` by how far they have come.
        open: those that have not ended well, and schedules, which go on when their call has ended.
        ends: those that say which job has ended.
        newest: when the one began that began last, as far as they have a time.
    """

    def __init__(self, before: "Calls | None" = None) -> None:
        self.kinds = defaultdict[Kind, list[Done]](list)
        self.states = defaultdict[State, list[Done]](list)
        if before:
            self.kinds.update((kind, [*calls]) for kind, calls in before.kinds.items())
            self.states.update((state, [*calls]) for state, calls in before.states.items())
        self.open: list[Done] = [*before.open] if before else []
        self.ends: list[Done] = [*before.ends] if before else []
        self.newest: int | None = before.newest if before else None

    def take(self, call: Done) -> None:
        """Put a call behind the others."""
        self.kinds[call.kind].append(call)
        self.states[call.state].append(call)
        if call.state is not State.DONE or call.kind is Kind.SCHEDULE:
            self.open.append(call)
        if "ends" in call.detail:
            self.ends.append(call)
        if call.at is not None:
            self.newest = call.at if self.newest is None else max(self.newest, call.at)


class Said:
    """What was said, in order in each list.

    Attributes:
        channels: by how it came in.
        gone: what is not part of the conversation any more, or never came to be.
    """

    def __init__(self) -> None:
        self.channels = defaultdict[Channel, list[Record]](list)
        self.gone = list[Record]()

    def take(self, record: Record) -> None:
        """Put a message behind the others."""
        self.channels[record.channel].append(record)
        if not record.in_force:
            self.gone.append(record)
