"""The hook's copy and the link to the interpreter: what the command in a tool's settings names, for ever the same.

    <data>/memd_hook.py      the shipped hook
    <data>/bin/python3       -> the interpreter under this memd's virtual environment

The environment itself is left out: it moves and goes with every upgrade, and the hook needs only the standard library.
Both are replaced in one step, because a hook may run at any moment.
"""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memd import assets
from memd.config import Paths
from memd.errors import NotFound
from memd.files import private_dir, read_bytes_or_none, write_atomic

NAME = "memd_hook.py"


@dataclass(frozen=True, slots=True)
class HookFacts:
    """The state of the two files."""

    copy: str
    """`ok`, `missing`, or `differs` from the hook that this memd ships."""
    link: str
    """`ok`, `missing`, or `broken`: it leads to nothing that runs."""
    stale: bool
    """The link works, and leads to another interpreter than the one under this memd."""

    @property
    def ok(self) -> bool:
        """Whether a tool that runs the hook gets an answer from it."""
        return self.copy == "ok" and self.link == "ok"


def copy_path(paths: Paths) -> Path:
    """Where the hook's copy is."""
    return paths.data / NAME


def link_path(paths: Paths) -> Path:
    """Where the link to the interpreter is."""
    return paths.data / "bin" / "python3"


def command(paths: Paths) -> tuple[str, ...]:
    """The hook's argv without TOOL EVENT PART, which the tool's adapter puts in behind the script.

    `-I -S`: no site packages, no environment of anybody's, and half the time to start.
    """
    options = ("--socket", str(paths.socket), "--state", str(paths.state))
    return (str(link_path(paths)), "-I", "-S", str(copy_path(paths)), *options)


def interpreter() -> Path:
    """The real interpreter: not the virtual environment's link, not a version manager's shim."""
    base: str = getattr(sys, "_base_executable", None) or sys.executable
    return Path(base).resolve()


def refresh_hook(paths: Paths) -> None:
    """Make the copy and the link what they should be; `memd install` and the daemon at its start call this.

    Raises:
        OSError: the data folder cannot be written.
        NotFound: this memd lacks its own hook.
        Refused: the data folder is another user's.
    """
    private_dir(paths.data)
    shipped = assets.read("hooks", NAME)
    if read_bytes_or_none(copy_path(paths)) != shipped:
        write_atomic(copy_path(paths), shipped)
    _point(link_path(paths), interpreter())


def _point(link: Path, target: Path) -> None:
    private_dir(link.parent)
    with suppress(OSError):
        if link.readlink() == target:
            return
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(link)


def remove_hook(paths: Paths) -> list[Path]:
    """Take both away, and their folders when nothing else is in them; the paths that were there."""
    found = [path for path in (copy_path(paths), link_path(paths)) if path.exists() or path.is_symlink()]
    for path in found:
        path.unlink()
    for folder in (link_path(paths).parent, paths.data):
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()
    return found


def look(paths: Paths) -> HookFacts:
    """What is there now; the interpreter is really started once."""
    link = link_path(paths)
    state = "missing" if not link.is_symlink() and not link.exists() else "ok" if _runs(link) else "broken"
    return HookFacts(_copy_state(paths), state, state == "ok" and link.resolve() != interpreter())


def _copy_state(paths: Paths) -> str:
    try:
        content = read_bytes_or_none(copy_path(paths))
        shipped = assets.read("hooks", NAME)
    except (OSError, NotFound):
        return "differs"
    return "missing" if content is None else "ok" if content == shipped else "differs"


def _runs(link: Path) -> bool:
    try:
        done = subprocess.run([link, "-I", "-S", "-c", "pass"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
