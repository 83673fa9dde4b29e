"""The real Claude Code, pinned, in a home of its own, talking to a scripted model.

What it takes to run it unattended (measured on 2.1.332): the onboarding marked as done, the key approved by its last 20
characters, the project trusted, IS_SANDBOX for root, and an environment that holds nothing of the one around it.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .client import Answer, Client
from .npm import pinned
from .terminal import Terminal, terminal
from .waiting import eventually

VERSION = "2.1.332"
OLD = "2.0.76"
"""A client of the generation that states no origins and writes nothing of its hooks into the transcript."""
PACKAGE = "@anthropic-ai/claude-code"
HOOK = "hook_additional_context"
KEY = "dummy-key-0123456789"
# Auto mode is off altogether: it is the default, its safety check runs on the vendor's server, it sets allow rules
# aside, and with any other default mode a dialog offers it.
SETTINGS = {
    "permissions": {
        "allow": ["Bash", "CronCreate", "Edit", "Read", "ToolSearch"],
        "defaultMode": "acceptEdits",
        "disableAutoMode": "disable",
    }
}


def pinned_client(folder: Path, version: str = VERSION) -> Path:
    """The path of `claude`; the package of today's client has a script of its own that links the binary into place."""
    return pinned(folder, PACKAGE, version, "claude", "install.cjs" if version == VERSION else None)


@dataclass
class ClaudeCode(Client):
    """A home directory with a client, and a project to work on."""

    def prepare(self) -> None:
        """Write what a person who has used the client before would have in their home."""
        self.make(self.settings.parent)
        seen = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(seen), encoding="utf-8")
        self.settings.write_text(json.dumps(SETTINGS, indent=2) + "\n", encoding="utf-8")

    @property
    def settings(self) -> Path:
        """The person's own settings.json."""
        return self.home / ".claude" / "settings.json"

    @property
    def own(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_TMPDIR": str(self.temporary),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "IS_SANDBOX": "1",
        }

    def headless(self, prompt: str, *options: str) -> Answer:
        """Run `claude -p` once, to its end."""
        done = self.run("-p", prompt, "--output-format", "json", *options)
        said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        return Answer(done.returncode, said.get("result", done.stderr), said.get("session_id", ""))

    @contextmanager
    def screen(self) -> Iterator[Terminal]:
        """Run the client on a terminal of its own; it is ready for the first prompt."""
        socket, ended = f"memd-{os.getpid()}", self.temporary / "exit-code"
        with terminal([str(self.program)], socket=socket, cwd=self.project, env=self.env, ended=ended) as screen:
            screen.wait_for("accept edits on")
            yield screen

    @property
    def transcript(self) -> Path:
        """The transcript of the only session in this home."""
        (only,) = (self.home / ".claude" / "projects").glob("*/*.jsonl")
        return only

    @property
    def session(self) -> str:
        """The id of the only session in this home."""
        return self.transcript.stem

    def rows(self) -> Iterator[dict[str, Any]]:
        """The transcript's whole lines; none while there is no transcript."""
        for path in (self.home / ".claude" / "projects").glob("*/*.jsonl"):
            for line in path.read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):
                    yield json.loads(line)

    def count(self, **fields: Any) -> int:
        """How many rows have these fields with these values."""
        return sum(1 for row in self.rows() if fields.items() <= row.items())

    def turns_done(self, number: int, *, seconds: float = 60.0) -> None:
        """Wait until so many turns on the screen have come to their end (headless runs write no such row)."""
        eventually(lambda: self.count(type="system", subtype="turn_duration") >= number, seconds=seconds)

    def queued(self, words: str) -> None:
        """Wait until the client has taken words that were typed while it works."""
        eventually(lambda: self.count(type="queue-operation", operation="enqueue", content=words))

    def contexts_after_compaction(self) -> list[str]:
        """What the SessionStart hooks of the last compaction gave, text by text, as the client wrote it down.

        All hooks of one event share one row. The row comes behind the boundary's; those of later runs come behind it.
        """
        rows = list(self.rows())
        bounds = [i for i, row in enumerate(rows) if row.get("subtype") == "compact_boundary"]
        behind = rows[bounds[-1] :] if bounds else []
        given = (row["attachment"] for row in behind if row["type"] == "attachment")
        return next((a["content"] for a in given if a["type"] == HOOK and a["hookEvent"] == "SessionStart"), [])

    def spilled(self) -> list[Path]:
        """Hook outputs that were too long for the context and went to files instead."""
        return sorted((self.home / ".claude" / "projects").glob("*/*/tool-results/hook-*"))
