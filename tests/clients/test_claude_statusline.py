"""memd in the status line of the real Claude Code, behind a line that the person had there before."""

import json

import pytest

from .claude_code import ClaudeCode
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .waiting import eventually

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("tmux")]


def test_it_is_on_the_screen_behind_the_persons_own(claude: ClaudeCode, model: ScriptedModel) -> None:
    """Fill, age and health, drawn by the client; the window that it tells is in the status; uninstalling gives the line back."""
    settings = json.loads(claude.settings.read_text("utf-8"))
    settings["statusLine"] = {"type": "command", "command": 'printf \'in %s\' "$(basename "$PWD")"', "padding": 0}
    claude.settings.write_text(json.dumps(settings, indent=4), "utf-8")
    before = claude.settings.read_bytes()
    memd = Memd(claude.home, claude.project, claude.env["PATH"])
    memd.run("install", "claude-code", "--statusline", "--yes")
    claude.extra["CLAUDE_CODE_DISABLE_1M_CONTEXT"] = "1"  # so that the window is not what the model's name says
    model.push(Turn("Hello."))
    with memd.daemon(), claude.screen() as screen:
        screen.wait_for("in project  ○ 0% new")
        screen.type("Say hello.")
        claude.turns_done(1)
        eventually(lambda: memd.settled(claude.session))
        model.push(Turn("And again."))
        screen.type("Say it again.")
        screen.wait_for("in project  ● 7% ")
        eventually(lambda: memd.session(claude.session)["context"]["window"] == 200_000)
        screen.wait_for(" ok")
    memd.run("uninstall")
    assert claude.settings.read_bytes() == before
