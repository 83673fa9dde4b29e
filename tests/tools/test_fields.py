"""A field of a wrong type is as good as absent."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.tools import fields

VALUES = [None, True, False, 0, 1, -1, 1 << 70, 1.5, math.nan, math.inf, "", "text", [], ["x"], {}, {"a": 1}]
JSON = st.recursive(
    st.sampled_from(VALUES) | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@pytest.mark.parametrize(
    ("read", "kind", "nothing"),
    [(fields.string, str, ""), (fields.table, dict, {}), (fields.items, list, []), (fields.flag, bool, False)],
)
@pytest.mark.parametrize("value", VALUES)
def test_only_the_right_type_counts(read, kind, nothing, value):
    """Anything else gives the empty value of the type that was asked for, as does a field that is not there."""
    assert read({"x": value}, "x") == (value if type(value) is kind else nothing)
    assert read({}, "x") == nothing


@pytest.mark.parametrize("value", VALUES)
def test_whole_numbers_fit_into_the_store(value):
    """A boolean is no number, and neither is what needs more than 63 bits."""
    fits = type(value) is int and abs(value) < 1 << 62
    assert fields.whole({"x": value}, "x") == (value if fits else None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-29T23:07:20.645Z", 1795993640645),
        ("2026-11-29T23:07:20Z", 1795993640000),
        ("2026-11-30T00:07:20.645+01:00", 1795993640645),
        ("2026-11-29T23:07:20.645", 1795993640645),
        (1795993640, 1795993640000),
        (1795993640.645, 1795993640645),
        (1795993640645, 1795993640645),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
        (0, None),
        (-5, None),
        (1e300, None),
        (1 << 80, None),
        (True, None),
        (None, None),
        (math.nan, None),
        (math.inf, None),
        ([], None),
    ],
)
def test_moments(value, expected):
    """Times as ISO text, with the zone or in UTC, as seconds and as milliseconds; what is none of these is no time."""
    assert fields.moment(value) == expected


@given(JSON)
def test_a_moment_of_anything(value):
    """Never an error, always a number that fits or none."""
    assert (found := fields.moment(value)) is None or abs(found) < 1 << 62


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "text", "text": 5}, {"type": "text"}, "x", None, 3], ""),
        ([{"type": "thinking", "text": "a"}], ""),
        ({"type": "text", "text": "a"}, ""),
        (None, ""),
    ],
)
def test_text_of_a_content_field(value, expected):
    """A string, or the text blocks of a list; other blocks and other types are no text."""
    assert fields.flat(value) == expected


@given(st.text(), st.integers(10, 60))
def test_an_excerpt_is_the_text_or_its_ends(text, limit):
    """Short texts are whole; of longer ones the head and the tail are exact, and what is missing is counted."""
    shown = fields.excerpt(text, limit)
    if len(text) <= limit:
        assert shown == text
    else:
        head, _, rest = shown.partition("\n[… ")
        left_out, _, tail = rest.partition(" characters left out")
        tail = tail.partition(" …]\n")[2]
        assert text == head + text[len(head) : len(head) + int(left_out)] + tail


def test_the_exact_strings_of_what_is_left_out_stay():
    """Each once, places and values before names; plain numbers say nothing alone; of a page full of them a twelfth is kept."""
    page = "text " * 100 + "maxRetries = 12345 in src/app.py, maxRetries of #31" + " text" * 100
    assert " characters left out; in them: src/app.py #31 maxRetries …]\n" in fields.excerpt(page, 30)
    many = " ".join(f"nameNumber{n}" for n in range(5_000))
    assert 5_000 < len(fields.excerpt(many, 600)) < 6_000


@given(JSON)
def test_nothing_raises(value):
    """Any JSON value, wherever it stands."""
    row = {"x": value}
    for read in (fields.string, fields.table, fields.items, fields.whole, fields.flag):
        json.dumps(read(row, "x"))
    fields.flat(value)


def test_a_beginning_says_what_the_rest_holds():
    """The text up to the limit stands exactly, the strings of the rest in a note behind it."""
    assert fields.beginning("as it is", 8) == "as it is"
    assert (
        fields.beginning("keep_this and maxRetries", 9)
        == "keep_this\n[… 15 characters left out; in them: maxRetries …]"
    )


def test_arguments_nested_as_deep_as_the_stack_are_told():
    """What could be read and is too deep to be written is an ellipsis, no error."""
    value: list = []
    for _ in range(5_000):
        value = [value]
    assert fields.asked("mcp__x__y", {"a": value, "b": 1}) == "mcp__x__y a=… b=1"


@pytest.mark.parametrize(
    ("word", "exact"),
    [
        *(
            (word, True)
            for word in ("src/app.py", "_name_of", "maxRetries", "--wide", "a-b-c", "3fe", "cafe1", "#31", "ABC-12")
        ),
        *((word, True) for word in ("路/径", "x_é", "v2.0a", "9Z")),
        *(
            (word, False)
            for word in ("word", "well-known", "-x", "Name", "THIS", "1234", "2026-11-29", "10:32:01", "…/", "end.")
        ),
    ],
)
def test_what_makes_a_word_exact(word, exact):
    """A place, a name of code, a hash, an option, an issue; language, numbers and times are none."""
    text = f"the text ({word}) is that"
    assert (f"in them: {word.strip('-')} " in fields.beginning(text, 1)) == exact
