"""Whose a session is, by its first rows."""

from collections.abc import Sequence
from pathlib import Path

from memd.tools.fields import string, table
from memd.tools.jsonl import objects
from memd.tools.opencode import place, rows
from memd.tools.opencode.delivery import OWN
from memd.tools.protocol import Identity

_HEAD = 40


def identify(path: Path, head: Sequence[bytes]) -> Identity | None:
    """The session that its first row tells of; memd's own runs are none. Without that row its place names it."""
    for line in head[:_HEAD]:
        for row in objects(line)[0]:
            info = table(table(row, "data"), "info")
            if string(row, "type").startswith(rows.CREATED):
                if table(info, "metadata").get("memd") or string(info, "agent") == OWN:
                    return None
                native = string(info, "id") or path.stem
                parent = string(info, "parentID")
                if place.SESSION.match(native):
                    return Identity(native, parent if place.SESSION.match(parent) and parent != native else None)
    return Identity(path.stem) if place.SESSION.match(path.stem) and head else None
