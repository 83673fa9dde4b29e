"""Real rows with anything in any field: never an error, and what comes of them can be stored."""

import json
import random

import pytest
from claude_rows import SESSION, TOOL, names, real_rows, recording
from entries import recorded
from hostile import VALUES, damaged, mutated
from msgspec import to_builtins

from memd.tail.lines import Line
from memd.tools.places import Kept
from memd.tools.protocol import Identity

ROWS = 6_000
"""Mutated rows in one run; raise it (and change SEED) to search longer."""
SEED = 20261129

OWN = (
    "<command-name>/x</command-name>",
    "<task-notification>",
    [{"type": "tool_result"}],
    [{"type": "tool_use", "id": "x", "name": "TodoWrite", "input": {"todos": 5}}],
    {"kind": []},
    {"answers": {"q": {}}},
)


def damaged_row(row, rng, others):
    """A row that was read before mostly comes as another one: under an id of its own."""
    row = mutated(row, rng, others, (*VALUES, *OWN))
    if isinstance(row.get("uuid"), str) and rng.random() < 0.9:
        row["uuid"] += str(rng.random())
    return row


def test_any_value_in_any_field():
    """Thousands of damaged rows through one reader: its state is dumped and loaded all the time, every text can be stored."""
    rng, rows = random.Random(SEED), real_rows()
    state, events = TOOL.start(Identity(SESSION)), []
    for number in range(ROWS):
        data = json.dumps(damaged_row(rng.choice(rows), rng, rows)).encode()
        state, found = TOOL.feed(state, Line(number * 10_000, len(data), data))
        events += found
        if number % 20 == 0:
            dumped = TOOL.dump(state)
            state = TOOL.load(dumped)
            assert TOOL.dump(state) == dumped
            dumped.text.encode()
    state, left = TOOL.left(state)
    for event in (*events, *left):
        json.dumps(to_builtins(event), ensure_ascii=False).encode()
    records = recorded([*events, *left])
    history = [json.dumps(damaged_row(json.loads(line), rng, rows)).encode() for line in recording("history")]
    assert len(records) > ROWS / 3
    TOOL.lift(records, history, SESSION)


@pytest.mark.parametrize("name", ["tui-full", "tui-sched-interrupt-rewind-ask", "old-2.0.76-tui"])
def test_damaged_bytes(name):
    """Bytes flipped, cut and doubled in whole files: never an error, and most of the entries are still there."""
    rng, lines = random.Random(SEED), recording(name)
    state, events, offset = TOOL.start(Identity(SESSION)), [], 0
    for line in lines:
        data = damaged(line, rng)
        state, found = TOOL.feed(state, Line(offset, len(data), data))
        events += found
        offset += len(data) + 1
    TOOL.load(TOOL.dump(state))
    assert len(recorded(events)) > 5


@pytest.mark.parametrize("name", names())
def test_no_field_is_needed(name):
    """Each row with each of its own fields taken away in turn."""
    for line in recording(name)[:12]:
        row = json.loads(line)
        for key in row:
            data = json.dumps({other: value for other, value in row.items() if other != key}).encode()
            state, _ = TOOL.feed(TOOL.start(Identity(SESSION)), Line(0, len(data), data))
            TOOL.load(TOOL.dump(state))


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", "5", "{", "", '{"version": 1}', '{"version": 99}', '{"version":1,"x":1}']
)
def test_a_state_of_another_version_is_refused(text):
    """So is what is no state: the file is then read again from its start."""
    with pytest.raises(ValueError):
        TOOL.load(Kept(text))
