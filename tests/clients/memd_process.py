"""memd as a person has it: the command, and the daemon beside it, in the same fresh home as the client."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .waiting import eventually

COMMAND = [sys.executable, "-m", "memd"]


@dataclass(frozen=True)
class Memd:
    """The command line of memd in one home, and its daemon."""

    home: Path
    cwd: Path
    path: str
    tool: str = "claude-code"
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """The whole environment: the state is where a person's would be, and named, so that it can be nowhere else."""
        return {
            "PATH": self.path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "MEMD_STATE_DIR": str(self.home / ".local" / "state" / "memd"),
            **self.extra,
        }

    @property
    def config(self) -> Path:
        """The person's settings; there need not be any."""
        return self.home / ".config" / "memd" / "config.toml"

    def run(self, *arguments: str) -> str:
        """Run one command to its end; what it printed.

        Raises:
            AssertionError: It did not exit 0; shows what it said.
        """
        done = subprocess.run(
            [*COMMAND, *arguments], env=self.env, cwd=self.cwd, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            raise AssertionError(f"memd {' '.join(arguments)} exits {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    def status(self) -> dict[str, Any]:
        """`memd status --json`."""
        return json.loads(self.run("status", "--json"))

    def findings(self) -> set[str]:
        """The codes of `memd doctor --json`, which exits 1 when one of them is a fault."""
        done = subprocess.run(
            [*COMMAND, "doctor", "--json"],
            env=self.env,
            cwd=self.cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return {finding["code"] for finding in json.loads(done.stdout)["findings"]}

    def session(self, session: str) -> dict[str, Any]:
        """One session's entry in the status; empty while memd does not know it."""
        found = (s for s in self.status()["sessions"] if s["session"] == f"{self.tool}:{session}")
        return next(found, {})

    def log(self, session: str) -> list[dict[str, Any]]:
        """`memd log --json`: every entry of the session, in order."""
        return [json.loads(line) for line in self.run("log", session, "--json").splitlines()]

    def settled(self, session: str) -> bool:
        """Whether the daemon has read all there is and has a checkpoint of it."""
        known = self.session(session)
        return (
            bool(known) and known["source"]["lag_bytes"] == 0 and known["health"] == "ok" and bool(known["checkpoint"])
        )

    def delivery(self, session: str) -> str:
        """How far the last injection got, in the words of the status."""
        return (self.session(session).get("delivery") or {}).get("level", "")

    @contextmanager
    def daemon(self) -> Iterator["Daemon"]:
        """`memd run` for the time of the block; ended cleanly unless the block killed it."""
        with Path(self.home / "memd-run.log").open("ab") as log:
            process = subprocess.Popen([*COMMAND, "run"], env=self.env, cwd=self.cwd, stdout=log, stderr=log)
        daemon = Daemon(self, process)
        try:
            eventually(daemon.answers)
            yield daemon
            daemon.stop()
        finally:
            daemon.kill()


@dataclass(frozen=True)
class Daemon:
    """A running `memd run`, our own child."""

    memd: Memd
    process: subprocess.Popen[bytes]

    def answers(self) -> bool:
        """Whether the status finds it.

        Raises:
            AssertionError: It has ended instead; shows its last words.
        """
        if self.process.poll() is not None:
            words = (self.memd.home / "memd-run.log").read_text(encoding="utf-8")
            raise AssertionError(f"memd run exits {self.process.returncode}: {words[-2000:]}")
        return bool(self.memd.status()["daemon"]["running"])

    def stop(self) -> None:
        """End it as a service manager would, and see that it ends well."""
        if self.process.poll() is None:
            self.process.terminate()
            if code := self.process.wait(60):
                raise AssertionError(f"memd run exits {code} on SIGTERM")

    def kill(self) -> None:
        """End it as a crash would: SIGKILL, no last words."""
        self.process.kill()
        self.process.wait(60)
