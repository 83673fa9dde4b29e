"""Checkpoints: the row makes a number current."""

import pytest

from memd.errors import NotFound, Refused
from memd.model import Checkpoint, Parts, Problem, TokenCounts
from memd.store import Seed

from .builders import ONE, TWO, checkpoint, commit, message


@pytest.fixture
def recorded(store):
    commit(store, message("a"))
    commit(store, message("b"), seed=TWO)
    return store


def add(store, *writers, first=1):
    for number, writer in enumerate(writers, first):
        store.checkpoints.add(checkpoint(number, writer=writer), f"digest {number}")


def give(store, number, session=ONE.session, **fields):
    store.deliveries.give(session, number, f"GIVE{number:02}", 1, "SessionStart", 1, compactions=1, **fields)


def test_a_checkpoint_comes_back_whole(recorded):
    """Texts, counts and problems are kept with the row, so that damaged files can be repaired from it."""
    given = Checkpoint(
        ONE.session,
        1,
        5,
        "agent",
        "threshold",
        1,
        "ABC123",
        Parts("# Where I am\n中\x00", b"- [x] #1", "## Current step"),
        TokenCounts(1, 2, 3, 6),
        (Problem("scene", "no block", "extractive"), Problem("mind", "cap", "previous")),
    )
    recorded.checkpoints.add(given, "digest")
    assert given == recorded.checkpoints.current(ONE.session) == recorded.checkpoints.get(ONE.session, 1)


def test_the_newest_is_current(recorded):
    """The digest is that of the current one; earlier numbers can still be read."""
    add(recorded, "extractive", "agent", "extractive")
    assert recorded.checkpoints.current(ONE.session).number == 3
    assert recorded.checkpoints.digest(ONE.session) == "digest 3"
    assert recorded.checkpoints.upto(ONE.session) == recorded.checkpoints.current(ONE.session).upto
    assert recorded.checkpoints.get(ONE.session, 2).writer == "agent"
    assert recorded.checkpoints.numbers(ONE.session) == [1, 2, 3]


def test_a_session_without_one(recorded):
    """Nothing is there, and that is no error."""
    assert recorded.checkpoints.current(ONE.session) is None
    assert recorded.checkpoints.get(ONE.session, 1) is None
    assert recorded.checkpoints.digest(ONE.session) is None
    assert recorded.checkpoints.upto(ONE.session) is None
    assert recorded.checkpoints.numbers(ONE.session) == []
    assert recorded.checkpoints.prune(ONE.session) == []


@pytest.mark.parametrize("number", [0, 1, 3])
def test_numbers_follow_one_another(recorded, number):
    """A number that is not the next is refused and changes nothing: somebody else was quicker."""
    add(recorded, "extractive")
    with pytest.raises(Refused, match="does not follow 1"):
        recorded.checkpoints.add(checkpoint(number), "other")
    assert (recorded.checkpoints.numbers(ONE.session), recorded.checkpoints.digest(ONE.session)) == ([1], "digest 1")


def test_each_session_counts_for_itself(recorded):
    """Another session begins at 1; one that is not recorded has none."""
    add(recorded, "extractive", "extractive")
    recorded.checkpoints.add(checkpoint(1, session=TWO.session), "d")
    assert recorded.checkpoints.numbers(TWO.session) == [1]
    with pytest.raises(NotFound, match="codex:nobody"):
        recorded.checkpoints.add(checkpoint(1, session="codex:nobody"), "d")


def test_history_keeps_what_was_given_or_written_by_a_model(recorded):
    """Of the others the last `keep` stay, the current one among them."""
    add(recorded, "extractive", "agent", *["extractive"] * 6)
    give(recorded, 3)
    assert recorded.checkpoints.prune(ONE.session, keep=3) == [1, 4, 5]
    assert recorded.checkpoints.numbers(ONE.session) == [2, 3, 6, 7, 8]
    assert recorded.checkpoints.prune(ONE.session, keep=3) == []


def test_ten_are_kept_by_default(recorded):
    """The last ten others stay."""
    add(recorded, *["extractive"] * 14)
    assert recorded.checkpoints.prune(ONE.session) == [1, 2, 3, 4]


def test_the_current_one_is_never_dropped(recorded):
    """Its number cannot be used again."""
    add(recorded, "extractive", "extractive")
    assert recorded.checkpoints.prune(ONE.session, keep=0) == [1]
    add(recorded, "extractive", first=3)
    assert recorded.checkpoints.numbers(ONE.session) == [2, 3]


def test_a_checkpoint_given_to_a_fork_counts_for_its_own_session(recorded):
    """What another session was given under the same number does not keep ours."""
    add(recorded, *["extractive"] * 3)
    give(recorded, 1, session=TWO.session)
    give(recorded, 2, session=TWO.session, origin=ONE.session)
    assert recorded.checkpoints.prune(ONE.session, keep=0) == [1]


def test_what_changes_nothing_is_confirmed(recorded):
    """The current checkpoint is told to hold further; earlier ones and other sessions are not, nor does it go back."""
    add(recorded, "extractive", "extractive")
    recorded.checkpoints.confirm(ONE.session, 9)
    recorded.checkpoints.confirm(ONE.session, 5)
    recorded.checkpoints.confirm(TWO.session, 9)
    assert (recorded.checkpoints.get(ONE.session, 1).upto, recorded.checkpoints.current(ONE.session).upto) == (1, 9)
    assert recorded.checkpoints.current(TWO.session) is None


def test_what_a_crash_left_behind_is_unfinished(recorded):
    """A checkpoint that is behind its messages, whatever an older one said, or whose files are; newest first; no sub-agents."""
    commit(recorded, message("child"), seed=Seed("codex:a/b", "codex", "b", ONE.session, "/t/child"))
    assert {ONE.session, TWO.session} == set(recorded.glances.unfinished(lambda *_: True))
    add(recorded, "extractive", "extractive")
    recorded.checkpoints.add(checkpoint(1, session=TWO.session), "d")
    recorded.checkpoints.confirm(ONE.session, 1)
    recorded.checkpoints.confirm(TWO.session, 1)
    asked = []
    assert [ONE.session] == recorded.glances.unfinished(lambda *of: asked.append(of) or of[2] == 1)
    assert {(ONE.tool, ONE.native, 2), (TWO.tool, TWO.native, 1)} == set(asked)
    commit(recorded, message("later"), seed=TWO)
    assert [TWO.session] == recorded.glances.unfinished(lambda *_: True)
