"""Taking away: the hooks in the settings, the service, the hook, the ledger; and, if asked for, the record.

To remove a folder with all that is in it is the one thing here that cannot be taken back, so a place that is also
somebody's home, or holds one, is refused, and what others have in it stays: `MEMD_STATE_DIR` may say anything.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memd.config import Paths
from memd.daemon.setup import hook, ledger, own, service, settings
from memd.daemon.setup.belongings import belongings, emptied
from memd.daemon.setup.ledger import Ledger
from memd.daemon.setup.service import Manager
from memd.daemon.setup.trouble import refused
from memd.errors import Refused
from memd.files import remove_tree
from memd.tools.installing import Plan


def take_out(
    paths: Paths, plans: Sequence[Plan], record: Ledger, manager: Manager, *, whole: bool
) -> tuple[list[str], Ledger]:
    """Carry the plans out; the rest goes with the last settings file, or at once when it is the `whole`.

    The settings come first: from then on nothing calls what is removed next. Gives what was removed, in words, and the
    ledger as it was last. Raises Refused where something cannot go; what is left is still in the ledger.
    """
    removed = [f"the {plan.what} in {plan.path}" for plan in plans if plan.changes]
    for plan in plans:
        record = settings.apply_uninstall(plan, record)
    if record.files and not whole:
        with refused(paths.state, "written"):
            ledger.write(paths, record)
        return removed, record
    with refused(manager.unit, "removed"):
        removed += [f"the service {manager.unit}"] if service.remove(manager) else []
    removed += [f"the answers in {path}" for path in own.take_back(record)]
    return removed + [str(path) for path in take_rest(paths, record)], record


def take_rest(paths: Paths, record: Ledger) -> list[Path]:
    """Remove the hook, the link and the ledger, and the folders that were made for them; what was there."""
    with refused(paths.data, "emptied"):
        removed = hook.remove_hook(paths)
    with refused(paths.state, "emptied"):
        ledger.remove(paths, record)
    return removed


def doomed(paths: Paths) -> list[Path]:
    """What a purge removes, as far as it is there. Raises Refused where that would take more than memd's own.

    What `MEMD_CONFIG` or `MEMD_SOCKET` names is memd's where it is of the kind: not a device (`/dev/null`), nor a folder.
    """
    for folder in (paths.state, paths.data):
        _refuse_wide(folder)
    with refused(paths.state, "read"):
        made = belongings(paths.state)
    folders = [path for path in dict.fromkeys((*made, paths.data)) if path.exists() or path.is_symlink()]
    files = (paths.config, paths.socket)
    return [*folders, *(path for path in files if path.is_symlink() or path.is_file() or path.is_socket())]


def purge(paths: Paths, record: Ledger) -> None:
    """Remove all of `doomed`, and the folders around it that are memd's own or were made by the installation."""
    for path in doomed(paths):
        with refused(path, "removed"):
            remove_tree(path)
    for folder in emptied(paths.state):
        with suppress(OSError):  # others have something in it, or it is gone
            folder.rmdir()
    around = [folder for folder in (paths.config.parent, paths.socket.parent) if folder.name.startswith("memd")]
    for folder in sorted({*around, *map(Path, record.folders)}, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()


def _refuse_wide(folder: Path) -> None:
    real = folder.resolve()
    for kept in (Path.home(), Path.cwd()):
        if kept.resolve().is_relative_to(real):
            raise Refused(f"{folder} holds {kept}: memd will not remove it; remove its own files there by hand")
