"""What a tool must offer. Everything that differs between coding agents is behind these members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from memd.model import Event, Operation, Record
    from memd.tail.batch import Batch, Line
    from memd.tools.installing import Files, HookEntry, Plan, StatusLine, Trust
    from memd.tools.places import Kept
    from memd.tools.scribe import Scribe


class Place(Struct, frozen=True):
    """Where a tool keeps its things, for one environment."""

    home: Path
    """The tool's own configuration directory."""
    roots: tuple[Path, ...]
    """Directories under which its transcripts lie."""
    present: bool
    """Whether the tool seems to be used here."""
    history: Path | None = None
    """The tool's own list of what people typed, its second witness."""


class News(Struct, frozen=True):
    """A transcript in which there may be something to read."""

    path: Path
    changed: float | None = None
    """When it last changed, in seconds since the epoch; None: as the file that the hint was for."""


class Identity(Struct, frozen=True):
    """Which session a transcript belongs to."""

    native: str
    parent: str | None = None
    """The native id of the session that started this one as its sub-agent."""


class Moment(Struct, frozen=True):
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
    kind: str | None = None
    """How the client was started, where its plugin says that, in the tool's own word."""
    calls: tuple[Operation, ...] = ()
    """The tool calls that are about to be made, at `Tool.call_event`."""
    window: int | None = None
    """The context window in tokens, at `StatusLine.event` and where a plugin tells it."""
    tokens: int | None = None
    """How much of it is taken, at `StatusLine.event`."""


Known = Callable[[], Mapping[Path, int]]
"""How far each transcript of a tool has been read (bytes or events), asked only where that is needed."""


