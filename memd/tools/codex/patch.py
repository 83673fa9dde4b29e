"""What a patch changes, file by file: as the agent writes it (`*** Begin Patch`) and as the client reports it (a diff).

Pure text; what is not a patch has no files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memd.tools.fields import string

_HEADS = {"*** Add File: ": "add", "*** Update File: ": "update", "*** Delete File: ": "delete"}
_MOVE = "*** Move to: "


@dataclass(frozen=True, slots=True)
class Change:
    """One file's change: `add`, `update` or `delete`, the lines that went and those that came, joined by newlines."""

    path: str
    kind: str
    old: str = ""
    new: str = ""
    moved: str = ""


def written(text: str) -> list[Change]:
    """The changes of a patch in the agent's own form, wherever it stands in a text (a heredoc of the shell, say)."""
    start = text.find("*** Begin Patch")
    found: list[Change] = []
    heads: list[tuple[str, str, str, list[str]]] = []
    for line in text[start:].splitlines() if start >= 0 else []:
        head = next((head for head in _HEADS if line.startswith(head)), None)
        if head is not None:
            heads.append((line.removeprefix(head).strip(), _HEADS[head], "", []))
        elif line.startswith("*** End Patch"):
            break
        elif heads and line.startswith(_MOVE):
            path, kind, _, lines = heads[-1]
            heads[-1] = (path, kind, line.removeprefix(_MOVE).strip(), lines)
        elif heads:
            heads[-1][3].append(line)
    for path, kind, moved, lines in heads:
        found.append(Change(path, kind, _side(lines, "-"), _side(lines, "+"), moved))
    return found


def reported(changes: Mapping[str, Any]) -> list[Change]:
    """The changes that the client reports: path -> `{"type": "add", "content"}` or `{"type": "update", "unified_diff"}`."""
    return [_reported(path, one) for path, one in changes.items() if isinstance(one, dict)]


def _reported(path: str, change: Mapping[str, Any]) -> Change:
    kind = string(change, "type")
    if kind == "update":
        lines = [line for line in string(change, "unified_diff").splitlines() if not line.startswith(("--- ", "+++ "))]
        return Change(path, kind, _side(lines, "-"), _side(lines, "+"), string(change, "move_path"))
    content = string(change, "content")
    return Change(path, kind, content, "") if kind == "delete" else Change(path, kind, "", content)


def _side(lines: list[str], sign: str) -> str:
    return "\n".join(line[1:] for line in lines if line.startswith(sign))
