"""One process at a time changes the record: the lock decides, never a pid file, and the daemon holds it while it lives."""

import time

from memd import files
from memd.config import Paths
from memd.daemon.wire import ask
from memd.errors import DaemonSilent, Refused

HANDOVER = 30.0
"""Seconds to wait for a command that works on the record, for a daemon that starts, or for one that just ends."""
SILENT = 5.0
"""Seconds for which a daemon may take what it is asked and answer nothing, before it counts as stopped or hanging. One that
starts or ends takes nothing yet, or no more."""


def alone(paths: Paths, patience: float = HANDOVER) -> files.Lock | None:
    """The lock, held; None when the daemon has it and answers.

    Raises:
        Refused: another memd has it and does not let go of it in time, or is a daemon that does not answer.
    """
    lock = files.Lock(paths.state / "memd.lock")
    return lock if take(lock, paths, patience) else None


def take(lock: files.Lock, paths: Paths, patience: float = HANDOVER) -> bool:
    """Hold the lock; False when the daemon has it and answers. Raises Refused as `alone` does."""
    files.private_dir(paths.state)
    files.refuse_other_kind(lock.path, "lock")
    end = time.monotonic() + patience
    while not lock.acquire():
        try:
            ask(paths.socket, "ping", {}, SILENT)
        except DaemonSilent as error:
            who = f"pid {lock.holder() or 'unknown'}"
            if isinstance(error.__cause__, TimeoutError):
                raise Refused(
                    f"a daemon ({who}) holds {paths.state} and does not answer: it was stopped, or it hangs;"
                    " wake it or end it, then try again"
                ) from error
            if time.monotonic() >= end:
                raise Refused(f"another memd ({who}) works on {paths.state}; try again later") from error
        else:
            return False
        time.sleep(0.05)
    return True
