"""A home of its own: memd's commands and its daemon in it, and what a process takes of the machine."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
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

    def family(self) -> list[int]:
        """The process and those that it started, as long as they live."""
        found = [self.pid]
        with contextlib.suppress(OSError):  # a thread has ended
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                found += map(int, Path(f"/proc/{self.pid}/task/{thread}/children").read_text("utf-8").split())
        return found

    def cpu(self) -> float:
        """Seconds of processor time since its start, with all that it started."""
        return sum(_ticks(pid) for pid in self.family()) / _TICKS

    def memory(self, field: str = "VmRSS") -> float:
        """Megabytes resident now, with what it started (pages that they share are counted twice); `VmHWM`: at most so far."""
        return sum(_kilobytes(pid, field) for pid in self.family()) / 1024

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


def _ticks(pid: int) -> int:
    """Its own, and those of its children that have ended."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, after_name[11:15]))


def _kilobytes(pid: int, field: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    return 0


@contextlib.contextmanager
def at_most(process: Process) -> Iterator[dict[str, float]]:
    """The megabytes that it takes at most meanwhile, with what it starts, looked at twenty times a second."""
    over, most = threading.Event(), {"peak_mb": 0.0}

    def look() -> None:
        while not over.wait(0.05):
            most["peak_mb"] = max(most["peak_mb"], process.memory())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        over.set()
        looking.join()
