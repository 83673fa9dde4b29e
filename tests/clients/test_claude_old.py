"""A client of an older generation: it states no origins and records no hooks, and is helped all the same."""

from pathlib import Path

import pytest

from .claude_code import OLD, ClaudeCode, pinned_client
from .conftest import CLIENTS, _missing
from .memd_process import Memd
from .npm import ClientMissingError
from .scripted_model import ScriptedModel
from .story import CONSTRAINT, MISSION

pytestmark = pytest.mark.client


@pytest.fixture(scope="session")
def claude_command() -> Path:
    try:
        return pinned_client(CLIENTS, OLD)
    except ClientMissingError as missing:
        _missing(str(missing))


def test_an_old_client_gets_its_checkpoint_when_it_goes_on(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd
) -> None:
    """`/compact` in a run of its own, whose hook's text ends with that run: the next run brings the checkpoint.

    Every later run brings it again, for this client keeps nothing that a hook gave; and no prompt is held up.
    """
    with memd.daemon():
        session = claude.headless(MISSION).session
        claude.headless(CONSTRAINT, "--continue")
        claude.headless("Read the logs.", "--continue")
        compacted = claude.headless("/compact", "--continue")
        answer = claude.headless("Go on with the retries.", "--continue")
        after = model.requests[-1].text
        claude.headless("And the tests.", "--continue")
        later = model.requests[-1].text
        log = memd.log(session)

    assert ["memd checkpoint" in text for text in (after, later)] == [True, True]
    assert [words for words in (MISSION, CONSTRAINT) if words not in after] == []
    assert [compacted.exit_code, answer.exit_code, answer.session] == [0, 0, session]
    told = {entry["text"]: (entry["channel"], entry["grade"]) for entry in log}
    assert told[MISSION] == ("unattributed", "unknown")
