"""What counts as needed after a compaction, and what as present."""

import pytest

from memd.report import needs

CASE = needs.Case(
    ("src/app.py", "maxRetries", "v2.1.332"),
    ("make test",),
    ("Keep the old port open. ok", "Use tabs in all files."),
    ("write the docs",),
)


@pytest.mark.parametrize("word", ["src/app.py", "maxRetries", "v2.1.332", "#12345", "app.py:42"])
def test_what_looks_like_more_than_language_is_a_word(word):
    """Whole, without the sentence's own marks."""
    assert needs.words(f"see `{word}`, (please)") == {word}


@pytest.mark.parametrize("text", ["well-known reads/writes", "Plain words.", "short a_b", "https://example.org/x1"])
def test_language_is_none(text):
    """Neither are words of fewer than six signs, nor links, which nobody types."""
    assert needs.words(text) == set()


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("src/app.py", "paths"),
        ("README.md", "paths"),
        ("app.py:42", "paths"),
        ("feature/max-retries2", "paths"),
        ("maxRetries", "names"),
        ("test_retry_backoff", "names"),
        ("pkg.Func", "names"),
        ("--dry-run", "names"),
        ("v2.1.332", "values"),
        ("2026-11-30T01:35", "values"),
        ("#12345", "values"),
        ("4afd4e47", "values"),
        ("deadbeef", "names"),
    ],
)
def test_a_word_is_of_one_kind(word, kind):
    """By its shape alone: a path, else a value (a number, a version, a hash), else a name."""
    assert needs.kind(word) == kind


def test_only_what_was_known_and_not_shown_again_is_needed():
    """What a tool printed before the agent used it was found again and not remembered."""
    events = [(True, {"oneName", "newName"}), (False, {"twoName"}), (True, {"twoName", "threeName"})]
    known = {"oneName", "twoName", "threeName"}
    assert needs.needed(events, known.__contains__) == ("oneName", "threeName")


def test_every_kind_is_covered_for_itself():
    """By the share of its items; a kind of which nothing was needed does not count."""
    found = needs.coverage("src/app.py: maxRetries\n`make   test`\nUse tabs in all files.", CASE)
    assert found.shares == {"paths": 1.0, "names": 1.0, "values": 0.0, "commands": 1.0, "person": 0.5, "tasks": 0.0}
    assert found.needed == {"paths": 1, "names": 1, "values": 1, "commands": 1, "person": 2, "tasks": 1}
    assert (found.mean, found.words) == (3.5 / 6, 2 / 3)
    nothing = needs.coverage("src/app.py", needs.Case((), (), (), ()))
    assert (nothing.shares, nothing.mean, nothing.words) == ({}, 0.0, None)


@pytest.mark.parametrize("text", ["maxRetriesLeft", "x_maxRetries", "maxRetries2", "MAXRETRIES", "émaxRetries"])
def test_a_part_of_a_longer_word_is_not_the_word(text):
    """A letter, a digit or `_` beside it makes it another one; any other sign does not."""
    assert not needs.whole("maxRetries", text)
    assert needs.whole("maxRetries", f"{text} (maxRetries)")


def test_commands_are_taken_apart():
    """Looking around, the way of the output and here-documents are left out."""
    assert needs.commands("cd x && go test ./... 2>&1 | tail -3; git commit -F - <<EOF\nmake all\nEOF") == [
        "go test ./...",
        "git commit -F -",
    ]
