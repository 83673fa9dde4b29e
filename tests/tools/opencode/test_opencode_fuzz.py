"""Rows of any shape: never an exception, never a person's word out of nothing, never an entry twice."""

import json

from hypothesis import given
from hypothesis import strategies as st
from opencode_rows import MADE, SESSION, TOOL, names, play, recording

from memd.model import Message
from memd.tail.batch import Line
from memd.tools.opencode import state

SCALARS = st.sampled_from(
    ["", "x", "m1", "user", "assistant", "text", "tool", 0, -1, 1.5, 1 << 70, True, False, None, "\ud800"]
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS.map(str), inner, max_size=3)
)


def real():
    return [{"type": kind, "data": data} for name in names() for _, _, kind, data in recording(name).event]


ROWS = real()
KEYS = sorted(
    {key for one in ROWS for table in (one["data"], *one["data"].values()) if isinstance(table, dict) for key in table}
)


@st.composite
def rows(draw):
    """Real rows in any order, with values of any kind in any place, and rows of no shape at all."""
    made = []
    for one in draw(st.lists(st.sampled_from(ROWS), max_size=12)):
        copy = json.loads(json.dumps(one))
        for _ in range(draw(st.integers(0, 2))):
            table = draw(
                st.sampled_from([copy, copy["data"], *[t for t in copy["data"].values() if isinstance(t, dict)]])
            )
            table[draw(st.sampled_from(KEYS))] = draw(VALUES)
            if not isinstance(copy.get("data"), dict):
                break
        made.append(copy)
    notes = st.fixed_dictionaries({"type": st.just("note"), "data": VALUES})
    return [*made, *draw(st.lists(st.one_of(VALUES, notes), max_size=3))]


@given(rows())
def test_any_rows(given_rows):
    """Wrong types everywhere: gaps at worst; the state survives being kept."""
    lines = [Line(n, 1, json.dumps(one).encode("utf-8", "surrogatepass")) for n, one in enumerate(given_rows)]
    read = play(lines)
    assert TOOL.load(TOOL.dump(read.state)) == state.load(state.dump(read.state))


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes(blobs):
    """No JSON at all."""
    assert play([Line(n, 1, blob) for n, blob in enumerate(blobs)]).records == []


@given(st.sampled_from(names()), st.data())
def test_read_again_from_anywhere(name, data):
    """Rows that come a second time, from any place on, make no entry that was not made before, and change no number."""
    found = recording(name)
    lines = [
        Line(seq, 1, json.dumps({"seq": seq, "type": kind, "data": value}).encode())
        for _, seq, kind, value in found.event
    ]
    start = data.draw(st.integers(0, len(lines)))
    once, twice = play(lines), play([*lines, *lines[start:]])
    assert [(one.number, one.key, one.text) for one in twice.records] == [
        (one.number, one.key, one.text) for one in once.records
    ]


@given(st.lists(st.sampled_from(["synthetic", "ignored"]), min_size=1, unique=True), st.text(max_size=40))
def test_no_words_promote(marks, words):
    """Whatever a marked text says, it is not a person's."""
    part = {"id": "p1", "messageID": "m1", "type": "text", "text": words, **dict.fromkeys(marks, True)}
    info = {"id": "m1", "role": "user", "time": {"created": MADE}}
    made = [
        {"type": "note", "data": {"type": "message", "message_id": "m1", "kind": "tui", "parts": ["p1"]}},
        {"type": "message.updated.1", "data": {"sessionID": SESSION, "info": info}},
        {"type": "message.part.updated.1", "data": {"part": part}},
    ]
    read = play([Line(n, 1, json.dumps(one).encode()) for n, one in enumerate(made)])
    assert not any(event.channel.human for event in read.events if isinstance(event, Message))
