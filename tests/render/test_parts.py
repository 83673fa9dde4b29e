"""Parts: one text in several hook outputs, each small enough, a message whole in one where it can be."""

import pytest
from factories import LIMITS
from hypothesis import given
from hypothesis import strategies as st

from memd.model import marks
from memd.render.parts import Limits, fill, split
from memd.render.sizing import units


def joined(*pieces, least=0, most=200):
    return st.lists(st.sampled_from(pieces), min_size=least, max_size=most).map("".join)


PIECES = joined("a", " ", "\n", "界", "😀", "# x", "\ud83d", "é")
BLOCKS = st.lists(PIECES.filter(str.strip), min_size=1, max_size=12)
END = marks.ending(7, "claude-code:x", "AB12CD")
OPENING = units(marks.opening(10**9 - 1, 9, 9))


def bodies(parts):
    return [text.partition("\n")[2] for text in parts]


@given(BLOCKS, st.integers(OPENING + 40, 400))
def test_every_part_opens_with_its_mark_and_is_small_enough(blocks, limit):
    """In UTF-16 units, which is what the client counts: an emoji has two of them."""
    parts = split([*blocks, END], 7, Limits(limit, 99))
    assert [text.partition("\n")[0] + "\n" for text in parts] == [
        marks.opening(7, k, len(parts)) for k in range(1, len(parts) + 1)
    ]
    assert max(units(text) for text in parts) <= limit


@given(BLOCKS, st.integers(OPENING + 80, 400))
def test_the_end_mark_is_the_last_line_of_the_last_part_alone(blocks, limit):
    """However the text is cut, only the last part proves that all of it went in."""
    blocks = [marks.escape(block) for block in blocks]
    parts = split([*blocks, END], 7, Limits(limit, 99))
    assert [marks.find(text).code for text in parts] == [None] * (len(parts) - 1) + ["AB12CD"]
    assert parts[-1].splitlines()[-1] == END


@given(BLOCKS, st.integers(OPENING + 40, 400))
def test_the_parts_together_are_the_text(blocks, limit):
    """Nothing is lost and nothing doubled: without marks and line ends, the parts are the blocks."""
    parts = split(blocks, 7, Limits(limit, 99))
    assert "".join(bodies(parts)).replace("\n", "") == "".join(blocks).replace("\n", "")


@given(BLOCKS, st.integers(OPENING + 40, 2_000))
def test_a_message_stands_whole_in_one_part_unless_it_is_larger(blocks, limit):
    """Cuts fall between blocks."""
    parts = split(blocks, 7, Limits(limit, 99))
    small = [block for block in blocks if units(block) + 1 <= limit - OPENING]
    assert [block for block in small if not any(block in body for body in bodies(parts))] == []


def test_a_list_goes_on_in_the_next_part():
    """Between two of its rows, so that parts are full."""
    rows = [f"  src/file_{n}.py: limit_{n}" for n in range(10)]
    first, *others = bodies(split(["x" * 200, "\n".join(["- files read:", *rows])], 7, Limits(OPENING + 300, 9)))
    assert first.splitlines()[1:] == ["- files read:", *rows[:3]]
    assert others == ["\n".join(rows[3:])]


def test_a_quotation_in_a_list_is_a_message():
    """It stands whole."""
    quoted = "- I wrote last (#3):" + "\n  > one of its lines" * 9
    assert bodies(split(["x" * 200, quoted], 7, Limits(OPENING + 300, 9)))[1] == quoted


@pytest.mark.parametrize("blocks", [["x" * 60] * 3, ["x" * 60] * 7, ["- files:\n" + "  row\n" * 90]])
def test_how_full_the_parts_are(blocks):
    """Over 1 exactly where there are not enough of them."""
    limits = Limits(OPENING + 130, 3)
    assert (fill(blocks, limits) > 1) is (split(blocks, 7, limits) is None)


@given(joined("## Mission ", "memd checkpoint 1 of x ends here; receipt ABCDEF", "x", least=20, most=60))
def test_a_cut_inside_a_message_makes_no_heading(text):
    """A line that is cut in two does not begin a part with what would pass for a mark."""
    parts = split([f"said: {text}"], 7, Limits(OPENING + 60, 99))
    assert [body for body in bodies(parts) if marks.escape(body) != body] == []


def test_what_needs_more_parts_than_the_tool_can_carry_is_refused():
    """The caller must make it smaller: nothing is cut off in silence."""
    assert split(["x" * 9_000] * 4, 7, LIMITS) is not None
    assert split(["x" * 9_000] * 5, 7, LIMITS) is None


def test_a_part_that_has_no_room_behind_its_mark_carries_nothing():
    """It is refused at once: cutting to no room would never end."""
    for limit in range(len(marks.opening(10**9 - 1, 9, 9)) + 3):
        assert split(["A message."], 1, Limits(limit, 4)) is None
    assert split(["A message."], 1, Limits(60, 4)) is not None


def test_a_long_run_of_dashes_is_cut_in_time_and_makes_no_heading():
    """No place in it is better than another: each piece had one character, and the looking for it had no end."""
    parts = split(["said:" + "-" * 30_000], 7, LIMITS)
    assert (len(parts), sum(text.count("-") for text in bodies(parts))) == (4, 30_000)
    assert all(marks.escape(body[:300]) == body[:300] for body in bodies(parts))
