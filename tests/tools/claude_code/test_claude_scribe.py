"""When a fork of a session is surely in the provider's cache, and how it is started."""

from pathlib import Path

import pytest

from memd.model import Session
from memd.tools.claude_code.scribe import WARM, ClaudeScribe
from memd.tools.scribe import Errand

SCRIBE = ClaudeScribe()


@pytest.mark.parametrize(
    ("entrypoint", "version", "seconds"),
    [
        ("sdk-cli", "2.1.332", WARM),
        ("sdk-cli", "2.2.0", WARM),
        ("cli", "2.1.332", 0),
        ("sdk-cli", "2.0.76", 0),
        ("sdk-cli", None, 0),
        (None, "2.1.332", 0),
    ],
)
def test_only_a_headless_session_of_a_client_that_replays_it(entrypoint, version, seconds):
    """On a screen the system prompt begins with another entry point; older clients were not compared."""
    assert SCRIBE.warm(Session("x", "claude-code", "x", version=version, entrypoint=entrypoint)) == seconds


def test_a_fork_is_started_as_restricted_as_any_run():
    """It differs in what goes before the request, in its mark, and in that it never compacts."""
    alone = Errand("r", Path("/n"), Path("/s"), "/srv/w", None, 5)
    fork = Errand("r", Path("/n"), Path("/s"), "/srv/w", None, 5, fork="abc")
    one, other = SCRIBE.start(alone), SCRIBE.start(fork)
    assert other.arguments[-3:] == ("--resume", "abc", "--fork-session")
    assert other.arguments[:-3] == one.arguments[:-2]
    assert "--no-session-persistence" in other.arguments
    assert (one.variables["CLAUDE_CODE_ENTRYPOINT"], other.variables["DISABLE_AUTO_COMPACT"]) == ("memd-writer", "1")
    assert "CLAUDE_CODE_ENTRYPOINT" in other.without
