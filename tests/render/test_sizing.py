"""Counting for one composing."""

import sys

from memd.render.sizing import Counted


class Words:
    """Counts words, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return len(text.split())

    def clip(self, text: str, budget: int) -> str:
        self.asked += 1
        return " ".join(text.split()[:budget])


def test_a_text_is_counted_once_and_not_kept() -> None:
    """Ten thousands of lines are priced while a text is composed: their counts are remembered, they are not held."""
    words = Words()
    counted, text = Counted(words), "What was said".lower()
    held = sys.getrefcount(text)

    found = [counted.count(text), counted.count("what was said"), counted.clip(text, 2), counted.clip(text, 2)]

    assert found == [3, 3, "what was", "what was"]
    assert words.asked == 2
    assert sys.getrefcount(text) == held
