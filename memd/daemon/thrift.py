"""How much is held only to be quick, what the C library is told of memory, and how a session with thousands of prompts is met."""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from memd import tokens
from memd.model import once

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names for them in mallopt(3) begin with M_
MANY = 8_000
"""Prompts from which on a session's checkpoint is made with nothing else in memory: that takes a second or more, and what is
let go of for it is worked out again in a tenth of one."""
LARGE = 1 << 20
"""Bytes from which on a block is given back to the system as soon as it is let go of.

By itself glibc raises this mark to the largest block that it ever saw freed (up to 32 MB) and keeps twice as much for later:
after one line of a hundred megabytes, or the memo of a session with many thousand prompts, that stayed with the daemon. Measured
on a session with 18,000 prompts: after a refresh 121 MB were held instead of 135, and it took 3 % more processor time.
"""
SPARE = 4 << 20
"""Bytes free at the heap's end from which on it is made shorter. Where the mark above is set glibc takes 128 kB for this one, so
that what a commit or a refresh needs for a moment is given back each time, and each of its pages made anew with the next: 97,000
in a backfill of 300 MB, and 40,000 with this. At rest all of it is given back (`trim`).
"""

FULL, MORE = 120 << 20, 8 << 20
"""Bytes resident at which what is remembered only to be quick is let go of, and how many more than were left until the next time.

Remembered answers are bounded by their number. Of two hundred sessions in a storm they came to 46 MB, and to more where texts are
long. What is let go of is worked out again in a tenth of a second for each session of 50 MB; a process that follows one of these
and counts exactly has 107 MB, and at a mark of 104 each fifth of its refreshes began with nothing.
"""
MOST = 140 << 20
"""Bytes resident that nothing is to go beyond for which room can be made; 150 are promised."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Bytes of this process that are in memory now; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * _PAGE
    return 0


class Bound:
    """Calls `forget` when too much is held, and not again before that made room or it grew on."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self._forget = forget
        self._mark = FULL

    def look(self) -> None:
        """After something that remembers."""
        if resident() > self._mark:
            self._forget()
            trim()
            self._mark = max(FULL, resident() + MORE)

    def make_room(self, size: int) -> None:
        """Before something that takes so many bytes."""
        if resident() + size > MOST:
            self._forget()
            trim()


def trim() -> None:
    """Have glibc give back to the system what was let go of between blocks that are used; others have no such call."""
    call = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if call is not None:
        call(0)


def tune_heap() -> None:
    """Tell glibc what to give back, and when (`LARGE`, `SPARE`); others have no such call, and need none."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE)
        mallopt(_TRIM_THRESHOLD, SPARE)


def sparing(prompts: int) -> AbstractContextManager[None]:
    """Where there are many no tokenizer is loaded beside them: what was not counted before is counted by rule of thumb."""
    return tokens.hurried() if prompts > MANY else nullcontext()


@contextmanager
def room_for(prompts: int, release: Callable[[], None]) -> Iterator[None]:
    """Where there are many, what is remembered only to be quick is let go of before they are looked at, and after.

    `release` does so with what is kept of the record. The tokenizer (45 MB) goes as well, and all is counted `sparing` it.
    """
    if prompts <= MANY:
        yield
        return
    once.forget()
    release()
    tokens.release()  # and has all that is free given back
    try:
        with sparing(prompts):
            yield
    finally:
        once.forget()
        trim()
