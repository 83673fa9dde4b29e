"""The daemon as a service of the user's own: the unit is written, started, looked at and taken away.

Which manager there is, is asked of the machine (`here`): systemd's user instance, launchd, or none. The service has to
see the same places as the person's shell does: the variables that decide about them are written into the unit as they
are when it is installed, PATH too, for git and the person's own tools.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from memd.config import Paths
from memd.daemon.setup.trouble import refused
from memd.errors import Fault, Refused
from memd.files import read_bytes_or_none, write_atomic

PLACES = (
    "MEMD_STATE_DIR",
    "MEMD_CONFIG",
    "MEMD_SOCKET",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OPENCODE_DB",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)
"""The variables that decide where memd's and the tools' things are."""

Kind = Literal["systemd", "launchd"]


class Manager(Protocol):
    """A service manager, for one environment."""

    @property
    def kind(self) -> Kind:
        """Which one it is."""
        ...

    @property
    def unit(self) -> Path:
        """The file that tells it of the daemon."""
        ...

    def trouble(self) -> str | None:
        """Why it cannot be used here, as half a sentence; None when it can."""
        ...

    def content(self, paths: Paths) -> bytes:
        """The unit for this memd, with absolute paths in it."""
        ...

    def plain(self, content: bytes) -> bytes:
        """The unit without what confines the daemon."""
        ...

    def too_confined(self) -> bool:
        """Whether the last start failed because this machine cannot confine it so."""
        ...

    def owns(self, content: bytes) -> bool:
        """Whether a unit with this content was written by memd."""
        ...

    def folders(self) -> tuple[Path, ...]:
        """The folders that installing may make."""
        ...

    def start(self) -> None:
        """Make it start now and at every login. Raises Fault."""
        ...

    def stop(self) -> None:
        """End it and let it start no more; nothing happens where it is not known. The unit is still there."""
        ...

    def forget(self) -> None:
        """Tell the manager that the unit is gone."""
        ...

    def enabled(self) -> bool:
        """Whether it starts by itself."""
        ...

    def active(self) -> bool:
        """Whether it runs now."""
        ...


class Keeping(Struct, frozen=True):
    """Who starts the daemon again."""

    kind: Kind | None
    """The manager in whose care the daemon is: None when no unit is written."""
    enabled: bool
    linger: bool | None
    """Whether it goes on after the person has logged out; None where that is no question."""
    trouble: str | None
    """Why this machine has no manager to give it to."""


class ServiceFacts(Keeping, frozen=True):
    """What is known of the service."""

    active: bool = False
    current: bool = False
    """The unit is what this memd would write now, confined or not."""
    confined: bool = True
    """Whether the unit keeps the daemon from writing elsewhere; False where this machine could not do that."""


def here(environ: Mapping[str, str]) -> Manager:
    """This machine's manager; ask its `trouble` before it is used."""
    if sys.platform == "darwin":
        from memd.daemon.setup.launchd import Launchd  # noqa: PLC0415 - one of the two is needed

        return Launchd(environ)
    from memd.daemon.setup.systemd import Systemd  # noqa: PLC0415 - same

    return Systemd(environ)


def install(manager: Manager, paths: Paths) -> bool:
    """Write the unit and start the daemon by it; whether it is confined as the unit says.

    Where the machine cannot do that, a daemon that may write is better than none.

    Raises:
        Refused: there is no manager here, a unit of that name is somebody else's, or it cannot be written.
        Fault: the manager could not start it.
    """
    if why := manager.trouble():
        raise Refused(why)
    _refuse_foreign(manager)
    content = manager.content(paths)
    try:
        _write_and_start(manager, content)
    except Fault:
        if manager.plain(content) == content or not manager.too_confined():
            raise
        _write_and_start(manager, manager.plain(content))
        return False
    return True


def _write_and_start(manager: Manager, content: bytes) -> None:
    with refused(manager.unit, "written"):
        manager.unit.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(manager.unit, content, 0o644)
    manager.start()


def remove(manager: Manager) -> bool:
    """End the service and take its unit away; False when there was none (or one that is not ours)."""
    content = read_bytes_or_none(manager.unit)
    if content is None or not manager.owns(content):
        return False
    manager.stop()
    manager.unit.unlink(missing_ok=True)
    manager.forget()
    return True


def keeping(manager: Manager) -> Keeping:
    """Who starts the daemon again, by what is there now."""
    why = manager.trouble()
    if read_bytes_or_none(manager.unit) is None:
        return Keeping(None, enabled=False, linger=None, trouble=why)
    linger = _lingers() if manager.kind == "systemd" else None
    return Keeping(manager.kind, why is None and manager.enabled(), linger, why)


def look(manager: Manager, paths: Paths) -> ServiceFacts:
    """What is there now."""
    kept, content = keeping(manager), read_bytes_or_none(manager.unit)
    found = ServiceFacts(kept.kind, kept.enabled, kept.linger, kept.trouble)
    if content is None:
        return found
    wanted = manager.content(paths)
    return replace(
        found,
        active=kept.trouble is None and manager.active(),
        current=content in {wanted, manager.plain(wanted)},
        confined=content != manager.plain(wanted) or content == wanted,
    )


def again(kind: Kind | None, pid: int) -> str:
    """The command that starts a running daemon anew."""
    match kind:
        case "systemd":
            return "systemctl --user restart memd.service"
        case "launchd":
            return "memd install --service"
        case None:
            return f"kill {pid} && memd run"


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """What the service's environment must hold beside the manager's own: places, and PATH without relative folders."""
    found = {name: environ[name] for name in PLACES if environ.get(name)}
    parts = dict.fromkeys(part for part in environ.get("PATH", "").split(os.pathsep) if part.startswith("/"))
    path = os.pathsep.join(parts)
    return found | ({"PATH": path} if path else {})


def program() -> list[str]:
    """The daemon's argv. `-P`: a folder called memd in the current directory is not this package."""
    return [sys.executable, "-P", "-m", "memd", "run"]


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A manager's command, run to its end; exit code 127 when it is not there or does not end."""
    try:
        return subprocess.run(
            arguments, env=dict(environ), capture_output=True, text=True, timeout=60, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 127, "", str(error))


def must(arguments: Sequence[str], environ: Mapping[str, str], hint: str) -> None:
    """The same, where only success will do. Raises Fault with its last word and `hint`."""
    done = run(arguments, environ)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()[-1]
        raise Fault(f"`{' '.join(arguments)}` failed: {said}; {hint}")


def _refuse_foreign(manager: Manager) -> None:
    content = read_bytes_or_none(manager.unit)
    if content is not None and not manager.owns(content):
        raise Refused(f"{manager.unit} is there and is not memd's: move it away first")


def _lingers() -> bool:
    import getpass  # noqa: PLC0415 - only where a unit is written

    try:
        return (Path("/var/lib/systemd/linger") / getpass.getuser()).exists()
    except (OSError, KeyError):
        return False
