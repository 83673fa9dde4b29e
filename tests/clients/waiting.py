"""Waiting for something that another process does: asked again and again, and never longer than the limit."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(ask: Callable[[], T], *, seconds: float = 60.0, every: float = 0.1) -> T:
    """The first true answer of `ask`.

    Raises:
        AssertionError: No true answer within `seconds`; shows the last one.
    """
    end = time.monotonic() + seconds
    while not (answer := ask()):
        if time.monotonic() > end:
            raise AssertionError(f"still {answer!r} after {seconds:g} s")
        time.sleep(every)
    return answer
