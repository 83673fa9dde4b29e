"""Counting while a hook waits."""

import base64
import random

import pytest

from memd import tokens
from memd.tokens import rough

TEXTS = (
    "The limit of the retry handler is set to 40; `src/service/handler_4.py` has LIMIT = 40.\n" * 40,
    "- [x] #12 2026-11-29 22:54Z human.typed | keep the tests green, 不要改动数据库结构\n" * 30,
    "git commit -m 'Raise the limit' && python -m pytest tests/test_handler_4.py -q --maxfail=1\n" * 30,
)


@pytest.mark.parametrize("text", TEXTS, ids=["prose", "memo", "commands"])
def test_rather_too_many_than_too_few(text):
    """What is counted by rule of thumb is at least what the encoder counts, and at most half as much again."""
    assert tokens.count(text) <= rough.count(text) <= 1.5 * tokens.count(text)


CHANCE = random.Random(1)
NOISE = (
    base64.b64encode(CHANCE.randbytes(3_000)).decode(),
    "".join(CHANCE.choices("ACDEFGHIKLMNPQRSTVWY", k=2_000)),
    "".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=2_000)),
    "\U0001f469\u200d\U0001f4bb\U0001f3f3\ufe0f\u200d\U0001f308" * 50,
    "".join(map(chr, CHANCE.choices(range(0x12000, 0x12300), k=300))),
    "(\u2200\u2203\u22a2\u2297\u2295\u2286\u2207\u222e)" * 20,
)


@pytest.mark.parametrize(
    "text", NOISE, ids=["base64", "proteins", "letters", "emoji", "cuneiform", "signs in brackets"]
)
def test_what_is_no_language(text):
    """The encoder has no long pieces of it, so it is more tokens than it seems: a checkpoint of it was far over its budget."""
    assert 0.74 * tokens.count(text) <= rough.count(text) <= 1.7 * tokens.count(text)


def test_nothing_is_loaded_while_a_hook_waits():
    """Texts that were never counted are counted and cut without the encoder; afterwards exactly again."""
    text = "What nobody has counted before stands in this line.\n" * 50
    tokens.release()
    with tokens.hurried():
        counted, cut = tokens.count(text), tokens.clip(text, 100)
        assert not tokens.loaded()
    assert counted == rough.count(text)
    assert text.startswith(cut)
    assert rough.count(cut) <= 100 < rough.count(cut + text[len(cut) : len(cut) + 20])
    assert tokens.count(text) < counted
    assert tokens.loaded()


def test_a_guess_is_made_once_and_is_no_count(monkeypatch):
    """While a hook waits the same word is guessed once; when it no longer waits the guess is not taken for a count."""
    text, guesses = "Unheard-of wordlings stand hereabouts, uncountedly.\n" * 30, []
    guessing = tokens._Words(lambda piece: guesses.append(piece) or rough.count(piece))
    monkeypatch.setattr(tokens, "_guessed_words", guessing)
    tokens.release()
    with tokens.hurried():
        assert tokens.count(text) == tokens.count(text) == rough.count(text)
        assert tokens.count(f"  {text}") == rough.count(f"  {text}")
    assert guesses == ["Unheard-of", " wordlings", " stand", " hereabouts,", " uncountedly.\n", "  Unheard-of"]
    assert tokens.count(text) < rough.count(text)
