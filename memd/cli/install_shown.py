"""A change of settings as a person at a terminal sees it: a diff in colours whose long stretches of new lines are cut short.

What is asked about must stand on the screen with the question: the plugin of one agent alone has three hundred lines.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import groupby

import click

HEAD = 12
"""So many lines of a stretch of new ones are shown, with one that counts the rest."""
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
REST = "… {count} more new lines; `memd install --dry-run` shows all"


def shown(patch: Iterable[str]) -> Iterator[str]:
    """The lines of a unified diff, each with its end, for a terminal."""
    plain = "NO_COLOR" in os.environ
    for new, lines in groupby(patch, key=lambda line: line.startswith("+") and not line.startswith("+++")):
        stretch = list(lines)
        cut = stretch[HEAD:] if new and len(stretch) > HEAD + 3 else []
        for line in stretch[: len(stretch) - len(cut)]:
            yield line if plain else click.style(line, fg=_COLOURS.get(line[:1]))
        if cut:
            said = REST.format(count=len(cut))
            yield f"{said}\n" if plain else click.style(f"{said}\n", dim=True)
