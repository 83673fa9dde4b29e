"""OpenCode: all that memd knows of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.installing import Files, HookEntry, Plan, StatusLine, Trust
from memd.tools.opencode import hooks, place
from memd.tools.protocol import Identity, Known, Moment, News, Place

if TYPE_CHECKING:
    from memd.model import Event, Record
    from memd.tail.batch import Batch, Line
    from memd.tools.opencode import identity, install, parse, plugin, source, state, witness
    from memd.tools.opencode.scribe import SCRIBE
    from memd.tools.opencode.state import ReaderState
    from memd.tools.places import Kept
    from memd.tools.scribe import Scribe
else:
    identity, install, parse, plugin, source, state, witness = later(
        __name__, "identity", "install", "parse", "plugin", "source", "state", "witness"
    )
    (SCRIBE,) = later(__name__, "scribe.SCRIBE")


class OpenCode:
    """The `Tool` for OpenCode; see `memd.tools.protocol` for what each member promises.

    Which database is meant is decided by the environment of this process, as it is for the client (`OPENCODE_DB`).
    """

    name = "opencode"
    tested = "1.18.33"
    hooked = True
    unit = "events"
    part_limit = hooks.PART_LIMIT
    part_count = 1
    prompt_event = ""
    call_event = hooks.CALL
    request_event = hooks.REQUEST
    restores_skills = False
    writer: Scribe | None = SCRIBE
    ides: tuple[str, ...] = ()
    status_line: StatusLine | None = None
    trust: Trust | None = None

    def place(self, environ: Mapping[str, str]) -> Place:
        return place.place(environ)

    def enters(self, directory: str) -> bool:
        return place.enters(directory, os.environ)

    def wanted(self, path: str) -> bool:
        return place.wanted(Path(path), place.named(os.environ))

    def sources(self, file: Path, known: Known) -> Sequence[News]:
        return source.sources(file, known, place.named(os.environ))

    def read(self, path: Path, cursor: str | None, limit: int, notes: Path) -> Batch:
        return source.read(path, cursor, limit, notes)

    def there(self, path: Path) -> bool:
        return source.there(path)

    def identify(self, path: Path, head: Sequence[bytes]) -> Identity | None:
        return identity.identify(path, head)

    def claims(self, path: Path, head: Sequence[bytes]) -> bool:
        return place.claims(path, head)

    def children(self, path: Path) -> Sequence[Path]:  # noqa: ARG002 - they are in the database as all others are
        return ()

    def start(self, identity: Identity) -> ReaderState:
        return state.ReaderState(identity.native, child=identity.parent is not None)

    def load(self, kept: Kept) -> ReaderState:
        return state.load(kept)

    def dump(self, reader: ReaderState) -> Kept:
        return state.dump(reader)

    def feed(self, reader: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
        return parse.feed(reader, line)

    def left(self, reader: ReaderState) -> tuple[ReaderState, tuple[Event, ...]]:
        return reader, ()

    def concerns(self, record: Record) -> bool:
        return witness.concerns(record)

    def lift(self, records: Sequence[Record], history: Iterable[bytes], session: str) -> Sequence[Event]:  # noqa: ARG002
        return witness.lift(records, history)

    def heard(self, history: Iterable[bytes], session: str) -> int | None:  # noqa: ARG002 - its lines name no session
        return None

    def window(self, model: str | None) -> int | None:  # noqa: ARG002 - a name does not tell; the plugin does
        return None

    def threshold(self, window: int | None) -> int | None:
        return hooks.threshold(window)

    def moment(self, event: str, payload: Mapping[str, Any]) -> Moment | None:
        return hooks.moment(event, payload)

    def interactive(self, moment: Moment, entrypoint: str | None) -> bool:  # noqa: ARG002 - its plugin tells
        return moment.kind == hooks.SCREEN

    def shows(self, version: str | None) -> bool:  # noqa: ARG002 - its plugin writes down what it gave, where there is one
        return False

    def entries(self) -> tuple[HookEntry, ...]:
        return ()

    def reply(self, event: str, text: str) -> bytes:
        return hooks.reply(event, text)

    def sign_of_life(self, state: Path) -> Path | None:
        return state / hooks.ALIVE

    def files(self, home: Path) -> tuple[Path, ...]:
        return install.files(home)

    def install(self, home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:
        return install.plan(home, before, command)

    def uninstall(self, home: Path, before: Files, original: Files) -> tuple[Plan, ...]:  # noqa: ARG002 - what is ours is a file
        return install.unplan(home, before)

    def own_files(self, home: Path) -> tuple[Path, ...]:
        return (home / plugin.PLUGIN,)

    def policies(self) -> tuple[Path, ...]:
        return ()

    def overruled(self, home: Path, before: Files) -> str:  # noqa: ARG002 - nothing that a manager writes keeps a plugin from being loaded
        return ""

    def deletes_after(self, before: Files) -> int | None:  # noqa: ARG002 - sessions stay until a person deletes them
        return None

    def installed(self, home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
        return install.installed(home, before, command)
