"""What tools have in common whose transcripts are files, each of one session, and whose hooks are processes of their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memd.later import later
from memd.tools.installing import Files, StatusLine
from memd.tools.protocol import Known, News

if TYPE_CHECKING:
    from memd.tail import lines
    from memd.tail.batch import Batch
else:
    (lines,) = later("memd.tail", "lines")


class FileTool:
    """These members of `Tool`, as such a tool has them; see `memd.tools.protocol` for what each promises."""

    hooked = True
    unit = "bytes"
    request_event = ""
    ides: tuple[str, ...] = ()
    status_line: StatusLine | None = None

    def enters(self, directory: str) -> bool:  # noqa: ARG002 - all of it
        return True

    def sources(self, file: Path, known: Known) -> Sequence[News]:  # noqa: ARG002 - a file is one transcript
        return (News(file),)

    def read(self, path: Path, cursor: str | None, limit: int, notes: Path) -> Batch:  # noqa: ARG002 - hooks note nothing
        return lines.read_on(path, cursor, limit)

    def own_files(self, home: Path) -> tuple[Path, ...]:  # noqa: ARG002 - its settings are the person's
        return ()

    def policies(self) -> tuple[Path, ...]:
        return ()

    def overruled(self, home: Path, before: Files) -> str:  # noqa: ARG002 - nobody rules over it
        return ""

    def deletes_after(self, before: Files) -> int | None:  # noqa: ARG002 - nothing is known of that
        return None

    def there(self, path: Path) -> bool:
        return os.path.isfile(path)  # noqa: PTH113 - never raises

    def shows(self, version: str | None) -> bool:  # noqa: ARG002 - its other rows tell
        return False

    def sign_of_life(self, state: Path) -> Path | None:  # noqa: ARG002 - there is no plugin
        return None
