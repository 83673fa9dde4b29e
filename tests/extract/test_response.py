"""What a text was given for, and what the agent did with it."""

import pytest
from factories import START, Story
from msgspec.structs import replace

from memd.extract.occasions import given_for
from memd.extract.response import answered
from memd.model import Boundary, Delivered, Kind

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


def bounds(*seconds):
    """Compactions at these seconds since the start."""
    return [Boundary(n, 10 * n, START + 1_000 * at, "manual", None, None) for n, at in enumerate(seconds, 1)]


def places(given, compactions):
    """The ordinal that each text was given for; each `(seconds, compactions behind)`."""
    every = [replace(GIVEN, at=START + 1_000 * at, compactions=behind) for at, behind in given]
    return [one and one.ordinal for one in given_for(every, bounds(*compactions))]


@pytest.mark.parametrize(
    ("given", "compactions", "expected"),
    [
        ([(12, 1), (32, 2)], (10, 30), [1, 2]),  # the row came before the hook asked
        ([(10, 0), (30, 1)], (11, 31), [1, 2]),  # it came after
        ([(10, 0), (70, 1)], (11, 3_600), [1, 1]),  # a session that goes on got it once more
        ([(1_000, 1), (2_000, 2)], (10, 1_001, 2_001), [2, 3]),  # the first was before memd, and has no text
        ([(1_000, 1)], (10, 1_100), [1]),  # it was told of with the next prompt
        ([(5, 0)], (3_600,), [None]),  # long before the first
        ([(5, 0), (20, 1)], (10,), [1, 1]),
        ([(9, 7)], (), [None]),
    ],
)
def test_a_text_belongs_to_the_compaction_that_it_was_given_for(given, compactions, expected):
    """However close the next one follows: by how many lay behind, and by whether that one has its text already."""
    assert expected == places(given, compactions)
