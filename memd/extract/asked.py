"""Which entries ask the agent for something, and which begin a turn. Pure."""

from memd.model import MEMO_CHANNELS, Channel, Grade, Record

ADDED = frozenset({Channel.HUMAN_STEERED, Channel.HUMAN_ANSWER})
"""What comes into a turn that runs."""


def asks(record: Record) -> bool:
    """Whether a record is words that the agent itself was given to act on, still part of the conversation."""
    return record.channel in MEMO_CHANNELS and record.in_force and not local(record) and says(record)


def begins(record: Record) -> bool:
    """Whether a turn began with it, whoever sent it."""
    return record.in_force and record.channel.starts_turn and record.channel not in ADDED and not local(record)


def known(record: Record) -> bool:
    """Whether these are a person's words for certain or by a witness."""
    return record.channel.human and record.grade is not Grade.UNKNOWN


def says(record: Record) -> bool:
    """Whether there is anything in it."""
    return bool(record.text.strip() or record.extra.get("images"))


def local(record: Record) -> bool:
    """What the client ran at the person's keyboard without asking the agent for anything; a goal does ask."""
    if record.channel is Channel.HUMAN_COMMAND:
        return record.grade is Grade.INFERRED and record.extra.get("command") != "goal"
    return record.channel is Channel.HUMAN_SHELL
