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
# tmux itself sometimes loses a dead pane's status (seen with 3.3a), so the shell in between writes it down.
NOTE_EXIT = ["sh", "-c", 'note=$1; shift; "$@"; echo $? >"$note"', "sh"]


@dataclass(frozen=True)
class Terminal:
    """One window with one program in it."""

    socket: str
    env: dict[str, str]
    ended: Path

    def type(self, text: str) -> None:
        """Type the text, see it stand on the screen, and press Enter.

        Enter goes apart from the text: in one piece with it, it would be taken for a pasted end of line.
        """
        self._tmux("send-keys", "-t", "main", "-l", "--", text)
        eventually(lambda: _squeezed(text) in _squeezed(self.screen()))
        self.press("Enter")

    def queue(self, text: str) -> None:
        """Type the text and press Tab, by which some clients keep it until the running turn has ended."""
        self._tmux("send-keys", "-t", "main", "-l", "--", text)
        eventually(lambda: _squeezed(text) in _squeezed(self.screen()))
        self.press("Tab")

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names."""
        self._tmux("send-keys", "-t", "main", *keys)

    def screen(self) -> str:
        """What the person sees now."""
        return self._tmux("capture-pane", "-p", "-J", "-t", "main")

    def picture(self) -> str:
        """The same with its colours, as ANSI codes, line by line."""
        return self._tmux("capture-pane", "-p", "-e", "-t", "main")

    def resize(self, columns: int, lines: int) -> None:
        """Make the window another size, as one does with the mouse."""
        self._tmux("resize-window", "-t", "main", "-x", str(columns), "-y", str(lines))

    def wait_for(self, text: str, *, seconds: float = 60.0) -> None:
        """Wait until the screen shows it; what it shows instead is in the error."""
        try:
            eventually(lambda: text in self.screen(), seconds=seconds)
        except AssertionError as late:
            raise AssertionError(f"{text!r} is not on the screen after {seconds:g} s:\n{self.screen()}") from late

    def exit_code(self, *, seconds: float = 60.0) -> int:
        """The program's exit code, once it has ended."""
        return int(eventually(lambda: self.ended.exists() and self.ended.read_text(encoding="utf-8"), seconds=seconds))

    def _tmux(self, *command: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *command], env=self.env, capture_output=True, text=True, timeout=20, check=True
        )
        return done.stdout.removesuffix("\n")


def _squeezed(text: str) -> str:
    """Without blanks: the screen breaks lines where it likes."""
    return "".join(text.split())


@contextmanager
def terminal(program: Sequence[str], *, socket: str, cwd: Path, env: dict[str, str], ended: Path) -> Iterator[Terminal]:
    """Start the program in a new terminal and close the terminal at the end, whatever happened.

    Args:
        program: The command line.
        socket: The name of the tmux server's socket.
        cwd: Where the program runs.
        env: All of its environment.
        ended: A file that is not there yet; gets the exit code.
    """
    opened = Terminal(socket, env, ended)
    keep = ["set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "focus-events", "on", ";"]
    start = ["new-session", "-d", "-s", "main", "-x", str(COLUMNS), "-y", str(LINES), "-c", str(cwd)]
    tmux = ["tmux", "-L", socket, "-f", "/dev/null", "start-server", ";", *keep, *start]
    subprocess.run([*tmux, *NOTE_EXIT, str(ended), *program], env=env, timeout=20, check=True)
    path = Path(opened._tmux("display-message", "-p", "#{socket_path}"))
    try:
        yield opened
    finally:
        opened._tmux("kill-server")
        path.unlink(missing_ok=True)
