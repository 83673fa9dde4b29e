"""The word to the service manager: `READY=1`, `WATCHDOG=1`, `STOPPING=1` (the protocol of sd_notify, no library).

Outside of a service there is nobody to tell, and nothing happens. A manager that is gone is not the daemon's trouble.
"""

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Tell the manager, in one datagram. `state` holds one or more lines like `READY=1`."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):  # Linux's abstract names begin with a zero byte
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        peer.setblocking(False)
        peer.connect(address)
        peer.send(state.encode())


def watchdog_interval() -> float | None:
    """Seconds after which `WATCHDOG=1` is due again: half of what the manager allows. None: it waits for none."""
    allowed, owner = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not allowed.isdigit() or int(allowed) == 0 or (owner and owner != str(os.getpid())):
        return None
    return int(allowed) / 2_000_000
