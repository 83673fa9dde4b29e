"""The reader's state of one Codex transcript: small, frozen, kept beside the cursor.

Raise VERSION when the meaning of a field changes; a state of another version makes the file be read again from its start,
where the keys keep every entry from being recorded twice.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field, structs

from memd.model import Facts
from memd.tools.places import Kept, Places
from memd.tools.remembered import dumped, loaded

VERSION = 1
PROMPT, STRETCH = "prompt ", "stretch "
"""What the places of a state are, by number: what stood before a prompt that is in force (how many closed stretches, and the
open one's last entry), and the closed stretches."""

Range = tuple[str | None, str | None]
"""The keys of the first and the last entry of a stretch that is still part of the conversation."""


class Client(Struct, frozen=True):
    """Which program a `session_meta` row names, and how it says that the thread came about."""

    thread: str = ""
    originator: str = ""
    source: str = ""

    @property
    def own(self) -> bool:
        """Whether it is one of Codex's own programs, whose turns say truly what triggered them."""
        return self.originator in {"codex-tui", "codex_cli_rs", "codex_exec"}

    @property
    def headless(self) -> bool:
        """Whether it ran without a screen."""
        return self.source == "exec" or self.originator == "codex_exec"

    @property
    def screen(self) -> bool:
        """Whether it is the client's own screen (through its daemon the source is `vscode`)."""
        return self.originator in {"codex-tui", "codex_cli_rs"} and not self.headless


class Turn(Struct, frozen=True):
    """The turn that runs, as its `task_started` row says."""

    id: str = ""
    told: bool = False
    """The row has an attribution: this client says what triggers a turn."""
    trigger: str = ""
    asked: int = 0
    """Words that came in as the user's, up to now."""


class Pending(Struct, frozen=True):
    """An item of the user's role that waits for the event that would vouch for it."""

    key: str
    at: int | None
    offset: int
    length: int
    text: str
    turn: str
    images: int = 0
    stated: str = ""
    """What its own tags say: `user`, `contradicted`, `goal`, or nothing."""


class ReaderState(Struct, frozen=True):
    """What has to be known of the rows before to understand the next one."""

    session: str
    child: bool = False
    begun: bool = False
    """The first `session_meta` was read: the one that says whose transcript this is."""
    delta: bool = False
    """The fork's file holds its own rows alone; its source's are read before them."""
    home: Client = field(default_factory=Client)
    client: Client = field(default_factory=Client)
    """The client of the rows that are read: those of a fork's source are its source's."""
    turn: Turn = field(default_factory=Turn)
    attests: bool = False
    """Some turn told its trigger, so the absence of one tells something too."""
    ends: bool = False
    """This client writes when a turn begins and ends."""
    pending: Pending | None = None
    late: Pending | None = None
    """The item that still waited when the file had come to its end, with a digest for its text: what vouches for it may follow
    where the file goes on."""
    calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool calls that have no result yet."""
    jobs: Mapping[str, str] = field(default_factory=dict)
    """Commands that go on in the background: the client's number of the process -> the call."""
    answered: tuple[str, ...] = ()
    """Questions whose answer was verified before the tool's result."""
    shell: str = ""
    """The command that the person ran with `!`, until its item comes."""
    facts: Facts = field(default_factory=Facts)
    usage: str = ""
    """The usage that was last told."""
    tokens: int | None = None
    filled: int | None = None
    """How full the context was when its summary was asked for; what is reported next is that request's own usage."""
    last: str | None = None
    """The key of the last entry."""
    first: str | None = None
    """The key with which the open stretch begins, `None` from the start of the session."""
    empty: bool = True
    """Nothing is in the open stretch yet."""
    closed: int = 0
    """How many stretches before it rollbacks left in force."""
    turned: bool = False
    """The thread was rewound and goes on in another file: the next entry begins what is in force beside them."""
    until: int | None = None
    """Rows from this ordinal on were taken back before they were read."""
    prompts: int = 0
    """How many prompts are in force."""
    places: Places = field(default_factory=Places)


_MASKED = ("calls", "facts", "shell")
"""What the agent and the client wrote: no secret of theirs is kept here either."""


def dump(state: ReaderState) -> Kept:
    """The state as it is kept."""
    values = {name: value for name, value in structs.asdict(state).items() if name != "places"}
    for name in ("facts", "home", "client", "turn"):
        values[name] = structs.asdict(values[name])
    for name in ("pending", "late"):
        item = getattr(state, name)
        values[name] = None if item is None else structs.asdict(item)
    return dumped(VERSION, values, _MASKED, state.places)


def load(kept: Kept) -> ReaderState:
    """The state that `dump` wrote.

    Raises:
        ValueError: the text is another version's, or no state at all.
    """
    return loaded(VERSION, kept, _made)


def _made(values: dict[str, Any], places: Places) -> ReaderState:
    if "kept" in values:
        places = _set_apart(values, places)
    values["facts"], values["turn"] = Facts(**values["facts"]), Turn(**values["turn"])
    values |= {name: Client(**values[name]) for name in ("home", "client")}
    for name in ("pending", "late"):
        values[name] = Pending(**values[name]) if values.get(name) else None
    values["answered"] = tuple(values["answered"])
    return ReaderState(**values, places=places)


def _set_apart(values: dict[str, Any], places: Places) -> Places:
    """A state as it was written before places were kept apart holds all of them."""
    found = {PROMPT: values["prompts"], STRETCH: values.pop("kept")}
    values |= {"prompts": len(found[PROMPT]), "closed": len(found[STRETCH])}
    for name, several in found.items():
        for number, place in enumerate(several):
            places = places.put(f"{name}{number}", place)
    return places
