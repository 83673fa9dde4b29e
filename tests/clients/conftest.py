"""What every test here starts from: the pinned client in a home of its own, a scripted model, and memd beside them."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from .claude_code import ClaudeCode, ClientMissingError, pinned_client
from .memd_process import Memd
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
