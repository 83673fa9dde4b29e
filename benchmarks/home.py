"""A home of its own: memd's commands and its daemon in it, and what a process takes of the machine."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memd.config import Paths, paths
from memd.daemon.wire import ask

REPOSITORY = Path(__file__).parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")
_OWN = ("MEMD_", "XDG_", "CLAUDE", "CODEX", "OPENCODE", "PYTHONDONTWRITEBYTECODE")
"""Variables that are left out; with the last a checkout is compiled anew at each start, which no installation is."""


class Home:
    """Below `folder`: a person's home, memd's state, its socket."""

    def __init__(self, folder: Path) -> None:
        self.home, self.state, self.socket = folder / "home", folder / "state", folder / "memd.sock"
        self.log = folder / "daemon.log"
        self.projects = self.home / ".claude" / "projects"
        self.projects.mkdir(parents=True, exist_ok=True)
        self.hook_environ = {k: v for k, v in os.environ.items() if not k.startswith(_OWN)} | {"HOME": str(self.home)}
        places = paths({"MEMD_STATE_DIR": str(self.state), "MEMD_SOCKET": str(self.socket)})
        self.paths: Paths = replace(places, data=folder / "data")

    def environ(self) -> dict[str, str]:
        """The environment of memd's own commands: a hook's has nothing of it, its arguments say all."""
        return self.hook_environ | {"MEMD_SOCKET": str(self.socket), "MEMD_STATE_DIR": str(self.state)}

    def memd(self, *words: str) -> str:
        """What a command says."""
        command = [sys.executable, "-m", "memd", *words]
        run = subprocess.run(command, env=self.environ(), cwd=REPOSITORY, check=True, capture_output=True, text=True)
        return run.stdout

    @contextlib.contextmanager
    def daemon(self, *flags: str) -> Iterator["Process"]:
        """A daemon that listens, its interpreter started with `flags`; what it says is in `log`."""
        command = [sys.executable, *flags, "-m", "memd", "run"]
        with (
            self.log.open("ab") as said,
            subprocess.Popen(command, env=self.environ(), cwd=REPOSITORY, stderr=said) as child,
        ):
            try:
                self._until_it_listens(child)
                yield Process(child.pid)
            finally:
                child.terminate()

    def _until_it_listens(self, child: "subprocess.Popen[bytes]") -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end and child.poll() is None:
            with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(OSError):
                peer.connect(str(self.socket))
                return
            time.sleep(0.02)
        raise SystemExit(f"no daemon listens at {self.socket} (its exit code: {child.poll()})")

    def queue(self) -> int:
        """Jobs that the daemon still has."""
        return int(ask(self.socket, "status", {}, 30.0)["queue"])


@dataclass(frozen=True, slots=True)
class Process:
    """What a process takes (Linux's /proc)."""

    pid: int

    def cpu(self) -> float:
        """Seconds of processor time since its start."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / _TICKS

    def memory(self, field: str = "VmRSS") -> float:
        """Megabytes resident now; `VmHWM`: at most so far."""
        for line in Path(f"/proc/{self.pid}/status").read_text("utf-8").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))


def rest(process: Process, least: float = 3.0, most: float = 900.0) -> float:
    """Wait until the process has used under a hundredth of a core for `least` seconds; the seconds that it took before."""
    start = quiet = time.monotonic()
    used = process.cpu()
    while time.monotonic() - quiet < least:
        time.sleep(0.5)
        now = process.cpu()
        if now - used > 0.005:
            quiet = time.monotonic()
        used = now
        if time.monotonic() - start > most:
            raise SystemExit(f"the daemon has not come to rest within {most:.0f} s")
    return quiet - start
