"""A person's terminal: a program under tmux, keys in, screen out.

Every terminal has a tmux server of its own (`-L`), started without anybody's configuration, and ends with it.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .waiting import eventually

COLUMNS, LINES = 200, 50


@dataclass(frozen=True)
class Terminal:
    """One window with one program in it."""

    socket: str
    env: dict[str, str]

    def type(self, text: str) -> None:
        """Type the text, see it stand on the screen, and press Enter.

        Enter goes apart from the text: in one piece with it, it would be taken for a pasted end of line.
        """
        self._tmux("send-keys", "-t", "main", "-l", "--", text)
        eventually(lambda: _squeezed(text) in _squeezed(self.screen()), seconds=15)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names."""
        self._tmux("send-keys", "-t", "main", *keys)

    def screen(self) -> str:
        """What the person sees now."""
        return self._tmux("capture-pane", "-p", "-J", "-t", "main")

    def wait_for(self, text: str, *, seconds: float = 30.0) -> None:
        """Wait until the screen shows it; what it shows instead is in the error."""
        try:
            eventually(lambda: text in self.screen(), seconds=seconds)
        except AssertionError as late:
            raise AssertionError(f"{text!r} is not on the screen after {seconds:g} s:\n{self.screen()}") from late

    def exit_code(self, *, seconds: float = 20.0) -> int:
        """The program's exit code, once it has ended."""
        fields = "#{pane_dead} #{pane_dead_status}"  # the status comes a moment after the death
        ended = eventually(
            lambda: (said := self._tmux("display-message", "-p", "-t", "main", fields).split())[0] == "1" and said[1:],
            seconds=seconds,
        )
        return int(ended[0])

    def _tmux(self, *command: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *command], env=self.env, capture_output=True, text=True, timeout=20, check=True
        )
        return done.stdout.removesuffix("\n")


def _squeezed(text: str) -> str:
    """Without blanks: the screen breaks lines where it likes."""
    return "".join(text.split())


@contextmanager
def terminal(socket: str, program: Sequence[str], *, cwd: Path, env: dict[str, str]) -> Iterator[Terminal]:
    """Start the program in a new terminal and close the terminal at the end, whatever happened."""
    opened = Terminal(socket, env)
    keep = ["set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "focus-events", "on", ";"]
    start = ["new-session", "-d", "-s", "main", "-x", str(COLUMNS), "-y", str(LINES), "-c", str(cwd), *program]
    subprocess.run(
        ["tmux", "-L", socket, "-f", "/dev/null", "start-server", ";", *keep, *start], env=env, timeout=20, check=True
    )
    path = Path(opened._tmux("display-message", "-p", "#{socket_path}"))
    try:
        yield opened
    finally:
        opened._tmux("kill-server")
        path.unlink(missing_ok=True)
