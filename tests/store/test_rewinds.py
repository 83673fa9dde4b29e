"""Rewinds: what is still part of the conversation."""

import random
import time

import pytest
from msgspec.structs import replace

from memd.model import Rewind
from memd.store.ranges import Rewound, without

from .builders import ONE, TWO, commit, message


@pytest.mark.parametrize(
    ("kept", "outside"),
    [
        ((), [(1, 9)]),
        (((1, 9),), []),
        (((3, 4),), [(1, 2), (5, 9)]),
        (((6, 9), (1, 2)), [(3, 5)]),
        (((1, 6), (2, 3)), [(7, 9)]),
        (((2, 4), (4, 5)), [(1, 1), (6, 9)]),
    ],
)
def test_what_lies_outside(kept, outside):
    """The runs between the ranges, whatever their order and however they overlap; none when there is doubt."""
    assert Rewound(9, kept, sure=True).outside() == outside
    assert Rewound(9, kept, sure=False).outside() == []


def test_what_is_left_without_single_numbers():
    """Held against the numbers themselves; thousands of them are looked at once, not each beside all of the others."""
    rng = random.Random(7)
    for _ in range(300):
        ends = sorted(rng.sample(range(1, 40), 6))
        kept, out = tuple(zip(ends[::2], ends[1::2], strict=True)), rng.choices(range(1, 40), k=12)
        left = {number for first, last in kept for number in range(first, last + 1)} - set(out)
        pairs = without(kept, out)
        assert [number for first, last in pairs for number in range(first, last + 1)] == sorted(left)
        assert all(first <= last for first, last in pairs)
    began = time.process_time()
    assert len(without(((1, 100_000),), range(5, 100_000, 10))) == 10_001
    assert time.process_time() - began < 1


def letters(text):
    return [message(letter) for letter in text]


def in_force(store):
    return "".join(record.text[-1] for record in store.messages(ONE.session) if record.in_force)


def test_outside_of_the_path_is_withdrawn(store):
    """Entries outside of the ranges keep their number, marked; both ends of a range belong to it."""
    commit(store, *letters("abcdef"), Rewind(((None, "b"), ("e", None))))
    assert in_force(store) == "abef"
    assert [record.number for record in store.messages(ONE.session)] == [1, 2, 3, 4, 5, 6]


def test_an_entry_inside_that_was_taken_out(store):
    """Alone, whether it was recorded before or comes with it; a key that nobody knows takes nothing out."""
    commit(store, *letters("abc"))
    added = commit(store, *letters("de"), Rewind(((None, None),), out=("b", "d", "x"))).added
    assert in_force(store) == "ace"
    assert [record.withdrawn for record in added] == [True, False]
    commit(store, Rewind(((None, None),)))
    assert in_force(store) == "abcde"


def test_it_reaches_over_commits_and_not_ahead(store):
    """Entries of earlier commits are withdrawn too; what follows the rewind is not."""
    commit(store, *letters("abc"))
    added = commit(store, *letters("de"), Rewind(((None, "a"),)), *letters("fg")).added
    commit(store, *letters("h"))
    assert in_force(store) == "afgh"
    assert [record.withdrawn for record in added] == [True, True, False, False]


def test_a_transcript_that_is_read_again_withdraws_no_more(store):
    """A rewind reaches up to where it stands, not over what an earlier reading recorded behind it."""
    rows = (*letters("abcd"), Rewind(((None, "b"),)), *letters("ef"))
    commit(store, *rows)
    commit(store, *rows)
    assert in_force(store) == "abef"


def test_what_was_taken_back_before_it_was_read(store):
    """It is recorded as withdrawn at once; a rewind that keeps it gives it back."""
    commit(store, *letters("ab"), replace(message("c"), withdrawn=True))
    assert in_force(store) == "ab"
    commit(store, Rewind(((None, None),)))
    assert in_force(store) == "abc"


def test_a_later_rewind_decides_anew(store):
    """What a rewind took away comes back when the conversation goes back to it."""
    commit(store, *letters("abcd"), Rewind(((None, "b"),)), *letters("ef"))
    assert in_force(store) == "abef"
    commit(store, Rewind(((None, "d"),)), *letters("g"))
    assert in_force(store) == "abcdg"


def test_two_rewinds_in_one_commit_work_as_in_two(store):
    """The last one decides over all that was there before it, also over what came between them."""
    commit(store, *letters("abcd"))
    commit(store, Rewind(((None, "a"),)), *letters("ef"), Rewind((("c", "e"),)), *letters("g"))
    assert in_force(store) == "cdeg"


def test_in_doubt_nothing_is_withdrawn(store):
    """A rewind with an end that nobody knows takes nothing away; it gives back what its known ranges hold."""
    commit(store, *letters("abcdef"), Rewind(((None, "b"),)))
    commit(store, message("x"), seed=TWO)
    commit(store, Rewind((("c", "d"), ("x", None))))
    assert in_force(store) == "abcd"
    commit(store, *letters("g"), Rewind((("c", "gone"), (None, "a"))), *letters("h"))
    assert in_force(store) == "abcdgh"
    assert [record.text[-1] for record in store.messages(ONE.session) if record.withdrawn] == ["e", "f"]


def test_doubt_after_certainty_in_one_commit(store):
    """An uncertain rewind that follows a certain one gives back from what that one took."""
    added = commit(store, *letters("abcd"), Rewind(((None, "a"),)), Rewind((("c", "c"), ("gone", None)))).added
    assert in_force(store) == "ac"
    assert [record.withdrawn for record in added] == [False, True, False, True]


def test_ends_the_wrong_way_round_are_doubt(store):
    """A range that ends before it begins cannot be meant."""
    commit(store, *letters("abc"), Rewind((("c", "a"),)))
    assert in_force(store) == "abc"


def test_back_to_nothing(store):
    """A path without ranges withdraws all; a path from start to now withdraws nothing, even where nothing is."""
    commit(store, Rewind(((None, None),)), *letters("ab"), Rewind(()))
    assert in_force(store) == ""
    commit(store, Rewind(((None, None),)))
    assert in_force(store) == "ab"


def test_undelivered_is_another_matter(store):
    """A rewind neither marks words as undelivered nor delivers them."""
    commit(store, message("a", undelivered=True), message("b"), Rewind((("b", "b"),)))
    first = store.message(ONE.session, 1)
    assert (first.withdrawn, first.undelivered) == (True, True)
    commit(store, Rewind(((None, None),)))
    first = store.message(ONE.session, 1)
    assert (first.withdrawn, first.undelivered) == (False, True)
