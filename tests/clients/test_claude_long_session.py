"""A session of many messages: what the person said first and what they said last both come back."""

import pytest

from .claude_code import ClaudeCode
from .conftest import SUMMARY
from .given import given_after_compaction
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .story import CONSTRAINT, FULL, MISSION, WINDOW, gateway, shell
from .waiting import eventually

pytestmark = pytest.mark.client

SMALL_THINGS = [
    "Look at upstream {0} and write down how long its slowest answer takes.",
    "continue",
    "What did upstream {0} say about its limit of {0}00 connections?",
    "Good. Note it in notes-{0}.md and go on.",
]


@pytest.mark.usefixtures("tmux")
def test_nothing_falls_out_of_a_long_session(claude: ClaudeCode, model: ScriptedModel, memd: Memd) -> None:
    """After 48 typed messages the mission, the constraint and the current request are in the request that follows."""
    gateway(claude.project)
    claude.extra.update(WINDOW)
    small = [SMALL_THINGS[n % len(SMALL_THINGS)].format(n) for n in range(3, 48)]
    typed = [MISSION, CONSTRAINT, *small]
    current = "Now compare upstream 7 with upstream 31 and tell me which of the two is the slower one."
    with memd.daemon(), claude.screen() as screen:
        for number, words in enumerate(typed, start=1):
            screen.type(words)
            claude.turns_done(number)
        before = model.latest
        model.push(shell("echo compared"), shell("echo compared again", tokens=FULL), Turn("Number 31 is slower."))
        screen.type(current)
        after = model.wait_for(lambda request: SUMMARY in request.text, after=before)
        claude.turns_done(len(typed) + 1)
        screen.wait_for("Number 31 is slower.")
        screen.type("/exit")
        assert screen.exit_code() == 0
        eventually(lambda: memd.delivery(claude.session) == "complete")
        log = memd.log(claude.session)

    given = given_after_compaction(claude, after)
    assert [words for words in (MISSION, CONSTRAINT, current) if words not in given.text] == []
    assert [e["text"] for e in log if e["channel"].startswith("human.")] == [*typed, current]
    assert "persisted-output" not in after.text