class Tool(Protocol):
    """A coding agent. Pure, but these read: `place`, `sources`, `read`, `there`, `claims`, `children`, `interactive`, `policies`.

    A transcript is named by a path. Where a tool keeps many in one file, each has a path of its own below the file's,
    `<database>/<native id>`: a file has no children, so nothing else can be meant.
    """

    name: str
    """Its name in session ids, commands and JSON."""
    tested: str
    """The newest version of the client that memd was measured on; "" where there are no versions."""
    hooked: bool
    """Whether something is installed for it, so that it gets its checkpoints back; else it is only read."""
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
    request_event: str
    """The event before each request to the model, for a tool that takes the same text anew in every one; else empty."""

    def place(self, environ: Mapping[str, str]) -> Place:
        """Where its things are."""
        ...

    def enters(self, directory: str) -> bool:
        """Whether transcripts can lie below a directory under one of the roots (a root itself: yes)."""
        ...

    def wanted(self, path: str) -> bool:
        """Whether a change of a file under one of the roots can be news: it is a transcript, or holds some.

        A sweep asks it of tens of thousands of files, so both of these take a text: a Path costs more than the look at the file.
        """
        ...

    def sources(self, file: Path, known: Known) -> Sequence[News]:
        """The transcripts that a change of a wanted file concerns; a transcript stands for itself. Reads, cheaply.

        Of many in one file those are named that have more than `known` says, and those of `known` that are gone.
        """
        ...

    def read(self, path: Path, cursor: str | None, limit: int, notes: Path) -> Batch:
        """The rows of a transcript after a cursor (its text as `Batch.cursor` dumped it; None: the start).

        About `limit` bytes, but at least one row if there is one. `notes` is the directory that has a folder for each of the
        tool's sessions in memd's own state: what the tool's plugin noted of one is in `<native id>/notes.jsonl` there.

        Raises:
            SourceUnreadable: it is there and cannot be read now.
            StoreTrouble: the cursor is damaged, or a newer memd's.
        """
        ...

    def there(self, path: Path) -> bool:
        """Whether a transcript can still be read; never raises."""
        ...

    def identify(self, path: Path, head: Sequence[bytes]) -> Identity | None:
        """The session of a transcript, by its place and, where that does not tell, by its first rows as `read` gives them."""
        ...

    def claims(self, path: Path, head: Sequence[bytes]) -> bool:
        """Whether a file of unknown origin, of which these are the first bytes split at line ends, is this tool's."""
        ...

    def children(self, path: Path) -> Sequence[Path]:
        """The transcripts of a session's sub-agents that lie beside its own."""
        ...

    def start(self, identity: Identity) -> Any:
        """A fresh reader state."""
        ...

    def load(self, kept: Kept) -> Any:
        """A reader state as `dump` wrote it; ValueError for another version's."""
        ...

    def dump(self, state: Any) -> Kept:
        """A reader state as it is kept: a small text, and what grows with a session in places (`tools.places`)."""
        ...

    def feed(self, state: Any, line: Line) -> tuple[Any, tuple[Event, ...]]:
        """One row of a transcript into events."""
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

    def heard(self, history: Iterable[bytes], session: str) -> int | None:
        """When the person last typed words for the agent into a session, by the second witness, ms; None: it does not tell."""
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

    def interactive(self, moment: Moment, entrypoint: str | None) -> bool:
        """Whether a person sits at a screen of the session that a hook tells of. Reads, cheaply.

        `entrypoint` is what the hook's environment says of the client's start, for clients that say it there.
        """
        ...

    def shows(self, version: str | None) -> bool:
        """Whether a client of this version is known to write into its transcript whatever a hook gives.

        Else nothing is concluded where nothing of it is there, unless the transcript has other rows of that kind.
        """
        ...

    def entries(self) -> tuple[HookEntry, ...]:
        """The hooks that memd needs."""
        ...

    def reply(self, event: str, text: str) -> bytes:
        """The bytes that make the tool take `text` into the context (PreCompact: into the request for the summary)."""
        ...

    def sign_of_life(self, state: Path) -> Path | None:
        """Where in memd's own state the tool's plugin says that it lives: a JSON object, `at` in milliseconds.

        It says so at least each minute in which something happens. None: the hooks are processes of their own, which a plugin's
        silence cannot befall.
        """
        ...

    restores_skills: bool
    """Whether it puts the text of used skills back itself after a compaction."""
    writer: Scribe | None
    """How its own model writes a checkpoint; None: it cannot."""
    ides: tuple[str, ...]
    """Editors whose prompts a person types into them, by the names that they give themselves (see the setting `trust.hosts`)."""
    status_line: StatusLine | None
    """Its line for a person's own command; None: it has none."""
    trust: Trust | None
    """How its hooks come to be trusted; None: it runs what stands in its settings."""

    def files(self, home: Path) -> tuple[Path, ...]:
        """The files that an installation in this home looks at; the first is the one that the hooks are written into."""
        ...

    def install(self, home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:
        """What puts memd in, a plan for each file that is its own or has to change; everything else byte for byte as it was.

        `before` has all of `files`, `command` is the hook's argv without TOOL EVENT PART. The first plan is that of the
        first file, changed or not. Raises Refused where one of the files cannot be understood.
        """
        ...

    def uninstall(self, home: Path, before: Files, original: Files) -> tuple[Plan, ...]:
        """What takes memd out again; `original` is what a file held before the installation (b"": nothing), where known.

        Other people's things keep their every byte and their meaning. Raises Refused as `install` does.
        """
        ...

    def own_files(self, home: Path) -> tuple[Path, ...]:
        """Those of `files` that are memd's from the first byte to the last: the daemon brings them up to date when it starts."""
        ...

    def deletes_after(self, before: Files) -> int | None:
        """Days after which the client deletes its transcripts by itself, by its settings or its default; None: it does not."""
        ...

    def policies(self) -> tuple[Path, ...]:
        """The files by which whoever manages the machine rules over a person's settings, those that are there. Reads."""
        ...

    def overruled(self, home: Path, before: Files) -> str:
        """Why they let no hook of a person's run: the file and what it says; empty where they do.

        `before` has what `files` and `policies` hold: some of these give way to a person's own word.
        """
        ...

    def installed(self, home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
        """What is wrong with the installation, as far as the files tell, those of `policies` included; empty when all is well.

        - `missing`; `changed`: not as it should be; `unreadable`: a file cannot be understood
        - `disabled`: all hooks are switched off; `skipped`: ours are
        - `malformed`: an entry of somebody else for which the tool may drop all
        - `untrusted`: the tool skips our hooks until the person trusts them; `modified`: it was something else that they trusted
        - `doubled`: ours come in two ways
        """
        ...
