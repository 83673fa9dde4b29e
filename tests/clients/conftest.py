"""What every test here starts from: the pinned client in a home of its own, a scripted model, and memd beside them."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from .chat_model import serving_chat
from .claude_code import ClaudeCode, pinned_client
from .codex import Codex, pinned_codex
from .memd_process import Memd
from .npm import ClientMissingError
from .opencode import OpenCode, pinned_opencode
from .responses_model import serving_responses
from .scripted_model import ScriptedModel, Turn, serving

CLIENTS = Path(__file__).parents[2] / ".clients"
SUMMARY = "Work went on in the project."


def _missing(reason: str) -> NoReturn:
    """Skip on a person's machine; fail where the clients are there to be tested."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def claude_command() -> Path:
    try:
        return pinned_client(CLIENTS)
    except ClientMissingError as missing:
        _missing(str(missing))


@pytest.fixture(scope="session")
def tmux() -> None:
    if shutil.which("tmux") is None:
        _missing("tmux is not installed, a terminal needs it")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model whose summaries keep nothing: what is known after a compaction was given back by somebody else."""
    with serving(ScriptedModel()) as model:
        model.rule(lambda request: request.asks_for_summary, Turn(f"<summary>{SUMMARY}</summary>"))
        yield model


@pytest.fixture
def claude(claude_command: Path, model: ScriptedModel, tmp_path: Path) -> ClaudeCode:
    client = ClaudeCode(claude_command, tmp_path / "home", tmp_path / "project", model.url)
    client.prepare()
    return client


@pytest.fixture
def memd(claude: ClaudeCode) -> Memd:
    """memd, installed for the client as a person would install it."""
    memd = Memd(claude.home, claude.project, claude.env["PATH"])
    memd.run("install", "claude-code", "--yes")
    return memd


@pytest.fixture(scope="session")
def opencode_command() -> Path:
    try:
        return pinned_opencode(CLIENTS)
    except ClientMissingError as missing:
        _missing(str(missing))


@pytest.fixture
def chat_model() -> Iterator[ScriptedModel]:
    """The same for a client that speaks chat completions."""
    with serving_chat(ScriptedModel()) as model:
        model.rule(lambda request: request.asks_for_summary, Turn(f"## Goal\n- {SUMMARY}"))
        model.rule(lambda request: request.asks_for_title, Turn("Some work"))
        yield model


@pytest.fixture
def opencode(opencode_command: Path, chat_model: ScriptedModel, tmp_path: Path) -> OpenCode:
    client = OpenCode(opencode_command, tmp_path / "home", tmp_path / "project", chat_model.url)
    client.prepare()
    return client


@pytest.fixture(scope="session")
def codex_command() -> Path:
    try:
        return pinned_codex(CLIENTS)
    except ClientMissingError as missing:
        _missing(str(missing))


@pytest.fixture
def responses() -> Iterator[ScriptedModel]:
    """A model like `model`, for a client that speaks the Responses API."""
    with serving_responses(ScriptedModel()) as model:
        model.rule(lambda request: request.asks_for_summary, Turn(SUMMARY))
        yield model


@pytest.fixture
def codex(codex_command: Path, responses: ScriptedModel, tmp_path: Path) -> Codex:
    client = Codex(codex_command, tmp_path / "home", tmp_path / "project", responses.url)
    client.prepare()
    return client


@pytest.fixture
def codex_memd(codex: Codex) -> Memd:
    """memd, installed for Codex as a person would install it, and trusted there."""
    memd = Memd(codex.home, codex.project, codex.env["PATH"], "codex")
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    return memd


@pytest.fixture
def opencode_memd(opencode: OpenCode) -> Memd:
    """memd, installed for the client as a person would install it."""
    memd = Memd(opencode.home, opencode.project, opencode.env["PATH"], "opencode")
    memd.run("install", "opencode", "--yes")
    return memd
