"""The prompt history as second witness: it lifts what nothing attributes, and only to inferred."""

import json

import pytest
from codex_rows import THREAD, TOOL, begin, item, meta, old, read, said
from entries import recorded

from memd.model import Grade

AT = 1_795_993_140  # 2026-11-29T22:59:00Z, the rows' own time
HEADER = {"id": THREAD, "timestamp": "2025-08-08T10:39:10Z", "instructions": None}


def typed(text, ts=AT, session=THREAD):
    return json.dumps({"session_id": session, "ts": ts, "text": text}).encode()


def lifted(found, *history):
    """Channel and grade of each entry once the history was asked."""
    concerned = [record for record in found.records if TOOL.concerns(record)]
    amended = recorded([*found.events, *TOOL.lift(concerned, history, THREAD)])
    return [(str(record.channel), str(record.grade)) for record in amended]


def bare(text):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


UNKNOWN = [("unattributed", "unknown")]
TYPED = [("human.typed", "inferred")]


def test_a_bare_item_of_2025():
    """It has no time; session and words are the witness."""
    assert lifted(read(HEADER, bare("do it")), typed("do it", ts=1_754_649_550)) == TYPED
    assert lifted(read(HEADER, bare("do it"))) == UNKNOWN


@pytest.mark.parametrize(
    "line",
    [
        typed("do it", session="other"),
        typed("do it now"),
        typed("do it", ts=AT - 3_600),
        typed("do it", ts="x"),
        typed(["do it"]),
        b"not json " + THREAD.encode(),
        b"[]",
    ],
)
def test_another_line_says_nothing(line):
    """Another session's, other words, another hour, and what is no line."""
    assert lifted(read(meta(), item("do it", kind=None)), line) == UNKNOWN


def test_each_line_is_used_once():
    """Words that came twice and were typed once."""
    found = read(HEADER, bare("yes"), bare("yes"))
    assert sorted(lifted(found, typed("yes"))) == sorted([*UNKNOWN, *TYPED])
    assert lifted(found, typed("yes"), typed("yes")) == [*TYPED, *TYPED]


def test_a_shell_command():
    """In the history it begins with `!`; in an old item it stands in the client's tags."""
    text = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nx\n</result>\n</user_shell_command>"
    assert lifted(read(HEADER, bare(text)), typed("!ls")) == [("human.shell", "inferred")]


def test_what_is_told_stays():
    """A queue's, another program's and the parent agent's words are not asked about, whatever was typed."""
    for rows in [(begin("queue"), *said("do it")), (begin("exec"), *said("do it"))]:
        before = [(str(record.channel), str(record.grade)) for record in read(meta(), *rows).records]
        assert lifted(read(meta(), *rows), typed("do it")) == before
    child = read(meta(source={"subagent": "review"}), begin(), *said("do it"))
    assert lifted(child, typed("do it")) == [("background.peer", "proved")]


def test_what_an_old_event_vouched_for_uses_its_line_up():
    """The same words without an event are not the person's then."""
    rows = (*old("yes"), item("yes", kind=None, ident="m9"))
    found = read(meta(), *rows)
    assert [record.grade for record in found.records] == [Grade.INFERRED, Grade.UNKNOWN]
    assert lifted(found, typed("yes")) == [*TYPED, *UNKNOWN]
