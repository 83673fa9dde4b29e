"""systemd's user instance (facts measured on systemd 252).

The shipped unit is a whole one that can be used by hand; three things are filled in, because neither its specifiers nor
its environment need be those of the person's shell: the interpreter, the places, and what may be written to.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from memd import assets, config
from memd.config import Paths
from memd.daemon.setup.service import Kind, must, program, run, variables
from memd.errors import ConfigError
from memd.tools.registry import TOOLS, hooked

NAME = "memd.service"
SEE = f"see `journalctl --user -u {NAME}`"
CONFINING = ("PrivateUsers=", "ProtectSystem=", "ProtectHome=")
"""The lines that need user namespaces, which some kernels and containers do not give to users."""
TOO_CONFINED = frozenset({"217", "226"})
"""systemd's exit codes EXIT_USER and EXIT_NAMESPACE: the namespaces could not be made."""


class Systemd(Struct, frozen=True):
    """The manager of one environment; `systemctl` is found by its PATH."""

    environ: Mapping[str, str]
    kind: ClassVar[Kind] = "systemd"

    @property
    def unit(self) -> Path:
        """In the configuration folder, where systemd reads a user's own units."""
        home = Path(self.environ.get("HOME") or Path.home())
        return Path(self.environ.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user" / NAME

    def trouble(self) -> str | None:
        """Why there is no user session that could keep it."""
        done = run(["systemctl", "--user", "show", "--property=Version"], self._environ())
        if done.returncode == 0:
            return None
        if done.returncode == 127:
            return "there is no systemd here"
        return "systemd has no user session here"

    def content(self, paths: Paths) -> bytes:
        """The shipped unit, filled in."""
        template = assets.read("systemd", NAME).decode("utf-8")
        folders = [*writable(paths, self.environ), *writers(paths, self.environ)]
        filled = fill(template, program(), variables(self.environ), folders)
        if os.geteuid() == 0:  # root's manager needs no user namespace, and in one root could not read others' files
            filled = filled.replace("PrivateUsers=yes\n", "")
        return filled.encode("utf-8", "surrogateescape")

    def plain(self, content: bytes) -> bytes:
        """Without the lines that confine it."""
        lines = content.decode("utf-8", "surrogateescape").splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith(CONFINING)).encode("utf-8", "surrogateescape")

    def too_confined(self) -> bool:
        """By systemd's own exit code."""
        done = run(["systemctl", "--user", "show", "--property=ExecMainStatus", "--value", NAME], self._environ())
        return done.stdout.strip() in TOO_CONFINED

    def owns(self, content: bytes) -> bool:
        """A unit that runs this package."""
        return b"-m memd run" in content

    def folders(self) -> tuple[Path, ...]:
        """`enable` puts its link into the second."""
        return (self.unit.parent, self.unit.parent / "default.target.wants")

    def start(self) -> None:
        """`restart` starts it too, and a unit that ran before is the new one afterwards.

        A unit that crashed too often is refused until its failures are forgotten.
        """
        must(["systemctl", "--user", "daemon-reload"], self._environ(), SEE)
        run(["systemctl", "--user", "reset-failed", NAME], self._environ())
        must(["systemctl", "--user", "enable", NAME], self._environ(), SEE)
        must(["systemctl", "--user", "restart", NAME], self._environ(), SEE)

    def stop(self) -> None:
        """Without a session systemd cannot be told; then its link at least goes."""
        run(["systemctl", "--user", "disable", "--now", NAME], self._environ())
        with suppress(OSError):
            (self.unit.parent / "default.target.wants" / NAME).unlink()

    def forget(self) -> None:
        """Reload, and let a failure that it may remember go."""
        run(["systemctl", "--user", "daemon-reload"], self._environ())
        run(["systemctl", "--user", "reset-failed", NAME], self._environ())

    def enabled(self) -> bool:
        """Whether it starts at login."""
        return run(["systemctl", "--user", "is-enabled", NAME], self._environ()).returncode == 0

    def active(self) -> bool:
        """Whether it runs, and has said that it is ready."""
        return run(["systemctl", "--user", "is-active", NAME], self._environ()).returncode == 0

    def _environ(self) -> dict[str, str]:
        """With the folder of the session's bus, which `su` and some shells leave out."""
        session = f"/run/user/{os.getuid()}"
        given = dict(self.environ)
        if not given.get("XDG_RUNTIME_DIR") and Path(session).is_dir():
            given["XDG_RUNTIME_DIR"] = session
        return given


def writable(paths: Paths, environ: Mapping[str, str]) -> list[Path]:
    """What the daemon may write to; all else is read-only for it, where systemd can confine it.

    Of the tools' folders those in which there is nothing to change but files of memd's own (see `repair.renew`).
    """
    theirs = [path.parent for tool in hooked() for path in tool.own_files(tool.place(environ).home)]
    own = [paths.state, paths.data, *theirs, Path("/tmp")]  # noqa: S108 - a fallback socket may lie there, SQLite sorts there
    return own if any(paths.socket.is_relative_to(folder) for folder in own) else [*own, paths.socket.parent]


def writers(paths: Paths, environ: Mapping[str, str]) -> list[Path]:
    """What the agents' own programs write to, where the settings let them write checkpoints; nothing by default."""
    try:
        chosen = config.read(paths.config)
    except ConfigError:  # the daemon does not start with it either, and says why
        return []
    if chosen.checkpoint.writer == "extractive":
        return []
    return [place for tool in TOOLS.values() if tool.writer is not None for place in tool.writer.keeps(environ)]


def fill(template: str, command: list[str], environment: Mapping[str, str], folders: list[Path]) -> str:
    """The template with these in place of its ExecStart and ReadWritePaths lines."""
    start = [f"ExecStart={' '.join([_quote(command[0]), *command[1:]])}"]
    start += [f"Environment={_quote(f'{name}={value}')}" for name, value in environment.items()]
    filled = {"ExecStart": start, "ReadWritePaths": [f"ReadWritePaths={_quote(f'-{folder}')}" for folder in folders]}
    lines = [filled.get(line.partition("=")[0], [line]) for line in template.splitlines()]
    return "".join(f"{line}\n" for group in lines for line in group)


def _quote(word: str) -> str:
    """One word in a unit file: backslashes and quotes are escaped as in C, `%` would begin a specifier."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'
