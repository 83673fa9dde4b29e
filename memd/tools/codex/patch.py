"""What the client reports of a patch, file by file: a diff, or a whole text. Pure."""

from collections.abc import Mapping
from typing import Any

from memd.tools.fields import string
from memd.tools.patches import Change, side


def reported(changes: Mapping[str, Any]) -> list[Change]:
    """The changes that the client reports: path -> `{"type": "add", "content"}` or `{"type": "update", "unified_diff"}`."""
    return [_reported(path, one) for path, one in changes.items() if isinstance(one, dict)]


def _reported(path: str, change: Mapping[str, Any]) -> Change:
    kind = string(change, "type")
    if kind == "update":
        lines = [line for line in string(change, "unified_diff").splitlines() if not line.startswith(("--- ", "+++ "))]
        return Change(path, kind, side(lines, "-"), side(lines, "+"), string(change, "move_path"))
    content = string(change, "content")
    return Change(path, kind, content, "") if kind == "delete" else Change(path, kind, "", content)
