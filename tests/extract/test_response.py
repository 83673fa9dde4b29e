"""What the agent did with a text that it was given."""

import pytest
from factories import START, Story

from memd.extract.response import answered
from memd.model import Delivered, Kind

FOLDER = "/state/sessions/codex/5e551071/"
GIVEN = Delivered(3, "AB12CD", START, "SessionStart:compact", 1, frozenset({1}), ended=True)


def level(told, given=GIVEN, *, asked=True):
    material = told.material()
    return answered(given, material.done, material.agent, [FOLDER], asked=asked).level


def test_a_file_that_the_text_names_was_read():
    """By a reading tool or through the shell; any other file is none of it."""
    other, read, shell = Story(), Story(), Story()
    other.call(Kind.READ, "/srv/w/recent.md")
    read.call(Kind.READ, f"{FOLDER}recent.md")
    shell.run(f"cat {FOLDER}skills/deploy.md")
    assert [level(other), level(read), level(shell)] == ["complete", "opened", "opened"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("AB12CD", "acknowledged"), ("It is `AB12CD`.", "acknowledged"), ("XAB12CDX", "complete"), ("ab12cd", "complete")],
)
def test_the_code_came_back(words, found):
    """As a word of the agent's own."""
    told = Story()
    told.agent(words)
    assert level(told) == found


def test_what_was_before_counts_for_nothing():
    """Nor does a code that nobody asked for."""
    told = Story()
    told.call(Kind.READ, f"{FOLDER}recent.md")
    told.agent("AB12CD")
    later = Delivered(3, "AB12CD", START + 10**9, "SessionStart:compact", 1, frozenset({1}), ended=True)
    assert [level(told, later), level(told, asked=False)] == ["complete", "opened"]


def test_a_part_that_is_missing_is_not_made_up_for_by_reading():
    """The levels follow each other; only the code proves that the end was there."""
    told = Story()
    told.call(Kind.READ, f"{FOLDER}recent.md")
    assert level(told, Delivered(3, "AB12CD", START, "x", 2, frozenset({1}), ended=False)) == "delivered"
