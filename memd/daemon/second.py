"""The second process: it makes steps of reading for the one that owns the record, and knows nothing else.

    Ask, GoOn --stdin--> parse --stdout--> Hello, then for each of them one of Parsed, Failed, Ended

Each message is msgpack behind its length in four bytes. `Ask` begins a transcript; `GoOn` makes the step behind the last one,
from what that one left, so that the next is made while the last is recorded. Nothing is written here and nothing decided: what
it answers is looked at as anybody's word, and a step that is not taken is made again by the other side.

It ends when its input does, so it cannot outlive its parent, and a step that takes longer than `PATIENCE` ends it too, whoever
still waits for it. It imports what reading needs and nothing else: 45 ms of processor time and 22 MB (the daemon: 50).
"""

import os
import signal
import struct
import sys
from typing import BinaryIO

from msgspec import Struct, msgpack

from memd import __version__
from memd.daemon.parsing import Ask, Parsed, following, parse
from memd.errors import told

PATIENCE = 60.0
"""Seconds for one step: the longest that was seen took four (a line of 100 MB, on a busy machine)."""
NICER = 5
"""Than its parent: where both processors are wanted, live transcripts and hooks come first."""
LONGEST = 1 << 28
"""Bytes of a message that nobody makes: 0.7 MB was the longest answer of recorded sessions."""
_LENGTH = struct.Struct(">I")


class Hello(Struct, frozen=True, tag=True):
    """The first word: where the program was replaced below a running daemon, it is another version's."""

    version: str


class GoOn(Struct, frozen=True, tag=True):
    """Make the step behind the last one."""


class Failed(Struct, frozen=True, tag=True):
    """The step could not be made, or not be told; the transcript is let go of."""

    why: str


class Ended(Struct, frozen=True, tag=True):
    """There was nothing to go on with."""


Request = Ask | GoOn
Answer = Parsed | Failed | Ended
_ENCODE = msgpack.Encoder().encode_into
_REQUEST: msgpack.Decoder[Request] = msgpack.Decoder(Request)


def framed(message: Hello | Request | Answer) -> bytearray:
    """A message as it goes through a pipe.

    Raises:
        ValueError, OverflowError, TypeError: a value in it cannot be told (a number of more than 64 bits).
    """
    data = bytearray()
    _ENCODE(message, data, _LENGTH.size)
    size = len(data) - _LENGTH.size
    if size > LONGEST:
        raise ValueError(f"an answer of {size} bytes")
    _LENGTH.pack_into(data, 0, size)
    return data


def length(head: bytes) -> int:
    """The length of the message behind these four bytes.

    Raises:
        ValueError: nobody makes such a one.
    """
    (size,) = _LENGTH.unpack(head)
    if size > LONGEST:
        raise ValueError(f"a message of {size} bytes")
    return int(size)


def main() -> None:
    """Answer until the input ends."""
    os.nice(NICER)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # of a terminal or a service manager for all: the parent decides
    inbox, outbox = sys.stdin.buffer, sys.stdout.buffer
    _say(outbox, framed(Hello(__version__)))
    asked: Ask | None = None
    while head := inbox.read(_LENGTH.size):
        request = _REQUEST.decode(inbox.read(length(head)))
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        asked, answer = _step(request if isinstance(request, Ask) else asked)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _say(outbox, answer)


def _step(asked: Ask | None) -> tuple[Ask | None, bytearray]:
    """What to go on with, and the answer."""
    if asked is None:
        return None, framed(Ended())
    try:
        parsed = parse(asked)
        answer = framed(parsed)
    except Exception as error:  # noqa: BLE001 - the parent makes the step itself, and then says in full what is wrong
        return None, framed(Failed(told(error)))
    return following(asked, parsed) if parsed.more else None, answer


def _say(outbox: BinaryIO, data: bytearray) -> None:
    outbox.write(data)
    outbox.flush()
