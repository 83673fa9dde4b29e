"""The act of installing, in its order: the ledger knows of everything before it happens."""

from collections.abc import Sequence

from msgspec.structs import replace

from memd.config import Paths
from memd.daemon.setup import hook, ledger, removal, service, settings
from memd.daemon.setup.service import Manager
from memd.daemon.setup.settings import Planned
from memd.daemon.setup.trouble import refused
from memd.errors import Refused


def put_in(paths: Paths, planned: Sequence[Planned]) -> None:
    """The hook, and then the settings that call it. Raises Refused; a first installation leaves nothing behind then."""
    made = [folder for own in (paths.state, paths.data) for folder in ledger.missing_folders(own)]
    record = ledger.read(paths).with_folders(made)
    try:
        with refused(paths.state, "written"):
            ledger.write(paths, record)
        with refused(paths.data, "written"):
            hook.refresh_hook(paths)
        for one in planned:
            record = settings.apply_install(paths, one, record)
    except Refused:
        record = ledger.read(paths)
        if not record.files:
            removal.take_rest(paths, record)
        raise


def add_service(paths: Paths, manager: Manager) -> bool:
    """The unit, written and started; whether it is confined. Raises Refused or Fault as `service.install` does."""
    if why := manager.trouble():
        raise Refused(why)
    made = [folder for own in manager.folders() for folder in ledger.missing_folders(own)]
    record = ledger.read(paths).with_folders(made)
    with refused(paths.state, "written"):
        ledger.write(paths, replace(record, service=str(manager.unit)))
    return service.install(manager, paths)
