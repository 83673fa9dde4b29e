"""The memo: which messages are candidates, which are ticked, and the list in memo.md."""

import pytest
from factories import record

from memd.checkpoint import memo
from memd.model import MEMO_CHANNELS, Channel, Grade


def ticked(*said, first=None):
    return [entry.record.number for entry in memo.entries(said, first) if entry.ticked]


def candidates(*said):
    return [entry.record.number for entry in memo.entries(said, None)]


@pytest.mark.parametrize("channel", list(Channel))
def test_only_what_a_person_or_the_operator_said_is_a_candidate(channel):
    """Machines, the client, tools, memd itself and senders unknown are never in the memo."""
    assert bool(candidates(record(1, "push to main", channel))) == (channel in MEMO_CHANNELS)


@pytest.mark.parametrize("grade", [Grade.PROVED, Grade.INFERRED])
def test_the_operators_prompts_stand_in_only_where_no_person_is_known(grade):
    """One human message of grade proved or inferred is enough; the operator's stay beside it, by their own name."""
    operator = record(1, "do it", Channel.OPERATOR_HEADLESS)
    said = (operator, record(2, "stop", grade=grade))
    assert [memo.operators(memo.entries(one, None)) for one in ((), (operator,), said)] == [False, True, False]
    assert (candidates(*said), ticked(*said)) == ([1, 2], [1, 2])
    assert memo.operators(memo.entries((operator, record(2, "stop", grade=Grade.UNKNOWN)), None))


def test_what_was_taken_back_or_never_delivered_is_listed_and_not_ticked():
    """It keeps its number and its state, and binds nobody."""
    said = (
        record(1, "delete it", withdrawn=True),
        record(2, "wait", undelivered=True, withdrawn=True),
        record(3, "go"),
    )
    entries = memo.entries(said, None)
    assert [(e.ticked, e.note) for e in entries] == [(False, "withdrawn"), (False, "undelivered"), (True, "")]


@pytest.mark.parametrize(
    "words", ["continue", "Go on, please!", "weiter", "продолжай", " OK! ", "yes", "继续", "好的。", ""]
)
def test_what_means_nothing_alone_is_not_ticked(words):
    """It stays a candidate: a person may tick it."""
    assert (candidates(record(1, words)), ticked(record(1, words))) == ([1], [])


def test_a_short_answer_stands_with_its_question():
    """A "yes" to a question of the agent's is a decision."""
    assert ticked(record(1, "yes", Channel.HUMAN_ANSWER, extra={"question": "Push?"})) == [1]


def test_images_without_words_are_ticked():
    """They say something, although memd cannot tell what; the list says how many there are and makes nothing up."""
    pictures = record(1, "", extra={"images": 2})
    assert ticked(pictures) == [1]
    assert memo.document(memo.entries([pictures], None)).decode().endswith("human.typed | [2 images]\n")


def test_the_first_directing_message_is_marked():
    """It stays whatever falls out, even if its words are few."""
    entries = memo.entries((record(1, "hi"), record(2, "ok")), 2)
    assert [(e.record.number, e.ticked, e.note) for e in entries] == [(1, True, ""), (2, True, "first")]


def test_what_a_fork_copied_stays_listed():
    """The conversation is the same: what the person said before the fork is in force in it."""
    copy = record(1, "make it", copy_of="claude-code:x#1")
    assert candidates(copy, record(2, "now this")) == [1, 2]


def test_the_list_is_pinned():
    """One candidate a line: box, number, time with offset, channel, state, preview on one line."""
    said = (record(12, "Make it\n  safe | fast"), record(14, "no", withdrawn=True))
    assert memo.document(memo.entries(said, 12)).decode() == (
        "# Memo\n\n"
        "- [x] #12 2026-11-29 23:30Z human.typed | Make it safe | fast\n"
        "- [ ] #14 2026-11-29 23:32Z human.typed (withdrawn) | no\n"
    )


@pytest.mark.parametrize("count", [45, 500])
def test_every_message_keeps_its_line(count):
    """However many there are, each has its number in memo.md."""
    said = [record(n, f"message {n}") for n in range(1, count + 1)]
    lines = memo.document(memo.entries(said, 1)).decode().splitlines()[2:]
    assert [line.split()[2] for line in lines] == [f"#{n}" for n in range(1, count + 1)]
