"""Words that stand in every row are kept as small numbers: their place in these lists, which are only ever added to.

SQLite keeps 0 and 1 in no byte at all, so the words that are met most come first.
"""

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
