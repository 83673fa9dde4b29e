"""Deliveries and what proves them."""

import pytest

from memd.model import Delivered, Receipt

from .builders import ONE, TWO, commit, everything

GIVEN = 1_000_000


def give(store, number, code, parts=1, at=GIVEN, session=ONE.session, compactions=1):
    store.deliveries.give(session, number, code, parts, "SessionStart", at, compactions=compactions)


def receipt(number, part=1, parts=1, code=None, at=GIVEN + 5, session=None):
    return Receipt(at, number, part, parts, code, session, "SessionStart")


def test_a_delivery_is_written_first(store):
    """What was handed out is told as it was; nothing proves it yet."""
    assert store.deliveries.last(ONE.session) is None
    give(store, 4, "ABC123", parts=3, compactions=2)
    given = Delivered(4, "ABC123", GIVEN, "SessionStart", 3, frozenset(), ended=False, compactions=2)
    assert given == store.deliveries.last(ONE.session)
    assert given.level == "written"


def test_proof_grows_part_by_part(store):
    """Delivered with the first part that the transcript shows, complete with all parts and the code."""
    give(store, 4, "ABC123", parts=2)
    commit(store, receipt(4, 1, 2))
    last = store.deliveries.last(ONE.session)
    assert (frozenset({1}), False, "delivered") == (last.seen, last.ended, last.level)
    commit(store, receipt(4, 2, 2, "ABC123", session=ONE.session))
    last = store.deliveries.last(ONE.session)
    assert (frozenset({1, 2}), True, "complete") == (last.seen, last.ended, last.level)


def test_a_wrong_code_proves_nothing(store):
    """An end mark with another code belongs to another text; it is kept without harm."""
    give(store, 4, "ABC123")
    commit(store, receipt(4, code="ZZZ999"))
    assert store.deliveries.last(ONE.session).level == "written"


def test_another_number_proves_nothing(store):
    """A receipt for a checkpoint that was never given is kept without harm."""
    give(store, 4, "ABC123")
    commit(store, receipt(3), receipt(9, code="ABC123"))
    assert store.deliveries.last(ONE.session).level == "written"


def test_another_sessions_receipt_proves_nothing(store):
    """A delivery is proved by its own session's transcript only."""
    give(store, 4, "ABC123")
    commit(store, receipt(4, code="ABC123"), seed=TWO)
    assert store.deliveries.last(ONE.session).level == "written"
    assert store.deliveries.all(TWO.session) == []


def test_a_forks_copied_rows_prove_nothing(store):
    """Parts that are older than the delivery by more than a minute came with the copied history."""
    give(store, 4, "ABC123", parts=2, session=TWO.session)
    commit(store, receipt(4, 1, 2, at=GIVEN - 60_001), receipt(4, 2, 2, "OLD111", at=GIVEN - 60_000), seed=TWO)
    assert store.deliveries.last(TWO.session).level == "written"


def test_a_forks_copied_rows_prove_nothing_when_they_are_read_first(store):
    """A fork's file has its copied history before memd gives it anything."""
    commit(store, receipt(4, 1, 2, at=GIVEN - 60_001), receipt(4, 1, 2, at=None), seed=TWO)
    give(store, 4, "ABC123", parts=2, session=TWO.session)
    assert store.deliveries.last(TWO.session).level == "written"


def test_a_fork_may_be_given_its_origins_checkpoint(store):
    """The end mark then names the origin; the code tells whose delivery it is."""
    give(store, 4, "ABC123", session=TWO.session)
    commit(store, receipt(4, code="ABC123", session=ONE.session), seed=TWO)
    assert store.deliveries.last(TWO.session).level == "complete"


def test_the_same_number_given_again(store):
    """Each delivery has its own proof: a part without a code goes to the newest, a code to its own."""
    give(store, 4, "FIRST1", parts=2)
    commit(store, receipt(4, 1, 2))
    give(store, 4, "SECND2", parts=2, at=GIVEN + 100_000)
    commit(store, receipt(4, 1, 2, at=GIVEN + 100_005), receipt(4, 2, 2, "FIRST1"))
    first, second = store.deliveries.all(ONE.session)
    assert (first.code, first.level) == ("FIRST1", "complete")
    assert ("SECND2", frozenset({1}), False) == (second.code, second.seen, second.ended)
    assert second == store.deliveries.last(ONE.session)


def test_told_twice_is_one_delivery(store):
    """The hook's answer may be reported by two ways."""
    give(store, 4, "ABC123")
    give(store, 4, "ABC123", at=GIVEN + 1)
    assert [one.at for one in store.deliveries.all(ONE.session)] == [GIVEN]


def test_a_receipt_may_come_before_its_delivery_is_told(store):
    """A hook that found the daemon down answers from disk; what the transcript shows then is not lost."""
    commit(store, receipt(4, 1, 2), receipt(4, 2, 2, "ABC123"), receipt(4, 2, 2, "ZZZ999"))
    give(store, 4, "ABC123", parts=2)
    assert store.deliveries.last(ONE.session).level == "complete"


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("", "SessionStart:compact", "SessionStart:compact"),
        ("SessionStart", "SessionStart:compact", "SessionStart:compact"),
        ("SessionStart:compact", "", "SessionStart:compact"),
        ("SessionStart:compact", "SessionStart:resume", "SessionStart:compact"),
    ],
)
def test_the_hook_is_known_from_whoever_knew_most(store, first, then, kept):
    """The transcript's row may be read before the hook's own word is recorded, and names no hook or no source."""
    for hook in (first, then):
        store.deliveries.give(ONE.session, 4, "ABC123", 1, hook, GIVEN, compactions=1)
    assert store.deliveries.last(ONE.session).hook == kept


def test_a_receipt_that_is_read_again_changes_nothing(store):
    """It is recorded once, also where its row has no time."""
    give(store, 4, "ABC123", parts=2)
    seen = [receipt(4, 1, 2), receipt(4, 2, 2, "ABC123", at=None)]
    commit(store, *seen)
    before = everything(store)
    give(store, 4, "SECND2", parts=2, at=GIVEN + 100)
    commit(store, *seen, now=1_000_000)
    assert before["deliveries"] == store.deliveries.all(ONE.session)[:1]
    assert store.deliveries.last(ONE.session).level == "written"
