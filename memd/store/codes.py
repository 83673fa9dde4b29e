"""How values are kept that SQLite has no type for: words of a small list as numbers, mappings and lists as JSON.

Words that stand in every row are kept as their place in these lists, which are only ever added to. SQLite keeps 0 and 1 in no
byte at all, so the words that are met most come first.
"""

import json
from typing import Any

import msgspec

from memd.model import Channel, Grade, Kind, State

CHANNELS = (
    Channel.TOOL_RESULT,
    Channel.AGENT_TEXT,
    Channel.HUMAN_TYPED,
    Channel.HUMAN_QUEUED,
    Channel.HUMAN_STEERED,
    Channel.HUMAN_ANSWER,
    Channel.HUMAN_COMMAND,
    Channel.HUMAN_SHELL,
    Channel.OPERATOR_HEADLESS,
    Channel.BACKGROUND_NOTIFICATION,
    Channel.BACKGROUND_SCHEDULE,
    Channel.BACKGROUND_PEER,
    Channel.BACKGROUND_QUEUE,
    Channel.BACKGROUND_GOAL,
    Channel.HARNESS_META,
    Channel.HARNESS_HOOK,
    Channel.HARNESS_INSTRUCTIONS,
    Channel.HARNESS_SUMMARY,
    Channel.MEMD_INJECTION,
    Channel.UNATTRIBUTED,
)
GRADES = (Grade.PROVED, Grade.INFERRED, Grade.UNKNOWN)
KINDS = (
    Kind.COMMAND,
    Kind.READ,
    Kind.EDIT,
    Kind.CREATE,
    Kind.SEARCH,
    Kind.WEB,
    Kind.TASKS,
    Kind.ASK,
    Kind.PLAN,
    Kind.AGENT,
    Kind.SKILL,
    Kind.SCHEDULE,
    Kind.STOP,
    Kind.SERVER,
    Kind.OTHER,
)
STATES = (State.DONE, State.FAILED, State.RUNNING, State.BACKGROUND, State.REFUSED, State.INTERRUPTED)


CHANNEL = {word: number for number, word in enumerate(CHANNELS)}
GRADE = {word: number for number, word in enumerate(GRADES)}
KIND = {word: number for number, word in enumerate(KINDS)}
STATE = {word: number for number, word in enumerate(STATES)}


def compact(value: Any) -> str:
    """JSON without blanks, letters of all scripts as they are; what is no mapping and no list becomes one."""
    return msgspec.json.encode(value if isinstance(value, dict | list) else dict(value)).decode()


def expanded(kept: str) -> Any:
    """The value again; an older memd wrote numbers that are none (`NaN`) as they are."""
    try:
        return msgspec.json.decode(kept)
    except msgspec.DecodeError:
        return json.loads(kept)
