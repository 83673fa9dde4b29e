"""`python tests/draw_picture.py docs/memd.svg [HOME]`: plays the made-up session in a home and draws what memd shows.

HOME must not be there yet; without it a temporary one is used, whose long name is then in the picture.
"""

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from played import MEMD, SESSION, Played, played
from rich.console import Console
from rich.text import Text

WIDTH = 118
LINES = 28
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""rich's picture would fetch its font from the network; any font of fixed width will do."""


def main(target: Path, home: Path) -> None:
    with played(home) as stage:
        status, shown = (on_a_terminal(stage, *words) for words in (["status"], ["show", SESSION]))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ memd status", "bold"))
    console.print(Text.from_ansi(status.rstrip()))
    console.print(Text(f"\n$ memd show | head -{LINES}", "bold"))
    console.print(Text.from_ansi("\n".join(shown.splitlines()[:LINES])))
    picture = console.export_svg(title="memd", unique_id="memd")
    target.write_text(_FONTS.sub("", picture).replace("Fira Code, monospace", "monospace"), encoding="utf-8")


def on_a_terminal(stage: Played, *words: str) -> str:
    """What a command prints on a terminal of that width; all of it, to its end."""
    ours, theirs = pty.openpty()
    env = stage.env | {"TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PAGER": "cat"}
    command = [*MEMD, *words]
    with subprocess.Popen(command, env=env, cwd=stage.home, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        chunks = []
        with contextlib.suppress(OSError):  # Linux's way to say that the other end is closed
            while chunk := os.read(ours, 2**16):
                chunks.append(chunk)
    os.close(ours)
    return b"".join(chunks).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(sys.argv[1]), Path(folder) / "home")
