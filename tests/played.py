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

EXAMPLE = Path(__file__).parents[1] / "docs" / "example.jsonl"
SESSION = "claude-code:example"
MEMD = [sys.executable, "-m", "memd"]
WRITTEN_IN = "/home/dev/work/invoices"


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
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


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
        stage.write(*_rows(stage.project, datetime.now(UTC)))
        _until(lambda: (s := stage.session()) and s["source"]["lag_bytes"] == 0 and s["checkpoint"])
        stage.hooks("PreCompact", trigger="auto")
        stage.write(*_compaction(stage.hooks("SessionStart", source="compact")))
        _until(lambda: stage.session()["delivery"]["level"] == "complete")
        yield stage
    finally:
        daemon.terminate()
        daemon.wait(20)


def _rows(project: Path, now: datetime) -> list[dict]:
    """The example's rows in another directory, the last of them a few seconds ago."""
    rows = [json.loads(line) for line in EXAMPLE.read_text("utf-8").replace(WRITTEN_IN, str(project)).splitlines()]
    late = now - timedelta(seconds=5) - datetime.fromisoformat(rows[-1]["timestamp"])
    return [row | {"timestamp": _stamp(datetime.fromisoformat(row["timestamp"]) + late)} for row in rows]


def _compaction(outputs: list[str]) -> list[dict]:
    """What the client writes when it has compacted: the boundary, and the text of all its SessionStart hooks."""
    texts = [json.loads(output)["hookSpecificOutput"]["additionalContext"] for output in outputs]
    common = {"isSidechain": False, "sessionId": "example", "timestamp": _stamp(datetime.now(UTC)), "entrypoint": "cli"}
    bound, context = "00000100-0000-4000-8000-000000000001", "00000101-0000-4000-8000-000000000001"
    metadata = {"trigger": "auto", "preTokens": 167_000, "postTokens": 9_000}
    given = {"type": "hook_additional_context", "content": texts, "hookName": "SessionStart:compact"}
    return [
        common
        | {"type": "system", "subtype": "compact_boundary", "uuid": bound, "parentUuid": None}
        | {"logicalParentUuid": "00000035-0000-4000-8000-000000000001", "compactMetadata": metadata},
        common | {"type": "attachment", "attachment": given, "uuid": context, "parentUuid": bound},
    ]


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _until(true, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
