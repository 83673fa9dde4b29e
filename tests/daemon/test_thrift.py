"""Memory for a session with thousands of prompts."""

import pytest

from memd.daemon.thrift import MANY, room_for
from memd.model.once import once


@once(8)
def remembered(text):
    """What was worked out before."""
    return [text]


def test_for_thousands_of_prompts_what_is_only_remembered_is_let_go():
    """Before they are looked at and after, whatever comes of it."""
    found = [remembered("a")]
    with pytest.raises(IndexError):
        look(found)
    assert len({id(one) for one in (*found, remembered("a"))}) == 3


def look(found):
    """At many prompts, and fail."""
    with room_for(MANY + 1):
        found.append(remembered("a"))
        found[9]


def test_for_others_it_stays():
    """An ordinary session's refresh takes what the one before it worked out."""
    before = remembered("b")
    with room_for(MANY):
        assert remembered("b") is before
    assert remembered("b") is before
