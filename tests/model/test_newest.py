"""What is remembered of the newest things only."""

import pytest

from memd.model.newest import Newest


def test_what_was_set_longest_ago_is_forgotten():
    """There are never more than so many, in the order in which they were set last."""
    known = Newest[str, int](2)
    for name, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        known[name] = value
    assert list(known.items()) == [("a", 3), ("c", 4)]


def test_what_is_taken_out_makes_room():
    """It is a dictionary in all else."""
    known = Newest[str, int](2)
    known["a"] = known["b"] = 1
    assert known.pop("a") == 1
    known["c"] = 1
    assert list(known) == ["b", "c"]
    with pytest.raises(KeyError):
        known["a"]
