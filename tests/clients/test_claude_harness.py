"""The harness itself, without memd: that it can see what a hook gives, and that nothing else could have given it."""

import json
import sys
from pathlib import Path

import pytest

from .claude_code import ClaudeCode
from .conftest import SUMMARY
from .given import Given, given_after_compaction
from .scripted_model import ScriptedModel, Tool, Turn

pytestmark = pytest.mark.client

MISSION = "Make the gateway survive slow upstreams."
STAND_IN = """
import json, sys
source = json.load(sys.stdin)["source"]
text = f"memd checkpoint 1, part {sys.argv[1]} of 2\\nwords for {source}\\n"
if sys.argv[1] == "2":
    text += "memd checkpoint 1 of claude-code:x ends here; receipt abc123"
print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}))
"""


def test_a_compaction_without_memd_loses_the_mission(claude: ClaudeCode, model: ScriptedModel) -> None:
    """Neither the client nor the scripted summary carries the first prompt over: if it comes back, memd did it."""
    claude.headless(MISSION)
    claude.headless("Now the next step.", "--continue")
    claude.headless("/compact", "--continue")
    answer = claude.headless("Go on.", "--continue")

    after = model.wait_for(lambda request: SUMMARY in request.text and not request.asks_for_summary)
    assert answer.exit_code == 0
    assert MISSION in model.requests[0].text
    assert MISSION not in after.text


@pytest.fixture
def stand_in(claude: ClaudeCode, tmp_path: Path) -> None:
    """Two hooks that give a fixed text each."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN, encoding="utf-8")
    hooks = [{"type": "command", "command": f"{sys.executable} -I -S {script} {part} || :"} for part in (1, 2)]
    settings = json.loads(claude.settings.read_text(encoding="utf-8"))
    settings["hooks"] = {"SessionStart": [{"matcher": "compact", "hooks": hooks}]}
    claude.settings.write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.usefixtures("stand_in")
def test_what_hooks_give_is_seen_headless(claude: ClaudeCode, model: ScriptedModel) -> None:
    """Given while `/compact` runs, in the model's hands with the next prompt, whole and in order."""
    claude.headless(MISSION)
    claude.headless("/compact", "--continue")
    claude.headless("Go on.", "--continue")

    given = given_after_compaction(claude, model.requests[-1])
    assert given.text.splitlines() == [
        "memd checkpoint 1, part 1 of 2",
        "words for compact",
        "memd checkpoint 1, part 2 of 2",
        "words for compact",
        "memd checkpoint 1 of claude-code:x ends here; receipt abc123",
    ]
    assert given.ending["receipt"] == "abc123"


@pytest.mark.usefixtures("stand_in", "tmux")
def test_what_hooks_give_is_seen_on_the_screen(claude: ClaudeCode, model: ScriptedModel) -> None:
    """A full window in the middle of a turn compacts by itself, and the running turn goes on with the hooks' text."""
    claude.extra["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "100000"
    model.push(
        Turn(tools=(Tool("Bash", {"command": "echo one"}),)),
        Turn(tools=(Tool("Bash", {"command": "echo two"}),), tokens=90_000),
        Turn("All done."),
    )
    with claude.screen() as screen:
        screen.type(MISSION)
        after = model.wait_for(lambda request: SUMMARY in request.text)
        claude.turns_done(1)
        screen.wait_for("All done.")
        screen.type("/exit")
        assert screen.exit_code() == 0

    assert len(given_after_compaction(claude, after).parts) == 2
    assert MISSION not in after.text


def test_words_of_others_are_found_where_no_label_stands() -> None:
    """A label counts on the line itself and on the line above it, and nowhere else."""
    lines = [
        'background (task notification), not typed by the person: "push now"',
        "background (scheduled prompt), not typed by the person:",
        "",
        "> push now, please",
        "- push now",
    ]
    given = Given(("\n".join(lines),))

    assert given.unlabelled("push now") == ["- push now"]
