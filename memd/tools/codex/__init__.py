"""Codex: all that memd knows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.codex import hooks, place
from memd.tools.file_tool import FileTool
from memd.tools.installing import Files, HookEntry, Plan, Trust
from memd.tools.protocol import Identity, Moment, Place

if TYPE_CHECKING:
    from memd.model import Event, Record
    from memd.tail.batch import Batch, Line
    from memd.tools import history
    from memd.tools.codex import install, managed, parse, source, state, witness
    from memd.tools.codex.scribe import SCRIBE
    from memd.tools.codex.state import ReaderState
    from memd.tools.codex.trust import TRUST
    from memd.tools.places import Kept
    from memd.tools.scribe import Scribe
else:
    (history,) = later("memd.tools", "history")
    install, managed, parse, source, state, witness = later(
        __name__, "install", "managed", "parse", "source", "state", "witness"
    )
    SCRIBE, TRUST = later(__name__, "scribe.SCRIBE", "trust.TRUST")


class Codex(FileTool):
    """The `Tool` for Codex; see `memd.tools.protocol` for what each member promises."""

    name = "codex"
    tested = "0.171.0"
    part_limit = hooks.PART_LIMIT
    part_count = 1
    prompt_event = "UserPromptSubmit"
    call_event = "PreToolUse"
    restores_skills = False
    writer: Scribe | None = SCRIBE
    ides: tuple[str, ...] = (
        "codex_vscode",
    )  # what its extension calls itself to the app-server (measured on codex-cli 0.171.0)
    trust: Trust | None = TRUST

    def place(self, environ: Mapping[str, str]) -> Place:
        return place.place(environ)

    def wanted(self, path: str) -> bool:
        return place.wanted(path)

    def read(self, path: Path, cursor: str | None, limit: int, notes: Path) -> Batch:  # noqa: ARG002 - hooks note nothing
        return source.read(path, cursor, limit)

    def identify(self, path: Path, head: Sequence[bytes]) -> Identity | None:
        return place.identify(path, head)

    def claims(self, path: Path, head: Sequence[bytes]) -> bool:
        return place.claims(path, head)

    def children(self, path: Path) -> Sequence[Path]:
        return place.children(path)

    def start(self, identity: Identity) -> ReaderState:
        return state.ReaderState(identity.native, child=identity.parent is not None)

    def load(self, kept: Kept) -> ReaderState:
        return state.load(kept)

    def dump(self, reader: ReaderState) -> Kept:
        return state.dump(reader)

    def feed(self, reader: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
        return parse.feed(reader, line)

    def left(self, reader: ReaderState) -> tuple[ReaderState, tuple[Event, ...]]:
        return parse.left(reader)

    def concerns(self, record: Record) -> bool:
        return history.concerns(record)

    def lift(self, records: Sequence[Record], history: Iterable[bytes], session: str) -> Sequence[Event]:
        return witness.lift(records, history, session)

    def heard(self, history: Iterable[bytes], session: str) -> int | None:
        said = (line for line in witness.typed(history, session) if not line.text.startswith("/"))
        return max((line.at for line in said), default=None)

    def window(self, model: str | None) -> int | None:
        return hooks.window(model)

    def threshold(self, window: int | None) -> int | None:
        return hooks.threshold(window)

    def moment(self, event: str, payload: Mapping[str, Any]) -> Moment | None:
        return hooks.moment(event, payload)

    def interactive(self, moment: Moment, entrypoint: str | None) -> bool:  # noqa: ARG002 - another client's
        return moment.transcript is not None and place.on_screen(Path(moment.transcript))

    def entries(self) -> tuple[HookEntry, ...]:
        return install.ENTRIES

    def reply(self, event: str, text: str) -> bytes:
        return hooks.reply(event, text)

    def files(self, home: Path) -> tuple[Path, ...]:
        return install.files(home)

    def install(self, home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:
        return install.plan(home, before, command)

    def uninstall(self, home: Path, before: Files, original: Files) -> tuple[Plan, ...]:
        return install.unplan(home, before, original)

    def policies(self) -> tuple[Path, ...]:
        return managed.policies()

    def overruled(self, home: Path, before: Files) -> str:
        return managed.overruled(install.files(home)[1], before)

    def installed(self, home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
        return install.installed(home, before, command)
