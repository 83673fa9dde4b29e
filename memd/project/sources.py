"""What memd remembers of a project's facts, in its own state: what each source line said when the fact was first seen."""

import json
from collections.abc import Mapping
from pathlib import Path

from memd import files

NAME = "facts.json"


def remembered(folder: Path) -> dict[str, str]:
    """Fact -> source line, of a project's folder; a damaged file is as good as none."""
    try:
        value = json.loads(text(folder / NAME) or "{}")
    except ValueError:
        return {}
    return {str(key): str(row) for key, row in value.items()} if isinstance(value, dict) else {}


def dumped(known: Mapping[str, str]) -> str:
    """The file's content."""
    return json.dumps(dict(sorted(known.items())), ensure_ascii=False, indent=0) + "\n"


def text(path: Path) -> str:
    """A small file of memd's own; empty where it cannot be read."""
    try:
        return (files.read_bytes_or_none(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
