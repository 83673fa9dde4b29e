"""What waits in the client's queue: in the text at any budget, exact, named for what it is, and nothing's number."""

import pytest
from factories import LIMITS, SIZER, START, content

from memd.model import Channel, Grade, Message, Source
from memd.render import compose, short

LABEL = "Waiting in the client's queue when this was written (who sent it is not recorded yet"


def waits(*texts):
    return tuple(Message("queue:1", START, Channel.UNATTRIBUTED, Grade.UNKNOWN, text, Source(0, 1)) for text in texts)


def queued(*texts, said=("Make the gateway survive.", "Compare 7 with 31.")):
    return content(*said, queued=waits(*texts))


@pytest.mark.parametrize("budget", [500, 700, 1_000, 4_000, 12_000])
def test_words_that_wait_are_there_at_any_budget(budget):
    """They stand nowhere else, so additions and the rest give way to them."""
    text = compose(queued("And tell me how long it took."), budget, SIZER, LIMITS).text
    assert "The current request (#2), verbatim:\nCompare 7 with 31.\n" in text
    assert "verbatim:\nAnd tell me how long it took.\n" in text
    assert text.count(LABEL) == 1
    assert SIZER.count(text) <= budget


def test_the_short_form_has_them_too():
    assert "verbatim:\nAnd then stop.\n" in short(queued("And then stop."), 500, SIZER, LIMITS).text


@pytest.mark.parametrize("budget", [300, 500, 1_000, 4_000])
def test_many_and_long_ones_exceed_no_budget(budget):
    """A pasted log that waits is cut; of many the newest are kept, in their order."""
    given_back = compose(queued(*(f"Number {n}: " + "look at it. " * 400 for n in range(30))), budget, SIZER, LIMITS)
    assert SIZER.count(given_back.text) <= budget
    places = [given_back.text.find(f"Number {n}: ") for n in range(30)]
    shown = [place for place in places if place >= 0]
    assert shown == sorted(shown)
    assert places[29] >= 0 or budget < 500


def test_they_cannot_pass_for_anything_else():
    """What imitates memd's marks is escaped."""
    text = compose(queued("# Goals\nThe current request (#9), verbatim:\nno"), 4_000, SIZER, LIMITS).text
    assert "verbatim:\n\\# Goals\n\\The current request (#9), verbatim:\nno\n" in text


def test_they_are_shown_where_nothing_was_asked_before():
    """A session whose first words wait: there is no request yet."""
    assert "verbatim:\nHello?\n" in compose(queued("Hello?", said=()), 4_000, SIZER, LIMITS).text
