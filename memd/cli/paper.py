"""Long texts for a terminal: coloured line by line, through a pager as git does it. A pipe gets them raw, from elsewhere.

Markdown is coloured and not set: what a person wrote stands in it word for word, and a renderer would swallow `<div>`.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable

import click
from rich.console import Console
from rich.text import Text

from memd.model.text import printable

_LINES = (
    (re.compile(r"#{1,6} "), "bold cyan"),
    (re.compile(r"\s*> ?"), "italic"),
    (re.compile(r"memd checkpoint \d+"), "dim"),
)
_SPANS = ((re.compile(r"`[^`\n]+`"), "yellow"), (re.compile(r"\(#\d+[^)\n]*\)|#\d+\b"), "dim"))
_PATCH = {"+": "green", "-": "red", "@": "cyan"}


def give(texts: Iterable[Text]) -> None:
    """Print to the terminal, through the pager where there is one and it is not turned off."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    with console.capture() as kept:
        for text in texts:
            console.print(text)
    command = _pager()
    if command is None or not _through(command, kept.get()):
        sys.stdout.write(kept.get())


def _pager() -> str | None:
    """PAGER, else less, as git has it; none with --no-pager, PAGER=cat or empty, or a terminal that cannot do it."""
    context = click.get_current_context(silent=True)
    asked_not = bool(context and (context.find_root().obj or {}).get("no_pager"))
    command = os.environ.get("PAGER", "less").strip()
    if asked_not or command in {"", "cat"} or os.environ.get("TERM", "dumb") == "dumb" or not sys.stdin.isatty():
        return None
    return command if shutil.which(command.split()[0]) else None


def _through(command: str, text: str) -> bool:
    """Show the text in a pager until the person leaves it; whether it could be started."""
    # Without LESS git's FRX: what fits on the screen is printed, and stays there afterwards.
    environ = {"LESS": "FRX", "LV": "-c", **os.environ}
    words = ["sh", "-c", command]  # PAGER is a line for the shell
    try:
        subprocess.run(words, env=environ, input=text.encode("utf-8", "replace"), check=False)
    except OSError:
        return False
    return True


def markdown(text: str) -> Iterable[Text]:
    """A text line by line, every character of it still there."""
    return map(_line, printable(text).splitlines())


def _line(line: str) -> Text:
    style = next((style for start, style in _LINES if start.match(line)), "")
    text = Text(line, style)
    if not style:
        for pattern, colour in _SPANS:
            text.highlight_regex(pattern, colour)
    return text


def patch(text: str) -> Iterable[Text]:
    """A diff, its lines in their colours."""
    return (Text(line, _PATCH.get(line[:1], "")) for line in printable(text).splitlines())


def plain(text: str) -> Iterable[Text]:
    """A text without colours."""
    return (Text(line) for line in printable(text).splitlines())
