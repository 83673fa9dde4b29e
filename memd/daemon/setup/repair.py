"""What `memd doctor --fix` does: only what takes nothing from anybody.

The hook and the link are made anew, our own entries in the settings are put right where there were any, the state
folder is closed to others. Never: other people's entries, a service, a daemon.
"""

from collections.abc import Mapping

from memd.config import Paths
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.facts import SetupFacts
from memd.daemon.setup.trouble import refused
from memd.files import private_dir
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
