"""What a tool must offer so that its own model can write a checkpoint: one headless run beside the person's sessions.

The run leaves nothing in the tool's list of sessions, runs no hooks, and may read, and edit two files, nothing else. Where a
tool cannot be held to two files, it gets them with the request, may write nothing, and gives them back in its answer.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from memd.model import Session

MIND, MEMO, SCENE = "mind.md", "memo.md", "scene.md"
ROUNDS = 5
"""Rounds of tools in a run."""
OWN = "memd-writer"
"""How a run of memd's own is marked where the tool has a place for that; transcripts that carry it are not recorded."""


class Errand(Struct, frozen=True):
    """One run.

    Attributes:
        request: the text for the model, whole.
        folder: where mind.md and memo.md lie (scene.md too, where a first answer is to be kept); absolute, the run's directory.
        spare: a folder for whatever else the tool needs; it goes with the run.
        cwd: the session's directory, which the run may read.
        model: the tool's own name for the model; None: its default.
        rounds: how often the model may call tools.
        mind, memo: what stands in the two files.
        read: what `Scribe.reads` names, as far as it is there.
        fork: the native id of the session whose conversation goes before the request (see `Scribe.warm`); None: nothing does.
    """

    request: str
    folder: Path
    spare: Path
    cwd: str | None
    model: str | None
    rounds: int
    mind: str = ""
    memo: str = ""
    read: Mapping[Path, bytes] = field(default_factory=dict)
    fork: str | None = None


class Start(Struct, frozen=True):
    """What to start for it: arguments behind the program, variables to set and to take away, input, files to write first."""

    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    stdin: bytes = b""
    files: Mapping[Path, bytes] = field(default_factory=dict)


class Said(Struct, frozen=True):
    """What came of it.

    Attributes:
        text: the model's answer.
        tokens: the input tokens of all its requests, those from a cache too.
        fault: what went wrong, in half a sentence; "" when it ended well.
        too_long: the request did not fit into the model's window.
        files: mind.md and memo.md, by name, where the answer has them.
    """

    text: str = ""
    tokens: int = 0
    fault: str = ""
    too_long: bool = False
    files: Mapping[str, str] = field(default_factory=dict)


class Scribe(Protocol):
    """How a tool's own model is run once. Pure."""

    program: str
    """The name of its command."""

    def places(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        """Where the command may be when it is not on the PATH."""
        ...

    def keeps(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        """Where the command itself has to write, for its login among others."""
        ...

    def reads(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        """The person's settings that `start` has to know."""
        ...

    def warm(self, session: Session) -> float:
        """For how many seconds after its last request a fork of a session surely finds all of it in the provider's cache.

        0: never surely, since the run's own requests begin otherwise, or the session cannot be forked without a trace.
        """
        ...

    def start(self, errand: Errand) -> Start:
        """What to start."""
        ...

    def said(self, code: int, out: bytes, err: bytes) -> Said:
        """What its output says."""
        ...
