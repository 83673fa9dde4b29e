"""The hook's files and the link to the interpreter: what the command in a tool's settings names, for ever the same.

    <data>/memd_hook.py          starts the hook from its compiled form
    <data>/memd_statusline.py    fills a client's status line, with the hook's own words on the wire
    <data>/hook/memd_hook.py     the shipped hook, and beside it what Python compiled of it
    <data>/bin/python3           -> the interpreter under this memd's virtual environment

The environment itself is left out: it moves and goes with every upgrade, and the hook needs only the standard library.
Each is replaced in one step, because a hook may run at any moment.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memd import assets
from memd.config import Paths
from memd.errors import NotFound
from memd.files import private_dir, read_bytes_or_none, remove_tree, write_atomic

NAME = "memd_hook.py"
START = "memd_hook_start.py"
LINE = "memd_statusline.py"


class HookFacts(Struct, frozen=True):
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


def start_path(paths: Paths) -> Path:
    """Where the script is that the tools run."""
    return paths.data / NAME


def line_path(paths: Paths) -> Path:
    """Where the script is that fills a status line."""
    return paths.data / LINE


def copy_path(paths: Paths) -> Path:
    """Where the hook's copy is."""
    return paths.data / "hook" / NAME


def compiled(paths: Paths) -> Path:
    """Where Python puts what it compiled of the copy; made by it with its caller's umask, if it is not there."""
    return copy_path(paths).parent / "__pycache__"


def link_path(paths: Paths) -> Path:
    """Where the link to the interpreter is."""
    return paths.data / "bin" / "python3"


def command(paths: Paths) -> tuple[str, ...]:
    """The hook's argv without TOOL EVENT PART, which the tool's adapter puts in behind the script.

    `-I -S`: no site packages, no environment of anybody's, and half the time to start.
    """
    return _argv(paths, start_path(paths))


def line_command(paths: Paths) -> tuple[str, ...]:
    """The same for the script that fills a status line."""
    return _argv(paths, line_path(paths))


def _argv(paths: Paths, script: Path) -> tuple[str, ...]:
    return (str(link_path(paths)), "-I", "-S", str(script), "--socket", str(paths.socket), "--state", str(paths.state))


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
    private_dir(copy_path(paths).parent)
    private_dir(compiled(paths))
    for path, shipped in _shipped(paths):
        if read_bytes_or_none(path) != shipped:
            write_atomic(path, shipped)
    _point(link_path(paths), interpreter())


def _shipped(paths: Paths) -> tuple[tuple[Path, bytes], ...]:
    """Each file with what it should hold; the started one last, so that what it starts is there."""
    files = (copy_path(paths), NAME), (line_path(paths), LINE), (start_path(paths), START)
    return tuple((path, assets.read("hooks", name)) for path, name in files)


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
    """Take all away, and their folders when nothing else is in them; the paths that were there."""
    own = (start_path(paths), line_path(paths), copy_path(paths), link_path(paths))
    found = [path for path in own if path.exists() or path.is_symlink()]
    for path in found:
        path.unlink()
    remove_tree(compiled(paths))
    for folder in (copy_path(paths).parent, link_path(paths).parent, paths.data):
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
        found = [(read_bytes_or_none(path), shipped) for path, shipped in _shipped(paths)]
    except (OSError, NotFound):
        return "differs"
    if any(content is None for content, _ in found):
        return "missing"
    return "ok" if all(content == shipped for content, shipped in found) else "differs"


def _runs(link: Path) -> bool:
    try:
        done = subprocess.run([link, "-I", "-S", "-c", "pass"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
