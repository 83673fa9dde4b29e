"""The checkpoint: mind, memo and scene, and what is known about them."""

from msgspec import Struct


class Problem(Struct, frozen=True):
    """A fault found in one part, and what was taken instead."""

    part: str
    fault: str
    fallback: str


class TokenCounts(Struct, frozen=True):
    """Raw o200k tokens of each part and of the whole text that is given back."""

    mind: int
    memo: int
    scene: int
    total: int


class Parts(Struct, frozen=True):
    """The three texts, as they stand in their files.

    The memo is held in the file's bytes: it may have tens of thousands of lines, and as text takes twice as much or more.
    """

    mind: str
    listed: bytes
    scene: str

    @property
    def memo(self) -> str:
        """The memo as text, made anew each time."""
        return self.listed.decode("utf-8", "replace")


class Checkpoint(Struct, frozen=True):
    """One numbered checkpoint of a session."""

    session: str
    number: int
    at: int
    writer: str
    trigger: str
    upto: int
    """The last message number that it has seen."""
    receipt: str
    parts: Parts
    tokens: TokenCounts | None = None
    problems: tuple[Problem, ...] = ()
    """What was wrong with the work that it was made of: these parts are not the writer's."""
    noted: tuple[Problem, ...] = ()
    """What went wrong beside it: a run that came to nothing, an edit that could not be taken. Its parts are as they were."""

    @property
    def told(self) -> tuple[Problem, ...]:
        """All that is shown with it."""
        return (*self.problems, *self.noted)


class Tick(Struct, frozen=True):
    """What was decided of one message's box in the memo."""

    number: int
    ticked: bool
    person: bool
    """The person decided it, which outranks a model's decision."""


class Run(Struct, frozen=True):
    """One run of a model for a session's checkpoint: when it started, up to which message it was told, what came of it."""

    session: str
    tool: str
    at: int
    upto: int
    tokens: int = 0
    """Input tokens, those from a cache too."""
    outcome: str = "running"
    """`running`, `written`, `failed`, `unstarted` (there was nothing to run), `dropped` (it did not fit any more), `lost` (memd
    ended), `repair` (a second request)."""
    problems: tuple[Problem, ...] = ()


class Spent(Struct, frozen=True):
    """What runs cost."""

    runs: int
    tokens: int
