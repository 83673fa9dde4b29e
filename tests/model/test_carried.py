"""Sums that go on from turn to turn are what taking everything at once gives."""

from hypothesis import given
from hypothesis import strategies as st

from memd.model.once import Carried, forget


def summing(sequences=2):
    """A sum of words that notes what it was given."""
    taken = list[str]()

    def take(state, entry):
        taken.append(entry)
        state.append(entry)

    return taken, Carried[str, list[str]](list, take, sequences)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=8))
def test_whatever_was_asked_before_it_is_what_all_at_once_gives(asked):
    """Sequences that grow, that lose their beginning, and others."""
    _, carried = summing()
    assert [carried("x", entries) for entries in asked[-1:]] == asked[-1:]
    for entries in asked:
        assert carried("x", entries) == entries


def test_what_was_taken_is_not_taken_again():
    """As long as it is still the beginning; else all is."""
    taken, carried = summing()
    carried("x", ["a", "b"])
    carried("x", ["a", "b", "c"])
    assert taken == ["a", "b", "c"]
    carried("x", ["b", "c"])
    assert taken == ["a", "b", "c", "b", "c"]


def test_few_are_kept_and_none_at_rest():
    """Of two sequences the one that was asked for last."""
    taken, carried = summing(sequences=1)
    for name, entries in (("x", "ab"), ("x", "ab"), ("y", "a"), ("x", "ab")):
        carried(name, [*entries])
    assert "".join(taken) == "ab" + "a" + "ab"
    forget()
    carried("x", ["a", "b"])
    assert "".join(taken) == "ab" + "a" + "ab" + "ab"
