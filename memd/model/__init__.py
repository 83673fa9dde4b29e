"""The nouns that travel between the rooms: frozen, without I/O, without opinions.

`channels` says who spoke and how sure that is, `events` what a reader makes of a transcript, `records` what the store
gives back, `checkpoint` what is kept and given to the agent, `marks` the few exact words by which memd finds its own text.
"""

from memd.model.channels import BESIDE_CHANNELS, MEMO_CHANNELS, Channel, Delivery, Envelope, Grade, Origin, Wrapper
from memd.model.checkpoint import Checkpoint, Parts, Problem, Run, Spent, Tick, TokenCounts
from memd.model.events import (
    LOST,
    Amend,
    Compaction,
    Event,
    Facts,
    Gap,
    Kind,
    Message,
    Operation,
    Receipt,
    Rewind,
    Source,
    State,
    TurnEnd,
    Usage,
)
from memd.model.records import Boundary, Delivered, Done, Fill, Record, Session

__all__ = [
    "BESIDE_CHANNELS",
    "LOST",
    "MEMO_CHANNELS",
    "Amend",
    "Boundary",
    "Channel",
    "Checkpoint",
    "Compaction",
    "Delivered",
    "Delivery",
    "Done",
    "Envelope",
    "Event",
    "Facts",
    "Fill",
    "Gap",
    "Grade",
    "Kind",
    "Message",
    "Operation",
    "Origin",
    "Parts",
    "Problem",
    "Receipt",
    "Record",
    "Rewind",
    "Run",
    "Session",
    "Source",
    "Spent",
    "State",
    "Tick",
    "TokenCounts",
    "TurnEnd",
    "Usage",
    "Wrapper",
]
