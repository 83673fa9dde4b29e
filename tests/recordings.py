"""Recorded transcripts of a tool that writes lines, and the ways in which the tests of each such tool look at them."""

import json
import random
from functools import cache
from pathlib import Path

from entries import recorded
from hostile import VALUES, damaged, mutated
from msgspec import to_builtins

from memd.model import MEMO_CHANNELS
from memd.tail.batch import Line
from memd.tools.protocol import Identity

ROWS = 6_000
"""Damaged rows in one run; raise it (and change SEED) to search longer."""
SEED = 20261129
NO_STATES = ["{}", "[]", "null", "5", "{", "", '{"version": 1}', '{"version": 99}', '{"version":1,"x":1}']


class Recordings:
    """What lies in a folder: NAME.jsonl, NAME.expected.jsonl with what is known of its entries, and history.jsonl."""

    def __init__(self, folder):
        self.folder = Path(__file__).parent / "data" / folder

    @cache  # noqa: B019 - one for each tool, as long as the tests run
    def lines(self, name):
        """The physical lines of a recording."""
        return tuple((self.folder / f"{name}.jsonl").read_bytes().removesuffix(b"\n").split(b"\n"))

    @cache  # noqa: B019
    def names(self):
        """All recordings."""
        found = sorted(path.name.removesuffix(".jsonl") for path in self.folder.glob("*.jsonl"))
        return [name for name in found if name != "history" and not name.endswith(".expected")]

    @cache  # noqa: B019
    def rows(self):
        """Every row of every recording."""
        return [json.loads(line) for name in self.names() for line in self.lines(name)]

    def expected(self, name):
        """The entries that a recording has."""
        text = (self.folder / f"{name}.expected.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def people(self):
        """Each recording's words of a person, as they are expected."""
        expected = ((name, row) for name in self.names() for row in self.expected(name))
        return [(name, row["text"]) for name, row in expected if row["channel"].startswith("human.")]


def shown(record):
    """An entry as the expectation is written: whole where words may be a person's, else the beginning."""
    whole = record.channel in MEMO_CHANNELS or record.channel.human or record.channel == "unattributed"
    found = {"channel": str(record.channel), "grade": str(record.grade), "withdrawn": record.withdrawn}
    found |= {"undelivered": True} if record.undelivered else {}
    return found | {"text": record.text if whole else record.text[:40]}


def fed_damaged_rows(tool, session, recordings, own, renamed):
    """What thousands of damaged rows through one reader make; on the way its state is dumped and loaded.

    `own` are values that this tool's fields could be taken in by; `renamed` gives a row that was read before an id of its own,
    so that it mostly comes as another one.
    """
    rng, rows = random.Random(SEED), recordings.rows()

    def row(real):
        return json.dumps(renamed(mutated(real, rng, rows, (*VALUES, *own)), rng)).encode()

    state, events = tool.start(Identity(session)), []
    for number in range(ROWS):
        data = row(rng.choice(rows))
        state, found = tool.feed(state, Line(number * 10_000, len(data), data))
        events += found
        if number % 20 == 0:
            state = _kept(tool, state)
    state, left = tool.left(state)
    for event in (*events, *left):
        json.dumps(to_builtins(event), ensure_ascii=False).encode()
    records = recorded([*events, *left])
    tool.lift(records, [row(json.loads(line)) for line in recordings.lines("history")], session)
    return records


def _kept(tool, state):
    dumped = tool.dump(state)
    dumped.text.encode()
    state = tool.load(dumped)
    assert tool.dump(state) == dumped
    return state


def fed_damaged_bytes(tool, session, lines):
    """What a file with bytes flipped, cut and doubled makes."""
    rng, offset = random.Random(SEED), 0
    state, events = tool.start(Identity(session)), []
    for line in lines:
        data = damaged(line, rng)
        state, found = tool.feed(state, Line(offset, len(data), data))
        events += found
        offset += len(data) + 1
    tool.load(tool.dump(state))
    return recorded(events)


def feed_without_each_field(tool, session, lines):
    """Each row with each of its own fields taken away in turn, to a new reader."""
    for row in map(json.loads, lines):
        for key in row:
            data = json.dumps({other: value for other, value in row.items() if other != key}).encode()
            state, _ = tool.feed(tool.start(Identity(session)), Line(0, len(data), data))
            tool.load(tool.dump(state))
