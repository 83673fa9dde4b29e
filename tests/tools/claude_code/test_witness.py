"""The client's prompt history as second witness: it may lift what nothing attributes, once, near in time, in its session."""

import json

import pytest
from claude_rows import SESSION, TOOL, agent, plain, queue, read, typed
from entries import recorded

AT = 1795993640000


def line(text, at=AT, session=SESSION, **more):
    return json.dumps(
        {"display": text, "timestamp": at, "project": "/home/dev/w", "sessionId": session, **more}
    ).encode()


def said(text, at=AT, **given):
    return plain(text, timestamp=at, **given)


def lifted(rows, *lines):
    """Channel and grade of each entry after the witness has spoken."""
    done = read(*rows)
    events = TOOL.lift([record for record in done.records if TOOL.concerns(record)], lines, SESSION)
    return [(str(e.channel), str(e.grade)) for e in recorded([*done.events, *events])]


UNKNOWN, TYPED = ("unattributed", "unknown"), ("human.typed", "inferred")


def test_the_same_words_at_the_same_time():
    """A prompt that the history has is a person's, inferred."""
    assert lifted([said("do it")], line("do it")) == [TYPED]
    assert lifted([said("do it")], line(" do it \n")) == [TYPED]


@pytest.mark.parametrize(
    "other",
    [
        line("do that"),
        line("do it", session="other"),
        line("do it", at=AT + 31_000),
        line("do it", at=AT - 31_000),
        line("do it", at="never"),
        line("", pastedContents={}),
        line(["do it"]),
        b"{",
        b'["' + SESSION.encode() + b'"]',
        b"\xff\0" + SESSION.encode(),
        b"[" * 100_000 + SESSION.encode(),
    ],
)
def test_anything_else_proves_nothing(other):
    """Other words, another session, another time, or no line at all: it stays unattributed."""
    assert lifted([said("do it")], other) == [UNKNOWN]


def test_a_line_is_used_once():
    """Two rows with the same words and one line: one of them is the person's."""
    rows = [said("yes"), said("yes", at=AT + 1_000)]
    assert lifted(rows, line("yes")) == [TYPED, UNKNOWN]
    assert lifted(rows, line("yes"), line("yes", at=AT + 900)) == [TYPED, TYPED]


def test_a_line_belongs_to_the_nearest_entry():
    """The same words of unknown origin seconds before or after do not take it away from the row that it was written for."""
    rows = [said("go on"), said("go on", at=AT + 9_000), said("go on", at=AT + 20_000)]
    assert lifted(rows, line("go on", at=AT + 8_900)) == [UNKNOWN, TYPED, UNKNOWN]
    assert lifted(rows, line("go on", at=AT + 9_100), line("go on", at=AT + 20_100)) == [UNKNOWN, TYPED, TYPED]


def test_a_line_of_what_the_queue_delivered_is_used_up():
    """Words that were typed into the queue have their line; the same words of another row do not get it."""
    queued = [queue("enqueue", "yes", timestamp=AT), queue("dequeue", timestamp=AT), said("yes")]
    assert lifted([*queued, said("yes", at=AT + 5_000)], line("yes")) == [UNKNOWN, UNKNOWN]


def test_a_line_is_used_once_over_many_reads():
    """An entry that was lifted before uses its line up again, so that the next one does not get it."""
    rows = [said("yes"), said("yes", at=AT + 1_000)]
    done = read(*rows)
    events = [*done.events, *TOOL.lift(done.records, [line("yes")], SESSION)]
    records = recorded(events)
    assert [record for record in records if TOOL.concerns(record)] == records
    assert TOOL.lift(records, [line("yes")], SESSION) == []


def test_not_where_a_queue_delivered_it():
    """A machine may have queued the same words: what came out of the queue as a turn stays unattributed."""
    rows = [queue("enqueue", "yes", timestamp=AT), queue("dequeue", timestamp=AT), said("yes")]
    assert lifted(rows, line("yes")) == [UNKNOWN]


def test_a_tag_is_not_outweighed():
    """What a machine's tag demotes is not lifted by the same words in the history."""
    text = "<task-notification>done</task-notification>"
    assert lifted([said(text)], line(text)) == [("background.notification", "inferred")]


def test_commands_and_shell_lines_as_they_were_typed():
    """The history has them with their slash or exclamation mark, the rows in tags."""
    command = "<command-name>/review</command-name><command-args>the diff</command-args>"
    assert lifted([said(command)], line("/review the diff")) == [("human.command", "inferred")]
    assert lifted([said("<bash-input>ls</bash-input>")], line("!ls")) == [("human.shell", "inferred")]


def test_pasted_text_is_put_back():
    """The history has a placeholder for it, and the text beside; a paste that it does not have stays a placeholder."""
    pasted = {"1": {"id": 1, "type": "text", "content": "many\nlines"}}
    assert lifted([said("see many\nlines")], line("see [Pasted text #1 +2 lines]", pastedContents=pasted)) == [TYPED]
    assert lifted([said("see many")], line("see [Pasted text #1]", pastedContents={"1": 5})) == [UNKNOWN]


def test_a_long_paste_is_known_by_its_lines():
    """The history keeps a long paste elsewhere: the words around it and its number of line ends tell."""
    elsewhere = {"1": {"id": 1, "type": "text", "contentHash": "3af0d2d795bf894c"}}
    typed_line = line("see [Pasted text #1 +2 lines] (of today)", pastedContents=elsewhere)
    assert lifted([said("see a\nb\nc (of today)")], typed_line) == [TYPED]
    assert lifted([said("see a\nb\nc\nd (of today)")], typed_line) == [UNKNOWN]
    assert lifted([said("see a\nb\nc (of yesterday)")], typed_line) == [UNKNOWN]
    assert lifted([said("a\nb"), said("c\nd")], line("[Pasted text #2 +1 lines]")) == [TYPED, UNKNOWN]


def test_words_beside_a_tool_result_of_an_old_client():
    """Typed while a tool ran, delivered in its row, and in the history."""
    row = said([{"type": "tool_result", "tool_use_id": "t", "content": "out"}, {"type": "text", "text": "and this"}])
    assert lifted([row], line("and this")) == [("tool.result", "proved"), ("human.steered", "inferred")]
    assert lifted([row, said("and this")], line("and this"))[1:] == [("human.steered", "inferred"), UNKNOWN]


def test_what_is_stated_needs_no_witness():
    """Proved words, an agent's and a machine's do not concern it."""
    done = read(typed("a"), agent("b"), plain("c", origin={"kind": "peer"}))
    assert [record for record in done.records if TOOL.concerns(record)] == []
