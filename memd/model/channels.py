"""Who spoke, how it was delivered, and how sure that is.

An `Envelope` holds only what the tool's own fields say about the delivery. It has no room for the text, so that no
words can ever change the answer. `provenance.classify` turns it into a channel and a grade.
"""

from enum import StrEnum

from msgspec import Struct


class Channel(StrEnum):
    """How an entry of a transcript came in (the table of docs/provenance.md, one value each)."""

    HUMAN_TYPED = "human.typed"
    HUMAN_QUEUED = "human.queued"
    HUMAN_STEERED = "human.steered"
    HUMAN_ANSWER = "human.answer"
    HUMAN_COMMAND = "human.command"
    HUMAN_SHELL = "human.shell"
    OPERATOR_HEADLESS = "operator.headless"
    BACKGROUND_NOTIFICATION = "background.notification"
    BACKGROUND_SCHEDULE = "background.schedule"
    BACKGROUND_PEER = "background.peer"
    BACKGROUND_QUEUE = "background.queue"
    BACKGROUND_GOAL = "background.goal"
    HARNESS_META = "harness.meta"
    HARNESS_HOOK = "harness.hook"
    HARNESS_INSTRUCTIONS = "harness.instructions"
    HARNESS_SUMMARY = "harness.summary"
    AGENT_TEXT = "agent.text"
    TOOL_RESULT = "tool.result"
    MEMD_INJECTION = "memd.injection"
    UNATTRIBUTED = "unattributed"

    @property
    def human(self) -> bool:
        """Whether these are a person's own words."""
        return self.value.startswith("human.")

    @property
    def background(self) -> bool:
        """Whether a machine started this, not a person."""
        return self.value.startswith("background.")

    @property
    def starts_turn(self) -> bool:
        """Whether an entry of this channel can be what the agent is working on."""
        return self.human or self.background or self in {Channel.OPERATOR_HEADLESS, Channel.UNATTRIBUTED}


MEMO_CHANNELS = frozenset(
    {
        Channel.HUMAN_TYPED,
        Channel.HUMAN_QUEUED,
        Channel.HUMAN_STEERED,
        Channel.HUMAN_ANSWER,
        Channel.HUMAN_COMMAND,
        Channel.OPERATOR_HEADLESS,
    }
)
"""The channels whose words may stand in the memo."""


BESIDE_CHANNELS = frozenset({Channel.HARNESS_INSTRUCTIONS, Channel.HARNESS_HOOK, Channel.MEMD_INJECTION})
"""What a client gives the model beside messages; in the transcript of one that records that, something of it always is."""


class Grade(StrEnum):
    """How sure a channel is."""

    PROVED = "proved"
    """Positive evidence in the tool's own fields."""
    INFERRED = "inferred"
    """A second witness, or a tag inside a row that the client ran for the person."""
    UNKNOWN = "unknown"
    """Nothing tells."""


class Origin(StrEnum):
    """Where the tool's own fields say that an input comes from."""

    PERSON = "person"
    OPERATOR = "operator"
    LOCAL = "local"
    """The client did this at the person's own keyboard without asking the model (`/compact`, `!ls`)."""
    AGENT = "agent"
    TOOL = "tool"
    JOB = "job"
    SCHEDULE = "schedule"
    PEER = "peer"
    QUEUE = "queue"
    GOAL = "goal"
    HOOK = "hook"
    INSTRUCTIONS = "instructions"
    CLIENT = "client"
    NONE = "none"
    """The tool says nothing: an old client, or a row without its fields."""


class Delivery(StrEnum):
    """The way in."""

    PROMPT = "prompt"
    QUEUED = "queued"
    STEERED = "steered"
    ANSWER = "answer"
    COMMAND = "command"
    SUGGESTION = "suggestion"
    CONTEXT = "context"


class Wrapper(StrEnum):
    """The closed set of machine tags around a text. They only demote or sub-classify."""

    COMMAND = "command"
    SHELL_INPUT = "shell-input"
    OUTPUT = "output"
    NOTIFICATION = "notification"
    TEAMMATE = "teammate"
    HOOK_STOP = "hook-stop"
    INSTRUCTIONS = "instructions"
    OWN = "own"
    """The marks of memd's own injection, in a hook's output."""


class Envelope(Struct, frozen=True):
    """What is known of one delivery, without its text.

    Attributes:
        origin: where the tool's fields say it comes from.
        delivery: the way in.
        wrapper: the machine tag that the parser found around the text, if any.
        meta: the client itself marks the row as not written by anybody.
        summary: a compaction summary, whatever else the row claims.
        child: the row belongs to a sub-agent's transcript, where a parent agent plays the person.
        headless: the client has no screen in this run; a person or a program stands behind a prompt.
        claimed: only a host program vouches for the origin, the client does not.
        trusted: the host is in `trust.hosts`.
        witness: the client's own prompt history has these words, in this session, at this time.
    """

    origin: Origin
    delivery: Delivery = Delivery.PROMPT
    wrapper: Wrapper | None = None
    meta: bool = False
    summary: bool = False
    child: bool = False
    headless: bool = False
    claimed: bool = False
    trusted: bool = False
    witness: bool = False
