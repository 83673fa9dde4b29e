"""The harness itself, without memd: what Codex keeps over a compaction by itself, and what it loses."""

import pytest

from .codex import LIMIT, Codex, patch, run
from .conftest import SUMMARY
from .scripted_model import ScriptedModel, Turn
from .story import CONSTRAINT, MISSION, ORDER, VALUE, gateway

pytestmark = pytest.mark.client

LONG = "This is the log of last night.\n" + "upstream 7 answered after 31 seconds, upstream 31 not at all\n" * 1_800


def test_a_compaction_without_memd_loses_the_work_and_the_old_words(codex: Codex, responses: ScriptedModel) -> None:
    """Codex keeps the newest 20,000 tokens of the person's messages; the agent's work and what was said before are gone."""
    config = gateway(codex.project)
    session = codex.headless(MISSION).session
    codex.headless("resume", session, CONSTRAINT)
    responses.push(*patch(config), Turn("The timeout is raised."))
    codex.headless("resume", session, ORDER)
    assert [VALUE in responses.requests[-1].text, MISSION in responses.requests[-1].text] == [True, True]
    codex.headless("resume", session, LONG)
    responses.push(run("echo one", tokens=LIMIT + 1_000), Turn("Looked at."))
    answer = codex.headless("resume", session, "Look at the tests.")

    after = responses.requests[-1]
    assert SUMMARY in after.text
    assert "Look at the tests." in after.text
    assert [words for words in (MISSION, CONSTRAINT, ORDER, VALUE, config.name) if words in after.text] == []
    assert (answer.exit_code, codex.compactions()) == (0, 1)
