"""The real Codex, pinned, in a home of its own, talking to a scripted model.

What it takes to run it unattended (measured on 0.171.0): a provider of its own with a dummy key, no update check, no
analytics, the project trusted, a notice about models marked as seen; on a terminal `--no-daemon`, or a shared daemon stays.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .client import Answer, Client
from .given import Given
from .npm import pinned
from .responses_model import PATCH, ResponsesRequest
from .scripted_model import Tool, Turn
from .story import NEW, OLD
from .terminal import Terminal, terminal
from .waiting import eventually

VERSION = "0.171.0"
PACKAGE = "@openai/codex"
LIMIT = 80_000
"""Tokens at which the client compacts by itself, as configured."""
CONFIG = """\
# the person's own words, which stay
model = "gpt-5.5"   # beside a value too
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = {limit}

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "DUMMY_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."{project}"]
trust_level = "trusted"

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
"""


def pinned_codex(folder: Path, version: str = VERSION) -> Path:
    """The path of `codex`; the package needs no script of its own."""
    return pinned(folder, PACKAGE, version, "codex")


def checkpoints(request: ResponsesRequest) -> list[Given]:
    """The checkpoints that reached the model in a request, whole ones and short forms, in order."""
    return [Given((text,)) for text in request.given if text.startswith("memd checkpoint ")]


def lines(request: ResponsesRequest) -> list[str]:
    """What else of memd's reached the model in a request: single lines."""
    return [text for text in request.given if text.startswith("memd: ")]


def run(command: str, *, tokens: int | None = None) -> Turn:
    """The model runs a command, and waits for it longer than the client does by default."""
    return Turn(tools=(Tool("exec_command", {"cmd": command, "yield_time_ms": 30_000}),), tokens=tokens)


def patch(config: Path) -> list[Turn]:
    """The model reads the file and sets the value."""
    body = f"*** Begin Patch\n*** Update File: {config.name}\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n"
    return [run(f"cat {config.name}"), Turn(tools=(Tool(PATCH, {"input": body}),))]


@dataclass
class Codex(Client):
    """A home directory with a client, and a project to work on."""

    def prepare(self) -> None:
        """Write what a person who has used the client before would have in their home."""
        self.make(self.config.parent)
        text = CONFIG.format(limit=LIMIT, url=self.model_url, project=self.project)
        self.config.write_text(text, encoding="utf-8")

    @property
    def config(self) -> Path:
        """The person's own config.toml."""
        return self.home / ".codex" / "config.toml"

    @property
    def hooks(self) -> Path:
        """Where a person's hooks stand."""
        return self.home / ".codex" / "hooks.json"

    @property
    def own(self) -> dict[str, str]:
        return {"TMPDIR": str(self.temporary), "DUMMY_KEY": "dummy-key-0123456789"}

    def headless(self, *words: str) -> Answer:
        """Run `codex exec` once, to its end; `resume ID PROMPT` goes on, `fork ID PROMPT` branches off."""
        done = self.run("exec", "--json", "--skip-git-repo-check", *words)
        said = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
        texts = [row["item"]["text"] for row in said if row.get("item", {}).get("type") == "agent_message"]
        session = next((row["thread_id"] for row in said if row["type"] == "thread.started"), "")
        return Answer(done.returncode, "\n".join(texts) or done.stderr, session)

    def plugin(self, *words: str) -> None:
        """Run `codex plugin` with these words."""
        command = [self.program, "plugin", *words]
        subprocess.run(command, env=self.env, cwd=self.project, capture_output=True, timeout=60, check=True)

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """One request to the client's own server, in a process of its own; its result."""
        client = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {"experimentalApi": True}}
        messages = [
            {"id": 1, "method": "initialize", "params": client},
            {"method": "initialized"},
            {"id": 2, "method": method, "params": params},
        ]
        server = [self.program, "app-server"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            server, env=self.env, cwd=self.project, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
            process.stdin.flush()
            answers = (json.loads(line) for line in process.stdout)
            result = next(answer for answer in answers if answer.get("id") == 2)["result"]
            process.stdin.close()
        return result

    @contextmanager
    def screen(self, *options: str) -> Iterator[Terminal]:
        """Run the client on a terminal of its own; it is ready for the first prompt."""
        socket, ended = f"memd-cx-{os.getpid()}", self.temporary / "exit-code"
        ended.unlink(missing_ok=True)
        command = [str(self.program), "--no-daemon", *options]
        with terminal(command, socket=socket, cwd=self.project, env=self.env, ended=ended) as screen:
            screen.wait_for("Ask Codex to do anything", seconds=60)
            yield screen

    @property
    def rollouts(self) -> list[Path]:
        """All transcripts, in the order in which they were begun."""
        return sorted((self.home / ".codex" / "sessions").glob("*/*/*/rollout-*.jsonl"))

    @property
    def session(self) -> str:
        """The id of the only session in this home."""
        (only,) = self.rollouts
        return only.stem[-36:]

    def rows(self, path: Path | None = None) -> list[dict[str, Any]]:
        """The whole lines of a transcript, of the only one where none is named; none while there is no transcript."""
        paths = [path] if path else self.rollouts
        lines = [line for found in paths for line in found.read_bytes().splitlines(keepends=True)]
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def count(self, kind: str) -> int:
        """How many events of a type the transcripts have."""
        return sum(1 for row in self.rows() if row["type"] == "event_msg" and row["payload"].get("type") == kind)

    def turns_done(self, number: int, *, seconds: float = 30.0) -> None:
        """Wait until so many turns have come to their end."""
        eventually(lambda: self.count("task_complete") >= number, seconds=seconds)

    def compactions(self) -> int:
        """How often the context was compacted."""
        return sum(1 for row in self.rows() if row["type"] == "compacted")

    def contexts(self, path: Path | None = None) -> list[str]:
        """What hooks gave, text by text, as the client wrote it down."""
        payloads = [row["payload"] for row in self.rows(path) if row["type"] == "response_item"]
        found = [
            item for item in payloads if item.get("role") == "developer" and "hooks.additional_context" in str(item)
        ]
        return [piece["text"] for item in found for piece in item["content"] if "memd" in piece.get("text", "")]
