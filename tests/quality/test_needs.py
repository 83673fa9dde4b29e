"""What counts as needed after a compaction, and what as present."""

import pytest

from benchmarks import needs

CASE = needs.Case(
    ("src/app.py", "maxRetries"),
    ("make test",),
    ("Keep the old port open. ok", "Use tabs in all files."),
    ("write the docs",),
    ("maxRetries", "make test", "src/app.py"),
)


@pytest.mark.parametrize("word", ["src/app.py", "maxRetries", "v2.1.332", "#12345", "app.py:42"])
def test_what_looks_like_more_than_language_is_a_word(word):
    """Whole, without the sentence's own marks."""
    assert needs.words(f"see `{word}`, (please)") == {word}


@pytest.mark.parametrize("text", ["well-known reads/writes", "Plain words.", "short a_b", "https://example.org/x1"])
def test_language_is_none(text):
    """Neither are words of fewer than six signs, nor links, which nobody types."""
    assert needs.words(text) == set()


def test_only_what_was_known_and_not_shown_again_is_needed():
    """What a tool printed before the agent used it was found again and not remembered."""
    events = [("used", "oneName newName"), ("shown", "twoName"), ("used", "twoName threeName")]
    assert needs.needed(events, {"oneName", "twoName", "threeName"}) == ("oneName", "threeName")


def test_every_kind_is_covered_for_itself():
    """By the share of its items; a kind of which nothing was needed does not count."""
    text = "src/app.py: maxRetries\n`make   test`\nUse tabs in all files."
    assert needs.coverage(text, CASE) == {"words": 1.0, "commands": 1.0, "person": 0.5, "tasks": 0.0}
    assert needs.mean(needs.coverage(text, CASE)) == 0.625
    assert needs.coverage("", needs.Case((), (), (), (), ())) == {}


def test_commands_are_taken_apart():
    """Looking around, the way of the output and here-documents are left out."""
    assert needs.commands("cd x && go test ./... 2>&1 | tail -3; git commit -F - <<EOF\nmake all\nEOF") == [
        "go test ./...",
        "git commit -F -",
    ]


class Words:
    def count(self, text):
        return len(text.split())


def test_the_plain_list_keeps_its_budget():
    """Tasks, then the newest words of the person, then the best strings."""
    assert needs.plain(CASE, 16, Words()) == "Use tabs in all files.\nmaxRetries\nmake test\nsrc/app.py"
