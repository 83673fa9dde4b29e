"""A new user's first five minutes with one client: install, work, a compaction, what came back, uninstall. Each step timed.

`python -m clients.new_user` in `tests` walks with all three and prints the times as the table of docs/five-minutes.md.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import codex, opencode, story
from .chat_model import serving_chat
from .claude_code import ClaudeCode, pinned_client
from .codex import Codex, pinned_codex
from .memd_process import Memd
from .opencode import OpenCode, pinned_opencode
from .responses_model import serving_responses
from .scripted_model import ScriptedModel, Turn, serving
from .terminal import Terminal
from .waiting import eventually

ROOT = Path(__file__).parents[2]
SUMMARY = "Work went on in the project."
GO_ON = "Go on, please."


@dataclass(frozen=True)
class Client:
    """What differs between the three, for one home."""

    tool: str
    at: Any
    model: ScriptedModel
    edits: list[Turn]
    kept: Path
    """The file of the person's settings that must survive."""
    done: Callable[[int], Any]
    """Wait until so many prompts have been answered."""
    compacted: Callable[[], Any]
    """Whether the context was compacted."""
    after: int = 0
    """How many turns a compaction counts for."""
    enters: int = 1
    """How often Enter is pressed for a `/command`: a menu may take the first one."""


@dataclass
class Walked:
    """What was seen on the way."""

    steps: list[tuple[str, float]] = field(default_factory=list)
    given: str = ""
    """All that the model's first request behind the compaction holds."""
    status: dict[str, Any] = field(default_factory=dict)
    before: bytes = b""
    settings: bytes = b""
    """The person's settings at the beginning and at the end."""

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Time a step."""
        start = time.monotonic()
        yield
        self.steps.append((what, time.monotonic() - start))


def walk(client: Client, memd: Memd) -> Walked:
    """The whole way, in a home where memd was never installed."""
    walked = Walked(before=client.kept.read_bytes())
    with walked.step("`memd install`"):
        memd.run("install", client.tool, "--yes", *(["--trust-codex-hooks"] if client.tool == "codex" else []))
    start = time.monotonic()
    with memd.daemon():
        walked.steps.append(("`memd run` answers", time.monotonic() - start))
        with (
            walked.step("a session: a mission, a rule, an edit, `/compact`, one more prompt"),
            client.at.screen() as screen,
        ):
            walked.given = _session(client, screen)
            eventually(lambda: memd.delivery(client.at.session) == "complete")
        with walked.step("`memd status`"):
            walked.status = memd.session(client.at.session)
        with walked.step("`memd show`"):
            memd.run("show", client.at.session)
        with walked.step("`memd log --human`"):
            memd.run("log", client.at.session, "--human")
    with walked.step("`memd uninstall --purge`"):
        memd.run("uninstall", "--purge", "--yes")
    walked.settings = client.kept.read_bytes()
    return walked


def _session(client: Client, screen: Terminal) -> str:
    screen.type(story.MISSION)
    client.done(1)
    for turn in reversed([*client.edits, Turn("The timeout is raised, and the schema stays.")]):
        client.model.rule(
            _about_the_rule, turn, times=1
        )  # no turns for any request: a client asks for a title, sometime
    screen.type(story.CONSTRAINT)
    client.done(2)
    screen.type("/compact")
    for _ in range(client.enters - 1):
        screen.press("Enter")
    eventually(client.compacted)
    before = client.model.latest
    screen.type(GO_ON)
    client.done(3 + client.after)
    request = client.model.wait_for(lambda request: GO_ON in str(request.body), after=before)
    return str(request.body)


@contextmanager
def claude_code_client(place: Path, clients: Path) -> Iterator[Client]:
    """Claude Code in a home below `place`."""
    with serving(_model(lambda: f"<summary>{SUMMARY}</summary>")) as model:
        at = ClaudeCode(pinned_client(clients), place / "home", place / "gateway", model.url)
        at.prepare()
        edits = story.edit(story.gateway(at.project))
        yield Client(
            "claude-code", at, model, edits, at.settings, at.turns_done, lambda: at.count(subtype="compact_boundary")
        )


@contextmanager
def codex_client(place: Path, clients: Path) -> Iterator[Client]:
    """Codex in a home below `place`."""
    with serving_responses(_model(lambda: SUMMARY)) as model:
        at = Codex(pinned_codex(clients), place / "home", place / "gateway", model.url)
        at.prepare()
        edits = codex.patch(story.gateway(at.project))
        yield Client("codex", at, model, edits, at.config, at.turns_done, at.compactions, after=1)


@contextmanager
def opencode_client(place: Path, clients: Path) -> Iterator[Client]:
    """OpenCode in a home below `place`."""
    with serving_chat(_model(lambda: f"## Goal\n- {SUMMARY}")) as model:
        model.rule(lambda request: request.asks_for_title, Turn("Some work"))
        at = OpenCode(pinned_opencode(clients), place / "home", place / "gateway", model.url)
        at.prepare()
        edits = opencode.edit(story.gateway(at.project))
        summaries = "select count(*) from message where data->>'summary' = 1 and data->>'finish' = 'stop'"
        yield Client(
            "opencode", at, model, edits, at.settings, at.answered, lambda: at.query(summaries)[0][0], enters=2
        )


CLIENTS = (claude_code_client, codex_client, opencode_client)


def _about_the_rule(request: Any) -> bool:
    return story.CONSTRAINT in request.text and not request.asks_for_summary


def _model(summary: Callable[[], str]) -> ScriptedModel:
    model = ScriptedModel()
    model.rule(lambda request: request.asks_for_summary, Turn(summary()))
    return model


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        clone = Path(folder) / "memd"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        first = "python3 -m venv .venv && .venv/bin/pip install -q -e ."
        subprocess.run(["sh", "-c", first], cwd=clone, check=True)
        print(f"| `git clone`, and README's first line | {time.monotonic() - start:.1f} s |||")
        columns = []
        for make in CLIENTS:
            place = Path(folder) / make.__name__
            with make(place, ROOT / ".clients") as client:
                memd = Memd(client.at.home, client.at.project, client.at.env["PATH"], client.tool)
                columns.append(walk(client, memd).steps)
        for row in zip(*columns, strict=True):
            print("|", " | ".join([row[0][0], *(f"{seconds:.1f} s" for _, seconds in row)]), "|")


if __name__ == "__main__":
    sys.exit(main())
