"""The way that README describes, from the installation to a compaction that was survived and out again, with each client."""

from pathlib import Path

import pytest

from .conftest import CLIENTS
from .memd_process import Memd
from .new_user import CLIENTS as MAKERS
from .new_user import walk
from .story import CONSTRAINT, MISSION, VALUE

pytestmark = pytest.mark.client


@pytest.mark.usefixtures("tmux", "claude_command", "codex_command", "opencode_command")
@pytest.mark.parametrize("make", MAKERS, ids=["Claude Code", "Codex", "OpenCode"])
def test_a_new_user_gets_it_back_and_can_leave(make, tmp_path: Path) -> None:
    """What was said and set stands in the request behind `/compact`; afterwards nothing of memd's is left in the home."""
    with make(tmp_path, CLIENTS) as client:
        walked = walk(client, Memd(client.at.home, client.at.project, client.at.env["PATH"], client.tool))
        home = client.at.home

    given = walked.given.partition("memd checkpoint ")[2]
    assert [words for words in (MISSION, CONSTRAINT, VALUE) if words not in given] == []
    assert (walked.status["health"], walked.status["delivery"]["level"]) == ("ok", "complete")
    assert walked.settings.startswith(walked.before)  # Codex itself adds to its file
    assert b"memd" not in walked.settings[len(walked.before) :]
    assert [path for path in home.rglob("*memd*") if path.name != "memd-run.log"] == []
