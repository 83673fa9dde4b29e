"""Where tables are printed: on a terminal as a page of its width, elsewhere line by line; a closed pipe is left to the door."""

import sys
from collections.abc import Callable, Iterable

from rich.console import Console, RenderableType

from memd.model.text import printable

PLAIN = 100_000
"""Columns where there is no terminal: nothing is folded for grep."""


class Screen(Console):
    """As rich has it; but `memd status | head` ends well, as the other commands do (rich makes it a failure)."""

    def on_broken_pipe(self) -> None:
        """The reader has seen enough: the door knows what to do."""
        self.quiet = True
        raise BrokenPipeError


def show(page: Callable[[int], RenderableType], plain: Callable[[], Iterable[str]]) -> None:
    """Print `page(columns)` on a terminal, else the lines of `plain()` without colours."""
    if sys.stdout.isatty():
        screen = Screen(highlight=False, markup=False)
        screen.print(page(screen.width))
        return
    out = Screen(highlight=False, markup=False, soft_wrap=True, no_color=True, width=PLAIN)
    for line in plain():
        out.print(printable(line))
