"""What `memd doctor --fix` does: only what takes nothing from anybody.

The hook and the link are made anew, our own entries in the settings are put right where there were any, the state
folder is closed to others. Never: other people's entries, a service, a daemon.
"""

from collections.abc import Mapping

from memd.config import Paths
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.facts import SetupFacts
from memd.errors import Refused
from memd.files import private_dir
from memd.tools.registry import TOOLS

REWRITTEN = frozenset({"missing", "changed"})


def repair(paths: Paths, environ: Mapping[str, str], found: SetupFacts) -> None:
    """Mend what is safe. Raises Refused or OSError where it cannot be written."""
    try:
        private_dir(paths.state)
        hook.refresh_hook(paths)
    except OSError as error:
        raise Refused(f"{error.filename} cannot be written: {error.strerror}") from error
    record = ledger.read(paths)
    for facts in found.tools:
        if facts.installed and REWRITTEN & set(facts.faults):
            tool = TOOLS[facts.name]
            plan = settings.plan_install(tool, tool.place(environ), hook.command(paths))
            record = settings.apply_install(paths, tool, plan, record)
