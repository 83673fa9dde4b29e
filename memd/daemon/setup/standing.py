"""What stands between a checkpoint and an agent: hooks, the hook's files, the state folder; looked at, not judged.

`memd status` and the status line judge a session by it. `facts` has the same with all that only the doctor says.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memd.config import Paths
from memd.daemon.setup import hook, ledger, settings, signs
from memd.daemon.setup.hook import HookFacts
from memd.daemon.setup.ledger import Ledger
from memd.errors import Refused
from memd.tools.protocol import Tool
from memd.tools.registry import hooked

_ABSENT = frozenset({"missing", "unreadable"})
"""Faults of a file in which no hooks of memd's were seen."""


class ToolStanding(Struct, frozen=True):
    """One home of a coding agent that is used here; the one of this environment comes first."""

    name: str
    home: Path
    settings: Path
    """The file that the hooks stand in."""
    installed: bool
    """Whether memd has put hooks into its settings, by the ledger or by what stands there."""
    faults: tuple[str, ...]
    """As `Tool.installed` says: `missing`, `changed`, `disabled`, …; empty when all is well."""
    ruled: str = ""
    """Why whoever manages the machine lets no hook of a person's run (the fault `managed`)."""
    heard: int | None = None
    """When its plugin last left a sign of life, at the earliest when it was put there; None: there is no plugin."""
    since: int = 0
    """When the hooks were put in, by the ledger, in milliseconds; 0: not known."""

    def silent(self, last: int | None) -> bool:
        """Whether a session whose newest entry is of this time went on without a word of the plugin's."""
        return None not in (self.heard, last) and (last or 0) - (self.heard or 0) > signs.PATIENCE


class Standing(Struct, frozen=True):
    """All of it."""

    paths: Paths
    tools: tuple[ToolStanding, ...]
    hook: HookFacts
    state: Literal["ok", "missing", "open", "foreign", "readonly"]
    """The state folder: `open` to other users, `foreign` (another user's), `readonly`."""
    free_bytes: int
    """What is left on the disk that the state folder is on."""


def standing(paths: Paths, environ: Mapping[str, str]) -> Standing:
    """Look at it. Nothing is changed and nothing raised: what cannot be looked at is a fault."""
    record = ledger.read(paths)
    homes = [(tool, home) for tool in hooked() for home in settings.homes(tool, environ, record)]
    tools = tuple(found for tool, home in homes if (found := _tool(tool, home, paths, environ, record)))
    return Standing(paths, tools, hook.look(paths), _state(paths.state), _free(paths.state))


def _tool(tool: Tool, home: Path, paths: Paths, environ: Mapping[str, str], record: Ledger) -> ToolStanding | None:
    """One home; None where the tool is not used."""
    here, known = tool.place(environ), _is_known(tool, home, record)
    if not known and not (here.present and here.home == home):
        return None
    path = tool.files(home)[0]
    try:
        before = settings.read(tool.files(home))
    except Refused:
        return ToolStanding(tool.name, home, path, known, ("unreadable",))
    before |= settings.rules(tool)
    faults = tool.installed(home, before, hook.command(paths))
    heard = None if "missing" in faults else signs.heard(tool, path, paths.state)
    ruled = tool.overruled(home, before)
    seen = (*faults, *(["managed"] if ruled else []))
    since = record.files[str(path)].at if known else 0
    return ToolStanding(tool.name, home, path, known or _ABSENT.isdisjoint(faults), seen, ruled, heard, since)


def _is_known(tool: Tool, home: Path, record: Ledger) -> bool:
    """Whether the hooks were put in there, by the ledger."""
    ours = any(written.tool == tool.name for written in record.files.values())
    return ours and str(tool.files(home)[0]) in record.files


def _state(folder: Path) -> Literal["ok", "missing", "open", "foreign", "readonly"]:
    try:
        status = folder.stat()
    except OSError:
        return "missing"
    if status.st_uid != os.geteuid():
        return "foreign"
    if stat.S_IMODE(status.st_mode) & 0o077:
        return "open"
    return "ok" if status.st_mode & stat.S_IWUSR and os.access(folder, os.W_OK | os.X_OK) else "readonly"


def _free(folder: Path) -> int:
    disk = os.statvfs(next(place for place in (folder, *folder.parents) if place.exists()))
    return disk.f_bavail * disk.f_frsize
