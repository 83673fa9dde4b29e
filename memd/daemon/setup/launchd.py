"""launchd, for macOS: an agent of the person's login session. Written from its manual; not run on a Mac yet."""

import os
import plistlib
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from memd import assets
from memd.config import Paths
from memd.daemon.setup.service import Kind, must, program, run, variables

LABEL = "memd.daemon"
FILE = f"{LABEL}.plist"


class Launchd(Struct, frozen=True):
    """The manager of one environment; `launchctl` is found by its PATH."""

    environ: Mapping[str, str]
    kind: ClassVar[Kind] = "launchd"

    @property
    def unit(self) -> Path:
        """Where launchd reads a person's own agents."""
        return Path(self.environ.get("HOME") or Path.home()) / "Library" / "LaunchAgents" / FILE

    @property
    def domain(self) -> str:
        """The login session that the agent belongs to."""
        return f"gui/{os.getuid()}"

    def trouble(self) -> str | None:
        """Why there is no session that could keep it."""
        done = run(["launchctl", "print", self.domain], self.environ)
        return None if done.returncode == 0 else "launchd has no login session of yours here"

    def content(self, paths: Paths) -> bytes:
        """The shipped plist, filled in."""
        filled = {
            "ProgramArguments": program(),
            "EnvironmentVariables": variables(self.environ),
            "StandardErrorPath": str(paths.state / "launchd.log"),
        }
        return plistlib.dumps(plistlib.loads(assets.read("launchd", FILE)) | filled)

    def plain(self, content: bytes) -> bytes:
        """Nothing in it confines."""
        return content

    def too_confined(self) -> bool:
        """Never."""
        return False

    def owns(self, content: bytes) -> bool:
        """One that has our label."""
        return LABEL.encode() in content

    def folders(self) -> tuple[Path, ...]:
        """There is but the one."""
        return (self.unit.parent,)

    def start(self) -> None:
        """One that is loaded already is unloaded first: `bootstrap` fails for it."""
        run(["launchctl", "bootout", f"{self.domain}/{LABEL}"], self.environ)
        must(["launchctl", "bootstrap", self.domain, str(self.unit)], self.environ, "see `launchctl print-disabled`")

    def stop(self) -> None:
        """It is loaded again at the next login as long as the plist is there."""
        run(["launchctl", "bootout", f"{self.domain}/{LABEL}"], self.environ)

    def forget(self) -> None:
        """Nothing is remembered."""

    def enabled(self) -> bool:
        """Whether it is loaded; what is loaded is kept alive."""
        return run(["launchctl", "print", f"{self.domain}/{LABEL}"], self.environ).returncode == 0

    def active(self) -> bool:
        """Whether it runs now."""
        done = run(["launchctl", "print", f"{self.domain}/{LABEL}"], self.environ)
        return done.returncode == 0 and "state = running" in done.stdout
