"""A skill whose text the compaction took away, the file of newest messages, and the proof that the agent used them."""

import re

import pytest

from .codex import LIMIT, Codex, checkpoints, run
from .conftest import SUMMARY
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .story import MISSION
from .waiting import eventually

pytestmark = pytest.mark.client

SKILL = "---\nname: deploy\ndescription: How to deploy.\n---\nAsk Mina before each deploy.\n"
NEWEST = re.compile(r"; the newest ones: `([^`]+)`\.")


def test_the_text_comes_back_and_what_the_agent_does_with_it_is_seen(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd
) -> None:
    """The skill that the person chose stands there as it is now; the agent reads what is named, and says the code."""
    place = codex.home / ".codex" / "skills" / "deploy" / "SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text(SKILL, encoding="utf-8")
    codex_memd.config.parent.mkdir(parents=True)
    codex_memd.config.write_text("receipt.ask = true\n", encoding="utf-8")
    with codex_memd.daemon():
        session = codex.headless(f"{MISSION} Use $deploy for it.").session
        loaded = responses.requests[-1].text
        place.write_text(SKILL.replace("Mina", "Nora"), encoding="utf-8")
        responses.push(run("echo smoke", tokens=LIMIT + 1_000), Turn("It says nothing."))
        before = responses.latest
        codex.headless("resume", session, "Run the smoke test.")
        after = responses.wait_for(lambda request: SUMMARY in request.text, after=before)
        eventually(lambda: codex_memd.delivery(session) == "complete")
        (given,) = checkpoints(after)
        (newest,) = NEWEST.findall(given.text)

        responses.push(run(f"cat {newest}"), Turn("I have read it."))
        before = responses.latest
        codex.headless("resume", session, "What was said last?")
        shown = responses.requests[-1].text
        eventually(lambda: codex_memd.delivery(session) == "opened")

        responses.push(Turn(f"The code is {given.ending['receipt']}."))
        codex.headless("resume", session, "And the code?")
        eventually(lambda: codex_memd.delivery(session) == "acknowledged")

    assert "Ask Mina before each deploy." in loaded
    assert "## Texts of skills\nSkill `deploy`, as it is now:\n" in given.text
    assert "> Ask Nora before each deploy." in given.text
    assert "\nWhether this text reached me is checked by its receipt: " in given.text
    assert f"{MISSION} Use $deploy for it." in shown[shown.index("The newest messages of codex:") :]
