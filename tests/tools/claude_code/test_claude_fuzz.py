"""Real rows with anything in any field: never an error, and what comes of them can be stored."""

import pytest
from claude_rows import RECORDINGS, SESSION, TOOL, names, recording
from recordings import NO_STATES, ROWS, fed_damaged_bytes, fed_damaged_rows, feed_without_each_field

from memd.tools.places import Kept

OWN = (
    "<command-name>/x</command-name>",
    "<task-notification>",
    [{"type": "tool_result"}],
    [{"type": "tool_use", "id": "x", "name": "TodoWrite", "input": {"todos": 5}}],
    {"kind": []},
    {"answers": {"q": {}}},
)


def renamed(row, rng):
    if isinstance(row.get("uuid"), str) and rng.random() < 0.9:
        row["uuid"] += str(rng.random())
    return row


def test_any_value_in_any_field():
    """Thousands of damaged rows through one reader: its state is dumped and loaded all the time, every text can be stored."""
    assert len(fed_damaged_rows(TOOL, SESSION, RECORDINGS, OWN, renamed)) > ROWS / 3


@pytest.mark.parametrize("name", ["tui-full", "tui-sched-interrupt-rewind-ask", "old-2.0.76-tui"])
def test_damaged_bytes(name):
    """Bytes flipped, cut and doubled in whole files: never an error, and most of the entries are still there."""
    assert len(fed_damaged_bytes(TOOL, SESSION, recording(name))) > 5


@pytest.mark.parametrize("name", names())
def test_no_field_is_needed(name):
    """Each row with each of its own fields taken away in turn."""
    feed_without_each_field(TOOL, SESSION, recording(name)[:12])


@pytest.mark.parametrize("text", NO_STATES)
def test_a_state_of_another_version_is_refused(text):
    """So is what is no state: the file is then read again from its start."""
    with pytest.raises(ValueError):
        TOOL.load(Kept(text))
