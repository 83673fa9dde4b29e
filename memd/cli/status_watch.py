"""`memd status --watch`: the same page on a screen of its own, drawn anew where something changed."""

import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.live import Live

from memd.cli.status import View
from memd.cli.status_table import page

EVERY = 1.0
"""Seconds between two looks."""


def watch(look: Callable[[], View]) -> None:
    """Show what `look` finds until q or Ctrl-C; the terminal is as it was afterwards."""
    first = look()  # what is wrong with the question is told before the screen is taken
    console = Console(highlight=False, markup=False)
    with (
        suppress(KeyboardInterrupt),
        _keys(),
        Live(page(first, *console.size), console=console, screen=True, auto_refresh=False) as live,
    ):
        live.refresh()
        while not _quit():
            live.update(page(look(), *console.size), refresh=True)


@contextmanager
def _keys() -> Iterator[None]:
    """Single keys can be read, without being shown."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _quit() -> bool:
    """Wait until the next look; whether q was pressed."""
    ready, _, _ = select.select([sys.stdin] if sys.stdin.isatty() else [], [], [], EVERY)
    return bool(ready) and sys.stdin.read(1) in {"q", "Q", ""}
