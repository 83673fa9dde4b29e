"""The daemon is killed before the compaction: the checkpoint comes from disk, nothing is lost and nothing doubled."""

import pytest

from .claude_code import ClaudeCode
from .conftest import SUMMARY
from .given import given_after_compaction
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .story import CONSTRAINT, FULL, MISSION, ORDER, VALUE, WINDOW, edit, gateway, shell
from .waiting import eventually

pytestmark = pytest.mark.client

ALONE = "Run the smoke test now."
AFTERWARDS = "And write the result down."


@pytest.mark.usefixtures("tmux")
def test_a_killed_daemon_costs_neither_checkpoint_nor_record(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd
) -> None:
    """SIGKILL before the compaction: the hook answers from disk; started again, the daemon has every message once."""
    config = gateway(claude.project)
    claude.extra.update(WINDOW)
    with claude.screen() as screen:
        with memd.daemon() as daemon:
            screen.type(MISSION)
            claude.turns_done(1)
            screen.type(CONSTRAINT)
            claude.turns_done(2)
            model.push(*edit(config), Turn("The timeout is raised."))
            screen.type(ORDER)
            claude.turns_done(3)
            eventually(lambda: memd.settled(claude.session))
            daemon.kill()

        before = model.latest
        model.push(shell("echo smoke one"), shell("echo smoke two", tokens=FULL), Turn("The smoke test says nothing."))
        screen.type(ALONE)
        after = model.wait_for(lambda request: SUMMARY in request.text, after=before)
        claude.turns_done(4)
        assert memd.status()["daemon"]["running"] is False

        with memd.daemon():
            screen.type(AFTERWARDS)
            claude.turns_done(5)
            screen.type("/exit")
            assert screen.exit_code() == 0
            eventually(lambda: memd.settled(claude.session))
            eventually(lambda: memd.delivery(claude.session) == "complete")
            log = memd.log(claude.session)

    given = given_after_compaction(claude, after)
    assert [words for words in (MISSION, CONSTRAINT, ORDER) if words not in given.text] == []
    assert config.name in given.text
    assert VALUE in given.text
    assert given.ending["session"] == f"claude-code:{claude.session}"
    assert [entry["number"] for entry in log] == list(range(1, len(log) + 1))
    typed = [(entry["channel"], entry["text"]) for entry in log if entry["channel"].startswith("human.")]
    assert typed == [("human.typed", words) for words in (MISSION, CONSTRAINT, ORDER, ALONE, AFTERWARDS)]
