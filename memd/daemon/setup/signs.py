"""Whether a tool's plugin lives: what it left of itself, against what its sessions went on to say."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from memd.errors import StoreTrouble, UserError
from memd.files import read_bytes_or_none
from memd.later import later
from memd.tools.protocol import Tool

if TYPE_CHECKING:
    from memd import store
    from memd.tools import fields
else:
    (store,), (fields,) = later("memd", "store"), later("memd.tools", "fields")

PATIENCE = 120_000
"""Milliseconds that entries may be newer than the last sign: one is left each minute in which something happens."""


def heard(tool: Tool, plugin: Path, state: Path) -> int | None:
    """When the plugin last left a sign of its life, at the earliest when its file was written; in milliseconds.

    None where the tool's hooks are no plugin, and where there is none.
    """
    sign = tool.sign_of_life(state)
    try:
        written = None if sign is None else int(plugin.stat().st_mtime * 1000)
    except OSError:
        return None
    return None if sign is None or written is None else max(written, _at(sign))


def _at(sign: Path) -> int:
    """The time in a sign of life; 0 where there is none, or nothing that can be understood."""
    try:
        content = json.loads(read_bytes_or_none(sign) or b"null")
    except (OSError, ValueError):
        return 0
    return (fields.whole(content, "at") or 0) if isinstance(content, dict) else 0


def newest(tool: Tool, record: Path) -> int | None:
    """When the newest entry of all the tool's sessions was written; None without any, and where the record cannot be read."""
    try:
        with store.Store.open(record, readonly=True) as known:
            return max((s.last_at for s in known.sessions() if s.tool == tool.name and s.last_at), default=None)
    except (StoreTrouble, UserError):  # `SetupFacts.record` says what is wrong
        return None


def version(tool: Tool, record: Path) -> str | None:
    """The client's version in the tool's newest session that tells one; None as for `newest`."""
    try:
        with store.Store.open(record, readonly=True) as known:
            return next((s.version for s in known.sessions() if s.tool == tool.name and s.version), None)
    except (StoreTrouble, UserError):
        return None
