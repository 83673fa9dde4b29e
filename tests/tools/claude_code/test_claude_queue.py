"""What was typed while the agent worked: every way out of the client's queue."""

import json

import pytest
from claude_rows import ABSENT, TOOL, agent, attachment, plain, queue, read, system, typed
from entries import recorded

from memd.tail.lines import Line

NOTE = "<task-notification><task-id>a</task-id></task-notification>"


def told(done):
    return told_of(done.events)


def told_of(events):
    return [(str(entry.channel), entry.text, entry.undelivered) for entry in recorded(events)]


def steered(text):
    what = {"type": "queued_command", "prompt": text, "commandMode": "prompt", "humanTurn": True}
    return attachment({**what, "origin": {"kind": "human"}})


def test_run_as_a_turn_of_its_own():
    """It is delivered once, by its user row."""
    row = typed("next", promptSource="queued")
    assert told(read(queue("enqueue", "next"), queue("dequeue"), row, left=True)) == [("human.queued", "next", False)]


def test_taken_into_the_running_turn():
    """It is delivered once, by the attachment; there is no user row."""
    rows = queue("enqueue", "also"), queue("remove", "also", reason="absorbed_mid_turn"), steered("also")
    assert told(read(*rows, left=True)) == [("human.steered", "also", False)]


def test_an_older_client_leaves_only_the_removal():
    """Before the client stated origins, a removal was the taking in: the words are kept as delivered."""
    rows = plain("hi"), queue("enqueue", "and this"), queue("remove")
    assert told(read(*rows, left=True))[1:] == [("unattributed", "and this", False)]
    assert read(*rows).records[1].extra["queue"] is True


def test_taken_back_with_popall():
    """Everything that waited is kept, as undelivered."""
    rows = typed("hi"), queue("enqueue", "one"), queue("enqueue", "two"), queue("popAll", "one\ntwo")
    assert told(read(*rows, left=True))[1:] == [("unattributed", "one", True), ("unattributed", "two", True)]


def test_stop_that_was_typed_and_never_delivered_is_kept():
    """Three times typed and removed: three entries that never reached the agent."""
    rows = [typed("go"), *[queue("enqueue", "stop") for _ in range(3)], *[queue("remove", "stop") for _ in range(3)]]
    assert told(read(*rows, left=True))[1:] == [("unattributed", "stop", True)] * 3


def test_what_waits_when_the_session_ends_was_not_delivered():
    """Words typed during a compaction and then lost are kept, marked; a waiting notification is nobody's words."""
    rows = [typed("go"), queue("enqueue", "mind the tests"), queue("enqueue", NOTE), system("compact_boundary")]
    assert told(read(*rows))[1:] == []
    assert told(read(*rows, left=True))[1:] == [("unattributed", "mind the tests", True)]


@pytest.mark.parametrize("gone", [queue("dequeue"), queue("remove", "mind the tests", reason="absorbed_mid_turn")])
def test_what_left_the_queue_and_never_came_was_not_delivered(gone):
    """The client died between the two rows: the words are kept, and become the delivered ones should they come yet."""
    rows = [typed("go"), queue("enqueue", "mind the tests"), gone]
    assert told(read(*rows))[1:] == []
    lost = read(*rows, left=True)
    assert told(lost)[1:] == [("unattributed", "mind the tests", True)]
    _, found = TOOL.feed(lost.state, _line(typed("mind the tests", promptSource="queued"), 1000))
    assert told_of([*lost.events, *found])[1:] == [("human.queued", "mind the tests", False)]


def test_what_the_client_wrapped_on_the_way_in_has_come():
    """A host's synthetic input is queued in its words and delivered as the client's text around them."""
    wrapped = typed("[NOT USER INPUT]\nlook here", origin={"kind": "unclassified"}, promptSource="system", isMeta=True)
    done = read(typed("go"), queue("enqueue", "look here"), queue("dequeue"), wrapped, left=True)
    assert [channel for channel, _, _ in told(done)] == ["human.typed", "harness.meta"]


def test_what_was_joined_into_one_prompt_has_come():
    """Two waited, one row holds both; the same words twice are two."""
    waits = [queue("enqueue", text) for text in ("first", "and second")]
    joined = typed("first\nand second", promptSource="queued")
    done = read(typed("go"), *waits, queue("dequeue"), queue("dequeue"), joined, left=True)
    assert told(done)[1:] == [("human.queued", "first\nand second", False)]
    twice = [queue("enqueue", "go"), queue("enqueue", "go"), queue("dequeue"), queue("dequeue")]
    done = read(typed("go"), *twice, typed("go", promptSource="queued"), left=True)
    assert told(done)[1:] == [("human.queued", "go", False), ("unattributed", "go", True)]


