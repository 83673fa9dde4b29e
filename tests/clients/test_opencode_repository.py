"""The plugin for OpenCode is usable as it lies in the repository, for who prefers an entry in `opencode.json`."""

import json
from pathlib import Path

import pytest

from memd.tools.opencode.plugin import STAND_IN

from .memd_process import Memd
from .opencode import OpenCode, as_run
from .scripted_model import ScriptedModel
from .story import MISSION
from .waiting import eventually

pytestmark = pytest.mark.client
PLUGIN = Path(__file__).parents[2] / "hooks" / "opencode" / "memd.js"


def test_an_entry_in_the_settings_is_enough(opencode: OpenCode, chat_model: ScriptedModel) -> None:
    """It finds the daemon's default socket by itself; the mission stands in the request behind a compaction."""
    settings = json.loads(opencode.settings.read_text(encoding="utf-8"))
    opencode.settings.write_text(json.dumps(settings | {"plugin": [str(PLUGIN)]}), encoding="utf-8")
    for path, content in STAND_IN.items():  # or the client would look for a package first
        place = opencode.settings.parent / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    memd = Memd(opencode.home, opencode.project, opencode.env["PATH"], "opencode")
    with memd.daemon():
        session = opencode.headless(MISSION).session
        with opencode.server() as server:
            server.compact(session)
        assert opencode.headless("Go on.", "--continue").exit_code == 0
        eventually(lambda: memd.delivery(session) == "complete")
    (given,) = [system for system in chat_model.requests[-1].systems if "memd checkpoint" in system]
    assert as_run(MISSION) in given
