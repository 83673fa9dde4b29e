"""What the real client wrote, read to the end: who said what."""

from collections import Counter

import pytest
from claude_rows import RECORDINGS, names, play, read, recording
from recordings import shown

from memd.model import Amend, Grade

HUMAN_WORDS = 63


@pytest.mark.parametrize("name", names())
def test_each_entry_is_told_by_its_delivery(name):
    """Channel, grade, withdrawn and text of every entry, in the order of the file."""
    assert RECORDINGS.expected(name) == [shown(record) for record in play(name).records]


@pytest.mark.parametrize("name", names())
def test_nothing_is_unknown(name):
    """An ordinary session of a known client leaves no row unread."""
    assert play(name).gaps == []


def test_a_person_is_never_made_up_and_never_missed():
    """Human precision and recall are 1.0 over all recordings, word for word."""
    wanted = Counter(RECORDINGS.people())
    found = Counter((n, record.text) for n in names() for record in play(n).human)
    assert wanted == found
    assert wanted.total() == HUMAN_WORDS


def test_reading_again_adds_nothing():
    """The keys are the rows' own: a file that is read from its start again makes the same entries."""
    for name in names():
        once = read(*recording(name))
        assert [message.key for message in once.messages] == [
            message.key for message in read(*recording(name)).messages
        ]
        assert len({message.key for message in once.messages}) == len(once.messages)


def test_the_old_client_needs_its_witness():
    """Without the prompt history nobody is a person in a transcript of 2.0.76; with it only inferred, never proved."""
    alone = read(*recording("old-2.0.76-tui"))
    assert alone.human == []
    lifted = play("old-2.0.76-tui")
    assert {record.grade for record in lifted.human} == {Grade.INFERRED}
    assert len(lifted.human) == len([event for event in lifted.events if isinstance(event, Amend) and event.channel])


def test_the_witness_changes_nothing_that_is_proved():
    """What a client of today states stands, whatever its prompt history says."""
    for name in names():
        if not name.startswith("old-") and "agent-" not in name:
            before = {entry.key: entry.channel for entry in read(*recording(name)).records}
            changed = {entry.key for entry in play(name).records if before.get(entry.key) != entry.channel}
            assert all(before[key] == "unattributed" for key in changed)
