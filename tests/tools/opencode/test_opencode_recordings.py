"""Recorded sessions, from the database to the entries: who spoke, pinned line by line."""

import json

import pytest
from opencode_rows import DATA, TOOL, names, play, read_all, recording

EXPECTED = {name: DATA / "expected" / f"{name}.txt" for name in names()}


def entries(base, name):
    """A recorded session as memd records it, a line an entry, with what the client's own list says of it."""
    for one in names():
        base.record(one)
    found = recording(name)
    lines, _ = read_all(base.path / found.id)
    parent = found.session["parent_id"]
    read = play(lines, child=parent is not None, session=found.id)
    history = (DATA / "prompt-history.jsonl").read_bytes().splitlines()
    concerned = [one for one in read.records if TOOL.concerns(one)]
    lifted = [] if parent else TOOL.lift(concerned, history if name == "screen" else [], found.id)
    told = {event.key: (event.channel, event.grade) for event in lifted}
    for one in read.records:
        channel, grade = told.get(one.key, (one.channel, one.grade))
        mark = " withdrawn" if one.withdrawn else ""
        yield f"{one.number} {channel} {grade}{mark} {json.dumps(one.text[:80])}"


@pytest.mark.parametrize("name", names())
def test_entries(base, name):
    """Every entry of a recorded session: number, channel, grade, whether it is withdrawn, how it begins."""
    assert "\n".join(entries(base, name)) + "\n" == EXPECTED[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_nothing_is_unknown(base, name):
    """All that the client writes is known."""
    base.record(name)
    assert play(read_all(base.path / recording(name).id)[0]).gaps == []
