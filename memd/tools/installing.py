"""What a tool's installation is made of: hooks, changes of files, the trust that a tool asks for, the line on its screen."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field


class HookEntry(Struct, frozen=True):
    """One hook that memd puts into the tool's configuration."""

    event: str
    matcher: str | None = None
    part: int | None = None
    timeout: int = 5
    """Seconds after which the tool gives up; memd's own client gives up long before."""


Files = Mapping[Path, bytes | None]
"""What files hold; None: there is none."""


class Plan(Struct, frozen=True):
    """A change of one file: its bytes before (None: not there) and after (None: remove)."""

    path: Path
    before: bytes | None
    after: bytes | None
    notes: tuple[str, ...] = field(default=())
    what: str = "hooks"
    """What of memd's is put in or taken out, in a word or two."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


Talk = Generator[Mapping[str, Any], Any, tuple[str, ...] | None]
"""A dialogue in messages of JSON: it gives those to send, gets the answer to each that has an `id`, and ends with faults.

An answer is its `result`, None where the other side reports an error; the end is None where it cannot tell.
"""


class Trust(Protocol):
    """For a tool that runs no hook before the person has trusted it. Pure."""

    question: str
    """What is asked at the installation, and what a yes does."""
    by_hand: str
    """How a person does it in the tool itself, in half a sentence."""
    what: str
    """What the tool writes then into the files after the first, in a word or two."""

    def program(self, home: Path, environ: Mapping[str, str]) -> tuple[Sequence[str], Mapping[str, str]]:
        """What to start for the dialogue (a message a line, in and out), and the variables that it needs for this home."""
        ...

    def talk(self, home: Path, command: Sequence[str], *, grant: bool) -> Talk:
        """Looks whether memd's hooks in this home run, as the tool itself sees them; with `grant` makes it trust them first.

        No other hook is touched. The faults are those of `Tool.installed`.
        """
        ...


class StatusLine(Protocol):
    """For a tool that has a line on its screen which a command of the person's fills. Pure."""

    event: str
    """What memd calls the moment at which the line is drawn; `Tool.moment` knows the payload."""

    def put(self, home: Path, before: Files, command: Sequence[str]) -> Plan:
        """What puts memd's part there, behind what a command of the person's gives; `command` is the argv without TOOL.

        `Tool.uninstall` takes it out again. Raises Refused where the file, or what stands there, cannot be understood.
        """
        ...

    def there(self, home: Path, before: Files) -> bool:
        """Whether memd's part is in the line already."""
        ...
