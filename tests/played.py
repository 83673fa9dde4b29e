"""The made-up session of docs/example.jsonl, played as Claude Code would through a compaction, with memd beside it.

Everything is the real thing but the client: the daemon, the installed hooks as the settings file has them, the commands.
What the client does is done here: it writes the transcript, runs the hooks, and writes down what they gave back.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memd.tools.claude_code import example

EXAMPLE = Path(__file__).parents[1] / "docs" / "example.jsonl"
SESSION = "claude-code:example"
MEMD = [sys.executable, "-m", "memd"]


@dataclass(frozen=True)
class Played:
    """A home in which the session was played."""

    home: Path

    @property
    def project(self) -> Path:
        return self.home / "work" / "invoices"

    @property
    def transcript(self) -> Path:
        return self.home / ".claude" / "projects" / "-work-invoices" / "example.jsonl"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment: nothing comes from around it but PATH."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "COLUMNS": "120"}

    def memd(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run one command to its end."""
        return subprocess.run(
            [*MEMD, *words],
            env=self.env | env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def json(self, *words: str):
        """What a command prints as JSON."""
        done = self.memd(*words, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def session(self) -> dict:
        """The session in the status; empty while it is not known."""
        return next((s for s in self.json("status")["sessions"] if s["session"] == SESSION), {})

    def hooks(self, event: str, **payload: str) -> list[str]:
        """Run the installed hooks of an event, each as the settings file has it; what they printed."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text("utf-8"))
        base = {"session_id": "example", "transcript_path": str(self.transcript), "cwd": str(self.project)}
        stdin = json.dumps(base | {"hook_event_name": event} | payload)
        groups = settings["hooks"][event]
        commands = [hook["command"] for group in groups for hook in group["hooks"]]
        env = self.env | {"CLAUDE_CODE_ENTRYPOINT": "cli"}
        runs = (
            subprocess.run(["sh", "-c", one], env=env, input=stdin, capture_output=True, text=True, check=True)
            for one in commands
        )
        return [run.stdout for run in runs if run.stdout]

    def write(self, *rows: dict) -> None:
        with self.transcript.open("ab") as file:
            file.write(example.lines(rows))


@contextmanager
def played(home: Path) -> Iterator[Played]:
    """Install, start the daemon, play the session through its compaction; ends the daemon at the end of the block."""
    stage = Played(home)
    for folder in (stage.project, stage.transcript.parent):
        folder.mkdir(parents=True)
    installed = stage.memd("install", "--yes")
    assert not installed.returncode, installed.stderr
    with (home / "memd-run.log").open("wb") as log:
        daemon = subprocess.Popen([*MEMD, "run"], env=stage.env, cwd=home, stdout=log, stderr=log)
    try:
        _until(lambda: stage.json("status")["daemon"]["running"])
        stage.write(*example.rows(EXAMPLE.read_text("utf-8"), stage.project, datetime.now(UTC) - timedelta(seconds=5)))
        _until(lambda: (s := stage.session()) and s["source"]["lag_bytes"] == 0 and s["checkpoint"])
        stage.hooks("PreCompact", trigger="auto")
        stage.write(*example.compaction(stage.hooks("SessionStart", source="compact"), datetime.now(UTC)))
        _until(lambda: stage.session()["delivery"]["level"] == "complete")
        yield stage
    finally:
        daemon.terminate()
        daemon.wait(20)


def _until(true, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
