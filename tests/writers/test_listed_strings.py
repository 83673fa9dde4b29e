"""A string that an earlier line has is not said again."""

import random
import re

from memd.extract.mentions import Home
from memd.extract.references import Reference
from memd.writers.extractive import references

HOME = Home("in my words")


def stands(text, shown):
    """Whether it is there with nothing of a word right before or behind it."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", shown) is not None


def plainly(strings, shown):
    kept = []
    for text in strings:
        if not stands(text, " ".join([shown, *kept])):
            kept.append(text)
    return kept


def made_up(chance):
    """A path, a dotted name or an option of few words, so that they stand in each other often."""
    words = [chance.choice(("a", "bb", "c1", "dd")) for _ in range(chance.randrange(1, 6))]
    return chance.choice(("", "/", "--")) + chance.choice(("/", ".", "-")).join(words)


def test_only_strings_that_stand_nowhere_yet_are_listed():
    """Looking their words up by runs tells the same as looking through all of it."""
    for seed in range(100):
        chance = random.Random(seed)
        shown, strings = " or ".join(made_up(chance) for _ in range(3)), [made_up(chance) for _ in range(30)]
        found = references._new((Reference(text, "path", 1, 1, HOME) for text in strings), None, shown)
        assert plainly(strings, shown) == [text for text, _ in found]
