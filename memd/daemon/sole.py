"""One process at a time changes the record: the lock decides, never a pid file, and the daemon holds it while it lives."""

import time

from memd import files
from memd.config import Paths
from memd.daemon.wire import ask
from memd.errors import DaemonSilent, Refused

HANDOVER = 30.0
"""Seconds to wait for a command that works on the record, for a daemon that starts, or for one that just ends."""


def alone(paths: Paths, patience: float = HANDOVER) -> files.Lock | None:
    """The lock, held; None when the daemon has it and answers.

    Raises:
        Refused: another memd has it and does not let go of it in time.
    """
    lock = files.Lock(paths.state / "memd.lock")
    return lock if take(lock, paths, patience) else None


def take(lock: files.Lock, paths: Paths, patience: float = HANDOVER) -> bool:
    """Hold the lock; False when the daemon has it and answers. Raises Refused as `alone` does."""
    files.private_dir(paths.state)
    files.refuse_other_kind(lock.path, "lock")
    end = time.monotonic() + patience
    while not lock.acquire():
        if answers(paths):
            return False
        if time.monotonic() >= end:
            raise Refused(f"another memd (pid {lock.holder() or 'unknown'}) works on {paths.state}; try again later")
        time.sleep(0.05)
    return True


def answers(paths: Paths) -> bool:
    """Whether a daemon answers on the socket."""
    try:
        return bool(ask(paths.socket, "ping", {}))
    except DaemonSilent:
        return False
