"""What `memd doctor --fix` does: only what takes nothing from anybody.

The hook and the link are made anew, our own entries in the settings are put right where there were any, the state
folder is closed to others. Never: other people's entries, a service, a daemon.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from memd.config import Paths
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.facts import SetupFacts
from memd.daemon.setup.ledger import Ledger
from memd.daemon.setup.trouble import refused
from memd.files import private_dir, read_bytes_or_none
from memd.tools.registry import hooked

REWRITTEN = frozenset({"missing", "changed"})


def repair(paths: Paths, environ: Mapping[str, str], found: SetupFacts) -> None:
    """Mend what is safe. Raises Refused or OSError where it cannot be written."""
    record = ledger.read(paths)
    with refused(paths.state, "made private"):
        private_dir(paths.state)
    with refused(paths.data, "written"):
        hook.refresh_hook(paths)
    broken = {(facts.name, facts.home) for facts in found.tools if facts.installed and REWRITTEN & set(facts.faults)}
    for tool in hooked():
        for home in settings.homes(tool, environ, record):
            if (tool.name, home) in broken:
                record = settings.apply_install(paths, settings.plan_install(tool, home, hook.command(paths)), record)


def renew(paths: Paths, environ: Mapping[str, str]) -> list[Path]:
    """Bring files up to date that are memd's alone and are as an installation left them; which ones.

    The daemon does this when it starts, as it does with the hook's copy: after an upgrade the tools run what belongs to it.
    What a person changed or took away stays so. Raises Refused or OSError where one cannot be written.
    """
    record, done = ledger.read(paths), list[Path]()
    for tool in hooked():
        for home in settings.homes(tool, environ, record):
            mine = {path for path in tool.own_files(home) if _as_left(path, record)}
            plans = settings.plan_install(tool, home, hook.command(paths)) if mine else None
            stale = tuple(plan for plan in plans.plans if plan.path in mine and plan.changes) if plans else ()
            if plans and stale:
                record = settings.apply_install(paths, replace(plans, plans=stale), record)
                done += [plan.path for plan in stale]
    return done


def _as_left(path: Path, record: Ledger) -> bool:
    written = record.files.get(str(path))
    return written is not None and written.left(read_bytes_or_none(path))
