"""What every client is here: a program in a home of its own, with a project to work on and a model to talk to."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """What one headless run said."""

    exit_code: int
    text: str
    session: str


@dataclass
class Client:
    """A home directory with a client, and a project to work on."""

    program: Path
    home: Path
    project: Path
    model_url: str
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def temporary(self) -> Path:
        """Where the client puts what nobody needs later."""
        return self.home / "tmp"

    @property
    def own(self) -> dict[str, str]:
        """What the client's environment has that another's has not."""
        return {}

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client: nothing is taken from around it but PATH."""
        return {
            "PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **self.own,
            **self.extra,
        }

    def make(self, *folders: Path) -> None:
        """The project, and folders of the home."""
        for folder in (self.project, self.temporary, *folders):
            folder.mkdir(parents=True, exist_ok=True)

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run the client once with these words, to its end."""
        return subprocess.run(
            [self.program, *words],
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