def test_a_command_that_left_the_queue_was_run():
    """Its row has other words, or none: it is not thought lost, and keeps nothing that comes behind it from arriving."""
    clear = typed("<command-name>/model</command-name>", origin={}, rowSource="local", promptSource=ABSENT)
    rows = [typed("go"), queue("enqueue", "/model"), queue("enqueue", "next"), queue("dequeue"), clear]
    done = read(*rows, queue("dequeue"), typed("next", promptSource="queued"), left=True)
    assert [entry for entry in told(done) if entry[0] != "harness.meta"][1:] == [("human.queued", "next", False)]


@pytest.mark.parametrize("stale", ["mind the tests", None, NOTE])
@pytest.mark.parametrize("closed", [True, False])
def test_what_a_client_that_died_left_in_the_queue_takes_nobodys_place(stale, closed):
    """The next client's words are told once, as delivered; what the dead one never delivered stays what it is."""
    before = read(typed("go"), queue("enqueue", stale), left=closed)
    rows = [queue("enqueue", "next"), queue("dequeue"), typed("next", promptSource="queued"), agent("ok")]
    rows += [queue("enqueue", "more"), queue("dequeue"), typed("more", promptSource="queued")]
    events, state = list(before.events), before.state
    for number, row in enumerate(rows):
        state, found = TOOL.feed(state, _line(row, 1000 + number))
        events += found
    entries = told_of([*events, *TOOL.left(state)[1]])
    assert [entry for entry in entries if entry[0].startswith("human")][1:] == [
        ("human.queued", "next", False),
        ("human.queued", "more", False),
    ]
    lost = [("unattributed", stale, True)] if stale == "mind the tests" else []
    assert [entry for entry in entries if entry[2]] == lost


def test_taken_in_after_the_end_was_thought_to_be_there():
    """An older client's removal that comes after the session was closed turns the lost entry into a delivered one."""
    before = read(plain("hi"), queue("enqueue", "one"), left=True)
    assert told(before)[1:] == [("unattributed", "one", True)]
    _, found = TOOL.feed(before.state, _line(queue("remove"), 1000))
    assert told_of([*before.events, *found])[1:] == [("unattributed", "one", False)]


def test_late_is_not_lost():
    """The row comes after all: the entry that was thought lost becomes the delivered one, with its number."""
    before = [typed("go"), queue("enqueue", "late")]
    state_then = read(*before, left=True)
    assert told(state_then)[1:] == [("unattributed", "late", True)]

    events, state = list(state_then.events), state_then.state
    for number, row in enumerate([queue("dequeue"), typed("late", promptSource="queued"), agent("ok")]):
        state, found = TOOL.feed(state, _line(row, 1000 + number))
        events += found
    _, found = TOOL.left(state)
    entries = recorded([*events, *found])
    assert [(str(e.channel), e.text, e.undelivered) for e in entries] == [
        ("human.typed", "go", False),
        ("human.queued", "late", False),
        ("agent.text", "ok", False),
    ]


def _line(row, offset):

    data = json.dumps(row).encode()
    return Line(offset, len(data), data)


def test_left_says_it_once():
    """Asked again at the end, nothing is told twice."""
    done = read(typed("go"), queue("enqueue", "x"), left=True)
    assert TOOL.left(TOOL.load(TOOL.dump(done.state)))[1] == ()


@pytest.mark.parametrize("text", [NOTE, "<bash-notification>x", json.dumps({"task_id": "b1", "status": "completed"})])
def test_machines_in_the_queue_stay_machines(text):
    """A finished job that an older client removed is a notification; one that nobody took is no lost message."""
    assert told(read(plain("hi"), queue("enqueue", text), queue("remove")))[1:] == [
        ("background.notification", text, False)
    ]
    assert told(read(plain("hi"), queue("enqueue", text), left=True))[1:] == []
    assert told(read(plain("hi"), queue("enqueue", text), queue("popAll")))[1:] == []


def test_words_that_only_begin_like_a_job_are_words():
    """Broken JSON is what somebody typed."""
    text = '{"task_id": what does this mean?'
    assert told(read(plain("hi"), queue("enqueue", text), queue("remove")))[1:] == [("unattributed", text, False)]


def test_the_removed_one_is_found_by_its_text():
    """Where the row names what leaves, the others keep waiting, in their order."""
    rows = [plain("hi"), *[queue("enqueue", text) for text in "abc"], queue("remove", "b"), queue("remove")]
    assert [text for _, text, _ in told(read(*rows))] == ["hi", "b", "a"]


def test_a_queue_that_nobody_empties_is_bounded():
    """A thousand waiting entries do not grow the state without end; unknown operations and types change nothing."""
    rows = [queue("enqueue", "x" * 50) for _ in range(1_000)]
    done = read(*rows, queue("shuffle"), queue("dequeue", 7), queue("remove", []), queue("enqueue", None))
    assert len(TOOL.dump(done.state).text) < 60_000


def test_two_on_one_line_are_two():
    """A lost newline between two rows of the queue, which have no ids, loses neither."""
    data = b"".join(json.dumps(queue("enqueue", text)).encode() for text in ("one", "two"))
    assert [text for _, text, _ in told(read(data, left=True))] == ["one", "two"]
