"""Real rows with anything in any field: never an error, and what comes of them can be stored."""

import pytest
from codex_rows import RECORDINGS, THREAD, TOOL, names, recording
from recordings import NO_STATES, ROWS, fed_damaged_bytes, fed_damaged_rows, feed_without_each_field

from memd.tools.places import Kept

OWN = (
    "<environment_context>",
    "<user_shell_command></user_shell_command>",
    "*** Begin Patch\n*** Add File: x",
    [{"type": "input_text", "text": 5}],
    ["user.text", None, 5],
    [{"provenance": []}],
    '{"plan": [5], "questions": [{}], "session_id": 1e9}',
    {"turn_trigger": []},
    {"answers": {"q": {"answers": [5]}}},
)


def renamed(row, rng):
    payload = row.get("payload")
    if isinstance(payload, dict) and isinstance(payload.get("id"), str) and rng.random() < 0.9:
        payload["id"] += str(rng.random())
    return row


def test_any_value_in_any_field():
    """Thousands of damaged rows through one reader: its state is dumped and loaded all the time, every text can be stored."""
    assert len(fed_damaged_rows(TOOL, THREAD, RECORDINGS, OWN, renamed)) > ROWS / 6


@pytest.mark.parametrize("name", ["screen-daemon", "exec-compactions", "legacy"])
def test_damaged_bytes(name):
    """Bytes flipped, cut and doubled in whole files: never an error, and most of the entries are still there."""
    assert len(fed_damaged_bytes(TOOL, THREAD, recording(name))) > 5


@pytest.mark.parametrize("name", names())
def test_no_field_is_needed(name):
    """Each row with each of its own fields taken away in turn."""
    feed_without_each_field(TOOL, THREAD, recording(name)[:12])


@pytest.mark.parametrize("text", NO_STATES)
def test_a_state_of_another_version_is_refused(text):
    """So is what is no state: the file is then read again from its start."""
    with pytest.raises(ValueError):
        TOOL.load(Kept(text))
