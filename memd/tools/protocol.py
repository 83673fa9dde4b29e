"""What a tool must offer. Everything that differs between coding agents is behind these members."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from memd.model import Event, Record
from memd.tail.lines import Line


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tool keeps its things, for one environment."""

    home: Path
    """The tool's own configuration directory."""
    roots: tuple[Path, ...]
    """Directories under which its transcripts lie."""
    settings: Path
    """The file that the hooks are written into."""
    present: bool
    """Whether the tool seems to be used here."""
    history: Path | None = None
    """The tool's own list of what people typed, its second witness."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which session a transcript belongs to."""

    native: str
    parent: str | None = None
    """The native id of the session that started this one as its sub-agent."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One hook call, as far as the tool's payload tells."""

    event: str
    """The tool's own name of the event."""
    source: str | None
    """What started the session: `startup`, `resume`, `clear`, `compact`, `fork`; None for other events."""
    session: str
    """The native session id."""
    cwd: str | None = None
    transcript: str | None = None
    child: bool = False
    """A sub-agent's event: nothing is ever given there."""
    trigger: str | None = None
    reason: str | None = None
    turn: str | None = None
    """The tool's own id of the turn that is running, as its rows carry it."""


@dataclass(frozen=True, slots=True)
class HookEntry:
    """One hook that memd puts into the tool's configuration."""

    event: str
    matcher: str | None = None
    part: int | None = None
    timeout: int = 5
    """Seconds after which the tool gives up; memd's own client gives up long before."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of the tool's configuration: the file, its bytes before (None: not there) and after (None: remove)."""

    path: Path
    before: bytes | None
    after: bytes | None
    notes: tuple[str, ...] = field(default=())

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


class Tool(Protocol):
    """A coding agent. All members are pure, but that `place` looks whether the directory is there."""

    name: str
    """Its name in session ids, commands and JSON."""
    unit: str
    """What its cursor counts: `bytes` or `events`."""
    part_limit: int
    """The longest text one hook output may hold, in UTF-16 units, before the tool cuts or spills it."""
    part_count: int
    """How many hook outputs can carry one checkpoint."""
    prompt_event: str
    """The event at which a prompt comes in and a text can still be given."""
    call_event: str
    """The event before a tool call, at which a line can be given."""

    def place(self, environ: Mapping[str, str]) -> Place:
        """Where its things are."""
        ...

    def wanted(self, path: Path) -> bool:
        """Whether a file under one of the roots is a transcript."""
        ...

    def identify(self, path: Path, head: Sequence[bytes]) -> Identity | None:
        """The session of a transcript, by its place and, where that does not tell, by its first lines."""
        ...

    def claims(self, head: Sequence[bytes]) -> bool:
        """Whether the first lines of a file of unknown origin are this tool's."""
        ...

    def children(self, path: Path) -> Sequence[Path]:
        """The transcripts of a session's sub-agents that lie beside its own."""
        ...

    def start(self, identity: Identity) -> Any:
        """A fresh reader state."""
        ...

    def load(self, text: str) -> Any:
        """A reader state as `dump` wrote it; ValueError for another version's."""
        ...

    def dump(self, state: Any) -> str:
        """A reader state as text, small."""
        ...

    def feed(self, state: Any, line: Line) -> tuple[Any, tuple[Event, ...]]:
        """One physical line of a transcript into events."""
        ...

    def left(self, state: Any) -> tuple[Any, tuple[Event, ...]]:
        """The session is over: what the state still waits for did not come."""
        ...

    def concerns(self, record: Record) -> bool:
        """Whether the second witness may have to do with an entry."""
        ...

    def lift(self, records: Sequence[Record], history: Iterable[bytes], session: str) -> Sequence[Event]:
        """What the second witness says of a session's entries that it concerns; `session` is the native id."""
        ...

    def window(self, model: str | None) -> int | None:
        """The context window in tokens of a model that this tool names, None when unknown."""
        ...

    def threshold(self, window: int | None) -> int | None:
        """The fill in tokens at which the tool compacts by itself."""
        ...

    def moment(self, event: str, payload: Mapping[str, Any]) -> Moment | None:
        """A hook's payload; None when it is not one."""
        ...

    def entries(self) -> tuple[HookEntry, ...]:
        """The hooks that memd needs."""
        ...

    def reply(self, event: str, text: str) -> bytes:
        """The bytes that make the tool take `text` into the context (PreCompact: into the request for the summary)."""
        ...

    def install(self, place: Place, before: bytes | None, command: Sequence[str]) -> Plan:
        """The settings file with memd's hooks in it, everything else byte for byte as it was."""
        ...

    def uninstall(self, place: Place, before: bytes | None, original: bytes | None) -> Plan:
        """The settings file without memd's hooks; `original` is what it held before the installation, if that is known."""
        ...

    def installed(self, before: bytes | None, command: Sequence[str]) -> tuple[str, ...]:
        """What is wrong with the hooks in the settings file, empty when all is well.

        `missing`, `changed` (not as they should be), `disabled` (all hooks are switched off), `malformed` (an entry of
        somebody else for which the tool may drop all), `unreadable` (the file cannot be understood).
        """
        ...
