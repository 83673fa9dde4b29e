"""Which entries ask the agent for something, and which begin a turn. Pure."""

import re

from memd.model import MEMO_CHANNELS, Channel, Grade, Record

ADDED = frozenset({Channel.HUMAN_STEERED, Channel.HUMAN_ANSWER})
"""What comes into a turn that runs."""
_GO_ON = re.compile(
    r"(?:(?:ok|okay|yes|ja|bitte|please|и|请)[,.!\s]*){0,3}(?:continue|go on|go ahead|keep going|proceed|carry on|resume"
    r"|weiter(?:machen)?|mach(?:e|t)? weiter|fortfahren|continuez?|contin[uú]a|sigue|продолж(?:ай|ить)"
    r"|дальше|继续|繼續|続けて|계속|أكمل|تابع|واصل)"
    r"(?:[,\s]*(?:please|bitte|吧))?[\s.!?…。！？]*",
    re.IGNORECASE,
)
"""A request that says nothing but that the work is to go on."""


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


def goes_on(text: str) -> bool:
    """Whether words say nothing but that the work is to go on.

    >>> goes_on("Yes, please continue!"), goes_on("continue with the tests")
    (True, False)
    """
    return _GO_ON.fullmatch(text.strip()) is not None
