"""Clipping: a true prefix, within the budget, and the longest there is."""

import random
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd import tokens

PIECES = st.sampled_from(
    [
        "hello",
        " worl",
        "d",
        " ",
        "\n",
        "\n\n",
        "    ",
        "\r",
        "'",
        "ll",
        "é",
        "的",
        "测试",
        "\N{GRINNING FACE}",
        "\u0301",
        "\ud83d",
        "123",
        "==",
        "<|endoftext|>",
        "/",
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@given(TEXTS, st.integers(-1, 40))
@example("hello world", 2)
@example("hello worl", 2)
def test_the_longest_prefix_within_the_budget(text, budget):
    """No longer beginning of the text has as few tokens, and the one that is given is the text's own characters."""
    fitting = [end for end in range(len(text) + 1) if tokens.count(text[:end]) <= max(budget, 0)]
    assert tokens.clip(text, budget) == text[: max(fitting)]


@given(TEXTS, st.integers(0, 3000), st.integers(1, 400))
def test_within_the_budget_over_chunks(text, budget, times):
    """In texts of several chunks too the result is a prefix within the budget, and little of the budget is left."""
    long = text * times
    clipped = tokens.clip(long, budget)
    assert long.startswith(clipped)
    assert tokens.count(clipped) <= budget
    assert clipped == long or tokens.count(clipped) > budget - 8


@pytest.mark.parametrize("character", [" ", "\n", "a", "的", "\ud83d", "\N{GRINNING FACE}"])
def test_endless_runs(character):
    """A run of two million equal characters is clipped within the budget and at once."""
    text = character * 2_000_000
    tokens.count("loaded")
    start = time.process_time()
    clipped = tokens.clip(text, 300)
    assert time.process_time() - start < 2
    assert 250 <= tokens.count(clipped) <= 300
    assert text.startswith(clipped)


def test_a_budget_that_ends_with_a_chunk():
    """Where the first chunk takes the whole budget, nothing of the second comes along."""
    text = "one line of many\n" * 5_000
    first = next(tokens._chunks(text))
    assert tokens.clip(text, tokens.count(first)) == first


def test_characters_stay_whole():
    """A character of several tokens is given whole or not at all, never as half of its bytes."""
    character = "\N{EGYPTIAN HIEROGLYPH A001}"
    assert tokens.count(character) == 4
    assert [tokens.clip(character * 2, budget) for budget in (3, 4, 7, 8)] == ["", character, character, character * 2]


def test_short_texts_load_nothing(monkeypatch):
    """A text with no more bytes than the budget has tokens fits whatever it says: no encoder is needed."""
    monkeypatch.setattr(tokens._encoder, "encode", lambda _: pytest.fail("encoded"))
    assert tokens.clip("é" * 150, 300) == "é" * 150
    assert tokens.clip("anything", 0) == ""
    assert tokens.clip("", 300) == ""


def _longest(chunk, budget):
    """By trying each length from the end, each counted whole."""
    encoder = tokens._encoder
    furthest = encoder.characters(encoder.encode(chunk)[: budget + tokens._REACH])
    return next((length for length in range(furthest, 0, -1) if len(encoder.encode(chunk[:length])) <= budget), 0)


def test_only_the_last_words_are_counted_for_each_length_that_is_tried():
    """Prose, code, Chinese, marks of every kind: the end is where trying each length whole finds it."""
    rng = random.Random(20261130)
    words = ["the gateway", "'S ", "don't", " 12345.678", "x_y", "/* ", "\t\t", "\n\n", "-" * 90]
    words += ["用户要求\uff0c", "记录。", "e\u0301", "²³", "—"]
    for _ in range(150):
        chunk = "".join(rng.choice(words) + rng.choice(["", " ", ", "]) for _ in range(200))
        budget = rng.randrange(1, 200)
        assert tokens._fitting(chunk, budget) == _longest(chunk, budget), (budget, chunk)


@pytest.mark.parametrize("sign", [" ", "/", "-", "=", "\t"])
def test_a_run_of_one_sign_is_no_greater_burden_than_words(monkeypatch, sign):
    """60,000 blanks in a prompt: a token is worth up to 128 of them, and each length that is tried is counted whole."""
    asked, encode = [], tokens._encoder.encode
    monkeypatch.setattr(tokens._encoder, "encode", lambda text: asked.append(text) or encode(text))
    found = tokens.clip(sign * 60_000, 150)
    assert (len(asked) < 40, tokens.count(found) <= 150, tokens.count(found + sign * 256) > 150) == (True, True, True)
