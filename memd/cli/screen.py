"""Where tables are printed: on a terminal as a page of its width, elsewhere line by line, for which no rich is loaded."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from memd.cli.common import print_text
from memd.model.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType


def show(page: "Callable[[int], RenderableType]", plain: Callable[[], Iterable[str]]) -> None:
    """Print `page(columns)` on a terminal, else the lines of `plain()` as they are, without colours."""
    if sys.stdout.isatty():
        from memd.cli.console import Screen  # noqa: PLC0415 - a pipe needs no rich

        screen = Screen(highlight=False, markup=False)
        screen.print(page(screen.width))
        return
    print_text("\n".join(map(printable, plain())))
