"""What the C library is told of memory when the daemon starts, and how a session with thousands of prompts is met."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

from memd.model import once

_MMAP_THRESHOLD = -3  # glibc's name for it in mallopt(3) is M_MMAP_THRESHOLD
MANY = 8_000
"""Prompts from which on a session's checkpoint is made with nothing else in memory: that takes a second or more, and what is
let go of for it is worked out again in a tenth of one."""
LARGE = 1 << 20
"""Bytes from which on a block is given back to the system as soon as it is let go of.

By itself glibc raises this mark to the largest block that it ever saw freed (up to 32 MB) and keeps twice as much for later:
after one line of a hundred megabytes, or the memo of a session with many thousand prompts, that stayed with the daemon. Measured
on a session with 18,000 prompts: after a refresh 121 MB were held instead of 135, and it took 3 % more processor time.
"""


def give_back_large_blocks() -> None:
    """Others than glibc have no such call, and need none."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE)


@contextmanager
def room_for(prompts: int) -> Iterator[None]:
    """Where there are many, what is remembered of texts only to be quick is let go of before they are looked at, and after."""
    if prompts <= MANY:
        yield
        return
    once.forget()
    try:
        yield
    finally:
        once.forget()
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
