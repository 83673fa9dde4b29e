"""The installation as it is now: looked at, not judged (`findings` does that), for `memd doctor` and `memd status`.

It starts the linked interpreter once and asks the service manager; some 50 ms in all.
"""

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from memd import config
from memd.config import Paths
from memd.daemon.setup import consent, hook, ledger, settings, signs
from memd.daemon.setup import service as services
from memd.daemon.setup.hook import HookFacts
from memd.daemon.setup.ledger import Ledger
from memd.daemon.setup.service import ServiceFacts
from memd.daemon.wire import ask
from memd.errors import ConfigError, DaemonSilent, Refused, StoreTrouble, UserError
from memd.store import Store
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS, enabled, hooked


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """One home of a coding agent that is used here; the one of this environment comes first."""

    name: str
    home: Path
    settings: Path
    """The file that the hooks stand in."""
    installed: bool
    """Whether memd has put hooks into its settings, by the ledger or by what stands there."""
    faults: tuple[str, ...]
    """As `Tool.installed` says: `missing`, `changed`, `disabled`, …; empty when all is well."""
    notes: tuple[str, ...]
    """What a person should know of the file, in words."""
    unasked: str | None = None
    """Why the tool itself could not be asked whether it runs the hooks, where it was to be asked."""
    heard: int | None = None
    """When its plugin last left a sign of life, at the earliest when it was put there; None: there is no plugin."""
    newest: int | None = None
    """When the newest entry of its sessions was written; for a tool with a plugin."""
    deletes_after: int | None = None
    """Days after which it deletes its transcripts by itself."""
    version: str | None = None
    """The client's, in its newest session."""

    def silent(self, last: int | None) -> bool:
        """Whether a session whose newest entry is of this time went on without a word of the plugin's."""
        return None not in (self.heard, last) and (last or 0) - (self.heard or 0) > signs.PATIENCE


@dataclass(frozen=True, slots=True)
class SetupFacts:
    """All of it."""

    paths: Paths
    tools: tuple[ToolFacts, ...]
    hook: HookFacts
    service: ServiceFacts
    answers: bool
    """Whether a daemon answers on the socket."""
    watches: tuple[int, int]
    """How many directories that daemon watches, and how many it wants to."""
    backfill_days: int
    """How old transcripts may be to be read by the daemon."""
    state: Literal["ok", "missing", "open", "foreign", "readonly"]
    """The state folder: `open` to other users, `foreign` (another user's), `readonly`."""
    free_bytes: int
    """What is left on the disk that the state folder is on."""
    config_error: str | None
    """Why the settings file is refused."""
    record_error: str | None
    """Why the record cannot be opened, where it is there and this memd's."""


def facts(paths: Paths, environ: Mapping[str, str], *, ask_tools: bool = False) -> SetupFacts:
    """Look at everything. Nothing is changed and nothing raised: what cannot be looked at is a fault.

    With `ask_tools` those that run only trusted hooks are started and asked (most of a second); else their files must do.
    """
    record = ledger.read(paths)
    homes = [(tool, home) for tool in hooked() for home in settings.homes(tool, environ, record)]
    tools = [_tool(tool, paths, home, environ, record) for tool, home in homes]
    if ask_tools:
        tools = [found and _asked(found, paths, environ) for found in tools]
    daemon = _daemon(paths)
    return SetupFacts(
        paths=paths,
        tools=tuple(found for found in tools if found),
        hook=hook.look(paths),
        service=services.look(services.here(environ), paths),
        answers=daemon is not None,
        watches=_watches(daemon),
        backfill_days=_backfill_days(paths.config),
        state=_state(paths.state),
        free_bytes=shutil.disk_usage(
            next(place for place in (paths.state, *paths.state.parents) if place.exists())
        ).free,
        config_error=_config_error(paths.config),
        record_error=_record_error(paths.state / "memd.db"),
    )


def _config_error(path: Path) -> str | None:
    try:
        enabled(config.read(path).tools, path)
    except ConfigError as error:
        return str(error)
    return None


def _record_error(path: Path) -> str | None:
    try:
        Store.open(path, readonly=True).close()
    except StoreTrouble as error:
        return str(error)
    except UserError:  # nothing recorded yet, or another version's: what opens it for writing says so
        return None
    return None


def _tool(tool: Tool, paths: Paths, home: Path, environ: Mapping[str, str], record: Ledger) -> ToolFacts | None:
    path, here = tool.files(home)[0], tool.place(environ)
    known = str(path) in record.files
    if not known and not (here.present and here.home == home):
        return None
    try:
        before = settings.read(tool.files(home))
    except Refused as error:
        return ToolFacts(tool.name, home, path, known, ("unreadable",), (str(error),))
    faults = tool.installed(home, before, hook.command(paths))
    try:
        notes = tuple(note for plan in tool.install(home, before, hook.command(paths)) for note in plan.notes)
    except Refused as error:
        notes = (str(error),)
    found = ToolFacts(tool.name, home, path, known or "missing" not in faults, faults, notes)
    found = replace(
        found,
        deletes_after=tool.deletes_after(before),
        version=signs.version(tool, paths.state / "memd.db"),
    )
    heard = None if "missing" in faults else signs.heard(tool, path, paths.state)
    if heard is None:
        return found
    return replace(found, heard=heard, newest=signs.newest(tool, paths.state / "memd.db"))


def _asked(found: ToolFacts, paths: Paths, environ: Mapping[str, str]) -> ToolFacts:
    """The same with the tool's own word on what its files only suggest."""
    trust = TOOLS[found.name].trust
    if trust is None or not found.installed or not consent.ASKED.issuperset(found.faults):
        return found
    try:
        return replace(found, faults=consent.look(paths, trust, found.home, environ))
    except Refused as error:
        return replace(found, unasked=str(error))


def _daemon(paths: Paths) -> dict[str, Any] | None:
    """The daemon's word on itself; None when none answers."""
    try:
        return ask(paths.socket, "status", {})
    except DaemonSilent:
        return None


def _watches(daemon: Mapping[str, Any] | None) -> tuple[int, int]:
    found = daemon.get("watches", {}) if daemon else {}
    return found.get("have", 0), found.get("want", 0)


def _backfill_days(path: Path) -> int:
    """The default where the file is refused, which is a finding of its own."""
    try:
        return config.read(path).backfill_days
    except ConfigError:
        return config.Config().backfill_days


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
