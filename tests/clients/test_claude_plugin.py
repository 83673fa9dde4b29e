"""Who prefers `claude plugin` to `memd install` gets the same text from the folder `hooks/claude-code`."""

import subprocess
from pathlib import Path

import pytest

from .claude_code import ClaudeCode
from .memd_process import Memd
from .scripted_model import ScriptedModel
from .story import MISSION
from .waiting import eventually

pytestmark = pytest.mark.client
FOLDER = Path(__file__).parents[2] / "hooks" / "claude-code"


def given_back(claude: ClaudeCode, model: ScriptedModel, memd: Memd, *options: str) -> str:
    """What the request behind a compaction holds of memd's."""
    session = claude.headless(MISSION, *options).session
    eventually(lambda: memd.session(session).get("checkpoint"))
    assert claude.headless("/compact", "--continue", *options).exit_code == 0
    before = model.latest
    assert claude.headless("Go on.", "--continue", *options).exit_code == 0
    eventually(lambda: memd.delivery(session) == "complete")
    return model.wait_for(lambda request: "Go on." in request.text, after=before).text.partition("memd checkpoint ")[2]


def test_a_plugin_for_one_session(claude: ClaudeCode, model: ScriptedModel) -> None:
    """`claude --plugin-dir` with the folder in the repository: the mission comes back, and no settings are changed."""
    memd, before = Memd(claude.home, claude.project, claude.env["PATH"]), claude.settings.read_bytes()
    with memd.daemon():
        given = given_back(claude, model, memd, "--plugin-dir", str(FOLDER / "memd"))
    assert MISSION in given
    assert claude.settings.read_bytes() == before


def test_a_plugin_that_is_installed(claude: ClaudeCode, model: ScriptedModel) -> None:
    """From the marketplace in the folder; memd finds nothing missing, and its uninstall leaves nothing in the settings."""
    memd, before = Memd(claude.home, claude.project, claude.env["PATH"]), claude.settings.read_bytes()
    for words in (["marketplace", "add", str(FOLDER)], ["install", "memd@memd"]):
        command = [claude.program, "plugin", *words]
        subprocess.run(command, env=claude.env, cwd=claude.project, capture_output=True, timeout=60, check=True)
    with memd.daemon():
        given = given_back(claude, model, memd)
        findings = memd.findings()
    assert MISSION in given
    assert not {one for one in findings if one.startswith(("hooks-", "not-installed"))}
    memd.run("uninstall", "--yes")
    assert claude.settings.read_bytes() == before
