"""What the real client wrote, read to the end: who said what."""

from collections import Counter

import pytest
from codex_rows import RECORDINGS, THREAD, identity, names, play, read, recording
from recordings import shown

from memd.tools.protocol import Identity

HUMAN_WORDS = 48


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
    """The keys are the items' own: a file that is read from its start again makes the same entries, each once."""
    for name in names():
        once, again = (read(*recording(name)) for _ in range(2))
        assert [record.key for record in once.records] == [record.key for record in again.records]
        assert len(once.records) == len({record.key for record in once.records})


@pytest.mark.parametrize("name", names())
def test_the_witness_changes_nothing_that_is_told(name):
    """What the client's own rows say stands, whatever its prompt history says."""
    own = identity(name) or Identity(THREAD)
    alone = read(*recording(name), child=own.parent is not None, thread=own.native)
    before = {entry.key: entry.channel for entry in alone.records}
    changed = {entry.key for entry in play(name).records if before.get(entry.key) != entry.channel}
    assert all(before[key] == "unattributed" for key in changed)
