"""Exact strings are found wherever they stand: each shape is looked for only in the words that have its sign."""

import pytest

from memd.model.strings import found_in

SHAPES = (
    "https://example.org/a?b",
    "src/parser/main.py:12-14",
    "config.toml",
    "0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f",
    "v1.22.3",
    "#4711",
    "MEMD-12",
    "deadbeef1",
    "1a2b3c4",
    "8080",
    "--no-cache",
    "retry_count",
    "parseRow",
    "HTTPServer",
    "store.session",
    "a-b-cd",
    "port=x8",
)


def texts(text):
    return [found[1] for found in found_in(text)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "around", ["{}", "{} ", " {}", "\n{}\n", "plain\t{}\twords", "plain words ({}) end", "\u2028{}\u00a0", "é {}, 中"]
)
def test_a_string_is_found_at_each_place(shape, around):
    assert shape in texts(around.format(shape))


def test_all_are_found_together_and_once():
    """In whatever stands between them, and where several stand in a row."""
    text = "\n".join(f"{' '.join(SHAPES)} {shape}" for shape in SHAPES)
    assert sorted(texts(text)) == sorted(SHAPES)


@pytest.mark.parametrize(
    "text",
    [
        "wait 12:34:56",
        "12345678abcdefg",
        "abcdefa",
        "1234567890",
        "a#12",
        "XMEMD2-1",
        "g1234567",
        "é1234",
        "Hello There-you",
    ],
)
def test_what_only_looks_like_one_is_language(text):
    assert texts(text) == []
