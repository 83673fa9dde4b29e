"""A session of many and of long messages: what was said first and what was said last both come back, and all of it fits."""

import pytest

from .claude_code import ClaudeCode
from .conftest import SUMMARY
from .given import OPENING, given_after_compaction
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
PART_LIMIT = 10_000  # UTF-16 units: a longer hook output goes to a file, and the model sees its first 2,000 characters
CONDITION = "Condition {0}: upstream {0} speaks 日本語 and 🙂, and its answers are to be kept as they are."


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


def test_a_long_checkpoint_arrives_in_numbered_parts(claude: ClaudeCode, model: ScriptedModel, memd: Memd) -> None:
    """More than one hook may give at once comes in several parts: each short enough, in order, only the last one ends it."""
    gateway(claude.project)
    prompts = [MISSION, CONSTRAINT, *(" ".join([CONDITION.format(n)] * 8) for n in range(3, 13))]
    with memd.daemon():
        for number, prompt in enumerate(prompts, start=1):
            model.push(Turn(f"Noted as number {number}. " + "This is what I make of it, at length. " * 40))
            session = claude.headless(prompt, *(["--continue"] if number > 1 else [])).session
        claude.headless("/compact", "--continue")
        answer = claude.headless("Go on.", "--continue")
        eventually(lambda: memd.delivery(session) == "complete")

    given = given_after_compaction(claude, model.requests[-1])
    openings = [(mark["part"], mark["parts"]) for part in given.parts if (mark := OPENING.match(part))]
    assert len(given.parts) > 1
    assert openings == [(str(k), str(len(given.parts))) for k in range(1, len(given.parts) + 1)]
    assert max(len(part.encode("utf-16-le")) // 2 for part in given.parts) < PART_LIMIT
    assert given.ending["session"] == f"claude-code:{session}"
    assert [words for words in (MISSION, CONSTRAINT, prompts[-1]) if words not in given.text] == []
    assert "persisted-output" not in model.requests[-1].text
    assert claude.spilled() == []
    assert answer.exit_code == 0
