"""What a tool needs that memd only reads: a base with everything but its place and its rows.

Such a tool is one module: where its transcripts are (`place`, `wanted`), whose they are (`identify`, `claims`), and what a
row means (`start`, `feed`). It gets records, search and checkpoints (`memd show`), but nothing is given back to it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memd.model import Event, Record
from memd.tools.file_tool import FileTool
from memd.tools.installing import Files, HookEntry, Plan, Trust
from memd.tools.places import Kept
from memd.tools.protocol import Moment
from memd.tools.scribe import Scribe


class ReaderOnly(FileTool):
    """The members of `Tool` that such a tool shares with all others: there are no hooks."""

    hooked = False
    tested = ""
    part_limit = 1 << 20
    part_count = 1
    prompt_event = ""
    call_event = ""
    restores_skills = False
    writer: Scribe | None = None
    trust: Trust | None = None

    def children(self, path: Path) -> Sequence[Path]:  # noqa: ARG002 - nothing lies beside it
        return ()

    def load(self, kept: Kept) -> Any:
        """A state of JSON's own types."""
        return json.loads(kept.text)

    def dump(self, state: Any) -> Kept:
        """A state of JSON's own types."""
        return Kept(json.dumps(state))

    def left(self, state: Any) -> tuple[Any, tuple[Event, ...]]:
        return state, ()

    def concerns(self, record: Record) -> bool:  # noqa: ARG002 - there is no second witness
        return False

    def lift(
        self,
        records: Sequence[Record],  # noqa: ARG002
        history: Iterable[bytes],  # noqa: ARG002
        session: str,  # noqa: ARG002
    ) -> Sequence[Event]:
        return ()

    def heard(self, history: Iterable[bytes], session: str) -> int | None:  # noqa: ARG002
        return None

    def window(self, model: str | None) -> int | None:  # noqa: ARG002 - not known
        return None

    def threshold(self, window: int | None) -> int | None:  # noqa: ARG002 - not known
        return None

    def moment(self, event: str, payload: Mapping[str, Any]) -> Moment | None:  # noqa: ARG002 - nobody calls
        return None

    def interactive(self, moment: Moment, entrypoint: str | None) -> bool:  # noqa: ARG002 - nobody asks
        return False

    def entries(self) -> tuple[HookEntry, ...]:
        return ()

    def reply(self, event: str, text: str) -> bytes:  # noqa: ARG002 - nobody asks
        return b""

    def files(self, home: Path) -> tuple[Path, ...]:  # noqa: ARG002 - nothing is installed
        return ()

    def install(self, home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:  # noqa: ARG002
        return ()

    def uninstall(self, home: Path, before: Files, original: Files) -> tuple[Plan, ...]:  # noqa: ARG002
        return ()

    def installed(self, home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        return ()
