r"""What goes over memd's socket, and the small client of the command line (no asyncio here: that alone is 30 ms).

One connection carries one request and one reply. A request is one line and the payload, a reply is the same:

    <protocol> <TOOL> <EVENT> <PART> <ENTRYPOINT> <LENGTH>\n<LENGTH bytes>   `-` where there is no part or entrypoint
    text <LENGTH>\n<LENGTH bytes>                                           here is your text; it may be empty
    disk 0\n                                                                nothing better than the ready reply on disk

`1 claude-code SessionStart 2 cli 5321` is a hook's line, `1 memd status - - 2` the command line's (its payload and its
reply are JSON objects). The length makes a cut request or reply visible: either is used whole or not at all.

Versions. The first word of a request, its line end, and `disk 0\n` never change. A daemon that does not know the
version answers `disk 0`, so a newer hook beside an older daemon still gives back what is ready on disk, and a newer
daemon goes on answering the versions in `PROTOCOLS`, because hooks are replaced only when it starts.
`hooks/memd_hook.py` speaks the same format and cannot import this module: tests pin both literally.
"""

import json
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.errors import DaemonSilent

if TYPE_CHECKING:
    import asyncio

PROTOCOL = 1
PROTOCOLS = frozenset({1})
MAX_LINE = 4096
MAX_PAYLOAD = 64 * 2**20
CONTROL = "memd"
DISK = b"disk 0\n"


@dataclass(frozen=True, slots=True)
class Request:
    """One event from a hook, or one question from the command line (`tool == "memd"`)."""

    protocol: int
    tool: str
    event: str
    part: int | None
    entrypoint: str | None
    payload: bytes
    gone: "asyncio.Event | None" = field(default=None, compare=False, repr=False)
    """Set when the peer has ended its connection: a hook's process is over then."""


def parse_line(line: bytes) -> tuple[Request, int] | None:
    """The request that `line` announces, still without its payload, and the payload's length in bytes.

    None for a version that is not spoken here. Raises ValueError when it is no request line at all.
    """
    if len(line) > MAX_LINE or not line.endswith(b"\n"):
        raise ValueError(f"no request line within {MAX_LINE} bytes")
    words = line.decode("ascii").split()
    if not words or int(words[0]) not in PROTOCOLS:
        return None
    protocol, tool, event, part, entrypoint, length = words
    if not 0 <= (size := int(length)) <= MAX_PAYLOAD:
        raise ValueError(f"a payload of {length} bytes")
    number = None if part == "-" else int(part)
    return Request(int(protocol), tool, event, number, None if entrypoint == "-" else entrypoint, b""), size


def reply_bytes(text: bytes | None) -> bytes:
    """The reply that carries `text`, or that sends the hook to its disk when there is none."""
    return DISK if text is None else b"text %d\n" % len(text) + text


def ask(path: Path, event: str, payload: dict[str, Any], timeout: float = 2.0) -> dict[str, Any]:
    """The running daemon's answer to a control request; `timeout` is in seconds and covers everything.

    Raises DaemonSilent when nobody listens, the time is over, or the answer is cut, refused or no JSON object.
    """
    try:
        answer = json.loads(_text(_exchange(path, _control(event, payload), time.monotonic() + timeout)))
    except (OSError, ValueError) as error:
        raise DaemonSilent(f"the daemon at {path} did not answer `{event}`: {error or 'no answer'}") from error
    if not isinstance(answer, dict):
        raise DaemonSilent(f"the daemon at {path} answered `{event}` with {type(answer).__name__}, not an object")
    return answer


def _control(event: str, payload: dict[str, Any]) -> bytes:
    body = json.dumps(payload).encode()
    return b"%d %s %s - - %d\n" % (PROTOCOL, CONTROL.encode(), event.encode(), len(body)) + body


def _exchange(path: Path, request: bytes, end: float) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(_left(end))
        peer.connect(str(path))
        peer.sendall(request)
        chunks: list[bytes] = []
        while True:
            peer.settimeout(_left(end))
            chunk = peer.recv(2**16)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


def _text(reply: bytes) -> bytes:
    """The text of a whole reply; raises ValueError for any other."""
    head, _, text = reply.partition(b"\n")
    if head != b"text %d" % len(text):
        raise ValueError("it had no answer" if reply == DISK else "its answer was cut")
    return text
