"""Real rows with anything in any field: never an error, and what comes of them can be stored."""

import copy
import json
import random
from dataclasses import asdict

import pytest
from codex_rows import THREAD, TOOL, names, real_rows, recorded, recording

from memd.tail.batch import Line
from memd.tools.protocol import Identity

ROWS = 6_000
"""Mutated rows in one run; raise it (and change SEED) to search longer."""
SEED = 20261129

VALUES = [
    None,
    True,
    False,
    0,
    -1,
    3,
    1 << 63,
    1 << 200,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "text",
    "\0",
    "\ud83d",
    "😀" * 50,
    "x" * 5_000,
    "<environment_context>",
    "<user_shell_command></user_shell_command>",
    "*** Begin Patch\n*** Add File: x",
    "2026-13-45T99:99:99Z",
    "9999-12-31T23:59:59-23:59",
    [],
    {},
    [[]],
    [None],
    ["text"],
    [{}],
    [{"type": "text"}],
    [{"type": "input_text", "text": 5}],
    ["user.text", None, 5],
    [{"provenance": []}],
    '{"plan": [5], "questions": [{}], "session_id": 1e9}',
    "[" * 2_000,
    {"a": {"b": []}},
    {"turn_trigger": []},
    {"answers": {"q": {"answers": [5]}}},
]


def spots(value, path=()):
    """Every place in a row."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from spots(inner, (*path, key))


def mutated(row, rng, others):
    """A row with one to three of its places replaced, removed or doubled under another name."""
    row = copy.deepcopy(row)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice([path for path in spots(row) if path] or [("type",)])
        holder = row
        for key in path[:-1]:
            holder = holder[key]
        match rng.randrange(4):
            case 0 if isinstance(holder, dict):
                holder.pop(path[-1], None)
            case 1:
                other = rng.choice(others)
                holder[path[-1]] = copy.deepcopy(rng.choice(list(other.values())))
            case _:
                holder[path[-1]] = copy.deepcopy(rng.choice(VALUES))
    if isinstance(row.get("payload"), dict) and isinstance(row["payload"].get("id"), str) and rng.random() < 0.9:
        row["payload"]["id"] += str(rng.random())
    return row


def test_any_value_in_any_field():
    """Thousands of damaged rows through one reader: its state is dumped and loaded all the time, every text can be stored."""
    rng, rows = random.Random(SEED), real_rows()
    state, events = TOOL.start(Identity(THREAD)), []
    for number in range(ROWS):
        data = json.dumps(mutated(rng.choice(rows), rng, rows)).encode()
        state, found = TOOL.feed(state, Line(number * 10_000, len(data), data))
        events += found
        if number % 20 == 0:
            dumped = TOOL.dump(state)
            state = TOOL.load(dumped)
            assert TOOL.dump(state) == dumped
            dumped.encode()
    state, left = TOOL.left(state)
    for event in (*events, *left):
        json.dumps(asdict(event), ensure_ascii=False).encode()
    records = recorded([*events, *left])
    history = [json.dumps(mutated(json.loads(line), rng, rows)).encode() for line in recording("history")]
    assert len(records) > ROWS / 6
    TOOL.lift(records, history, THREAD)


@pytest.mark.parametrize("name", ["screen-daemon", "exec-compactions", "legacy"])
def test_damaged_bytes(name):
    """Bytes flipped, cut and doubled in whole files: never an error, and most of the entries are still there."""
    rng, lines = random.Random(SEED), recording(name)
    state, events, offset = TOOL.start(Identity(THREAD)), [], 0
    for line in lines:
        data = bytearray(line)
        if rng.random() < 0.3:
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(4)] = rng.choice([b"", b"\0", b"\xff", b'"', b"{", b"}" * 3, data[: at // 2]])
        state, found = TOOL.feed(state, Line(offset, len(data), bytes(data)))
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
            state, _ = TOOL.feed(TOOL.start(Identity(THREAD)), Line(0, len(data), data))
            TOOL.load(TOOL.dump(state))


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", "5", "{", "", '{"version": 1}', '{"version": 99}', '{"version":1,"x":1}']
)
def test_a_state_of_another_version_is_refused(text):
    """So is what is no state: the file is then read again from its start."""
    with pytest.raises(ValueError):
        TOOL.load(text)
