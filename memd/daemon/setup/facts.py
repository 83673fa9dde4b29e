"""The installation as it is now: looked at, not judged (`findings` does that), for `memd doctor`.

It starts the linked interpreter once and asks the service manager; some 50 ms in all.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from memd import config
from memd.config import Paths
from memd.daemon.setup import consent, hook, settings, signs
from memd.daemon.setup import service as services
from memd.daemon.setup.service import ServiceFacts
from memd.daemon.setup.standing import Standing, ToolStanding, standing
from memd.daemon.wire import ask
from memd.errors import (
    ConfigError,
    DaemonSilent,
    RecordForeign,
    RecordNewer,
    RecordOlder,
    Refused,
    StoreTrouble,
    UserError,
)
from memd.files import Lock
from memd.store import Store
from memd.tools.registry import TOOLS, enabled


class ToolFacts(ToolStanding, frozen=True):
    """One home of a coding agent, more closely."""

    notes: tuple[str, ...] = ()
    """What a person should know of the file, in words."""
    unasked: str | None = None
    """Why the tool itself could not be asked whether it runs the hooks, where it was to be asked."""
    newest: int | None = None
    """When the newest entry of its sessions was written; for a tool with a plugin."""
    deletes_after: int | None = None
    """Days after which it deletes its transcripts by itself."""
    version: str | None = None
    """The client's, in its newest session."""


class RecordFault(Struct, frozen=True):
    """Why the record cannot be used, where it is there."""

    kind: Literal["damaged", "newer", "older", "foreign", "closed"]
    """`newer`, `older`: another memd wrote it; `foreign`: no memd did; `closed`: its permissions are gone."""
    text: str


class SetupFacts(Standing, frozen=True):
    """All of it."""

    tools: tuple[ToolFacts, ...]
    service: ServiceFacts
    answers: bool
    """Whether a daemon answers on the socket."""
    watches: tuple[int, int]
    """How many directories that daemon watches, and how many it wants to."""
    backfill_days: int
    """How old transcripts may be to be read by the daemon."""
    config_error: str | None
    """Why the settings file is refused."""
    holder: int | None
    """The process that holds the record while no daemon answers; 0 where it is not known which."""
    record: RecordFault | None
    version: str | None = None
    """That of the daemon that answers, and its process."""
    pid: int = 0


def facts(paths: Paths, environ: Mapping[str, str], *, ask_tools: bool = False) -> SetupFacts:
    """Look at everything. Nothing is changed and nothing raised: what cannot be looked at is a fault.

    With `ask_tools` those that run only trusted hooks are started and asked (most of a second); else their files must do.
    """
    seen = standing(paths, environ)
    tools = [_closely(tool, paths) for tool in seen.tools]
    if ask_tools:
        tools = [_asked(found, paths, environ) for found in tools]
    daemon = _daemon(paths)
    return SetupFacts(
        paths=paths,
        tools=tuple(tools),
        hook=seen.hook,
        service=services.look(services.here(environ), paths),
        answers=daemon is not None,
        watches=_watches(daemon),
        backfill_days=_backfill_days(paths.config),
        state=seen.state,
        free_bytes=seen.free_bytes,
        config_error=_config_error(paths.config),
        holder=_holder(paths) if daemon is None else None,
        version=daemon.get("version") if daemon else None,
        pid=daemon.get("pid", 0) if daemon else 0,
        record=_record_fault(paths.state / "memd.db"),
    )


def _config_error(path: Path) -> str | None:
    try:
        enabled(config.read(path).tools, path)
    except ConfigError as error:
        return str(error)
    return None


def _holder(paths: Paths) -> int | None:
    lock = Lock(paths.state / "memd.lock")
    try:
        return (lock.holder() or 0) if lock.held() else None
    except OSError:  # `state` says what is wrong
        return None


def _record_fault(path: Path) -> RecordFault | None:
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return RecordFault("closed", f"memd's record {path} cannot be read and written by you")
    try:
        Store.open(path, readonly=True).close()
    except StoreTrouble as error:
        return RecordFault("damaged", str(error))
    except RecordNewer as error:
        return RecordFault("newer", str(error))
    except RecordOlder as error:
        return RecordFault("older", str(error))
    except RecordForeign as error:
        return RecordFault("foreign", str(error))
    except UserError:  # nothing recorded yet
        return None
    return None


def _closely(seen: ToolStanding, paths: Paths) -> ToolFacts:
    tool, record = TOOLS[seen.name], paths.state / "memd.db"
    found = ToolFacts(
        seen.name, seen.home, seen.settings, seen.installed, seen.faults, seen.ruled, seen.heard, seen.since
    )
    try:
        before = settings.read(tool.files(seen.home))
    except Refused as error:
        return replace(found, notes=(str(error),))
    try:
        notes = tuple(note for plan in tool.install(seen.home, before, hook.command(paths)) for note in plan.notes)
    except Refused as error:
        notes = (str(error),)
    return replace(
        found,
        notes=notes,
        newest=None if seen.heard is None else signs.newest(tool, record),
        deletes_after=tool.deletes_after(before),
        version=signs.version(tool, record),
    )


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
