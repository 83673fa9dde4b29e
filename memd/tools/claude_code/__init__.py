"""Claude Code: all that memd knows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.claude_code import hooks, place
from memd.tools.file_tool import FileTool
from memd.tools.installing import Files, HookEntry, Plan, StatusLine, Trust
from memd.tools.protocol import Identity, Moment, Place

if TYPE_CHECKING:
    from memd.model import Event, Record
    from memd.tail.batch import Line
    from memd.tools import history
    from memd.tools.claude_code import install, managed, parse, queue, results, state, statusline, witness
    from memd.tools.claude_code.scribe import SCRIBE
    from memd.tools.claude_code.state import ReaderState
    from memd.tools.claude_code.statusline import LINE
    from memd.tools.places import Kept
    from memd.tools.scribe import Scribe
else:
    (history,) = later("memd.tools", "history")
    install, managed, parse, queue, results, state, statusline, witness = later(
        __name__, "install", "managed", "parse", "queue", "results", "state", "statusline", "witness"
    )
    SCRIBE, LINE = later(__name__, "scribe.SCRIBE", "statusline.LINE")


SHOWS = (2, 1, 332)
"""The oldest version of which it is measured that all that hooks give stands in the transcript; in 2.0.76's it does not."""


class ClaudeCode(FileTool):
    """The `Tool` for Claude Code; see `memd.tools.protocol` for what each member promises."""

    name = "claude-code"
    tested = "2.1.332"
    part_limit = hooks.PART_LIMIT
    part_count = 4
    prompt_event = "UserPromptSubmit"
    call_event = "PreToolUse"
    restores_skills = True
    writer: Scribe | None = SCRIBE
    ides: tuple[str, ...] = ("claude-vscode",)  # its extension's entry point, by the client's own list (2.1.332)
    status_line: StatusLine | None = LINE
    trust: Trust | None = None

    def place(self, environ: Mapping[str, str]) -> Place:
        return place.place(environ)

    def wanted(self, path: str) -> bool:
        return place.wanted(path)

    def identify(self, path: Path, head: Sequence[bytes]) -> Identity | None:
        return place.identify(path, head)

    def claims(self, path: Path, head: Sequence[bytes]) -> bool:  # noqa: ARG002 - any name will do
        return place.claims(head)

    def children(self, path: Path) -> Sequence[Path]:
        return place.children(path)

    def start(self, identity: Identity) -> ReaderState:
        return state.ReaderState(identity.parent or identity.native, child=identity.parent is not None)

    def load(self, kept: Kept) -> ReaderState:
        return state.load(kept)

    def dump(self, reader: ReaderState) -> Kept:
        return state.dump(reader)

    def feed(self, reader: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
        return parse.feed(reader, line)

    def left(self, reader: ReaderState) -> tuple[ReaderState, tuple[Event, ...]]:
        return queue.left(reader)

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

    def interactive(self, moment: Moment, entrypoint: str | None) -> bool:  # noqa: ARG002 - the environment tells
        return entrypoint == "cli"

    def shows(self, version: str | None) -> bool:
        return results.release(version or "") >= SHOWS

    def entries(self) -> tuple[HookEntry, ...]:
        return install.ENTRIES

    def reply(self, event: str, text: str) -> bytes:
        return hooks.reply(event, text)

    def files(self, home: Path) -> tuple[Path, ...]:
        return install.files(home)

    def install(self, home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:
        return install.plan(home, before, command)

    def uninstall(self, home: Path, before: Files, original: Files) -> tuple[Plan, ...]:
        return statusline.unplan(home, before, original)

    def deletes_after(self, before: Files) -> int | None:
        return install.deletes_after(before)

    def policies(self) -> tuple[Path, ...]:
        return managed.policies()

    def overruled(self, home: Path, before: Files) -> str:  # noqa: ARG002 - no word of a person's counts against it
        return managed.overruled(before)

    def installed(self, home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
        (path,) = install.files(home)
        return install.installed(before[path], command)
