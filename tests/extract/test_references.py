"""Exact strings: which there are, how they are ranked, where each has its home."""

from unittest.mock import patch

import pytest
from factories import Story
from hypothesis import given
from hypothesis import strategies as st

from memd.extract import references
from memd.extract.mentions import CHANGED, READ, Home
from memd.model import Channel, Kind, State
from memd.model.strings import strings


def found(text):
    return {(kind, item) for kind, item, _ in strings(text)}


@pytest.mark.parametrize(
    ("text", "kind", "item"),
    [
        ("see cmd/cli/root.go, please", "path", "cmd/cli/root.go"),
        ("at root_cmd.go:549.", "path", "root_cmd.go:549"),
        ("~/.config/x and", "path", "~/.config/x"),
        ("the branch alex/ent-221-fix", "path", "alex/ent-221-fix"),
        ("https://x.org/a?b=c.", "value", "https://x.org/a?b=c"),
        ("28c304f6-3c5f-4539-af1d-07ae450e639d", "value", "28c304f6-3c5f-4539-af1d-07ae450e639d"),
        (
            "in /tmp/28c304f6-3c5f-4539-af1d-07ae450e639d/a.log",
            "path",
            "/tmp/28c304f6-3c5f-4539-af1d-07ae450e639d/a.log",
        ),
        ("commit 4afd4e47 is", "value", "4afd4e47"),
        ("v2.1.332", "value", "v2.1.332"),
        ("in #172 and ENT-250", "value", "ENT-250"),
        ("line 750", "value", "750"),
        ("test:ci", "value", "test:ci"),
        ("timeout=47.5", "value", "timeout=47.5"),
        ("call session.EventTurnEnd(x)", "name", "session.EventTurnEnd"),
        ("use --no-verify", "name", "--no-verify"),
        ("INDEX_FILE", "name", "INDEX_FILE"),
        ("prepare-commit-msg", "name", "prepare-commit-msg"),
    ],
)
def test_exact_strings_are_found_whole(text, kind, item):
    """With their line, without the sentence's own marks."""
    assert (kind, item) in found(text)


@pytest.mark.parametrize(
    "text", ["reads/writes", "e.g. this", "and/or", "well-known", "Plain words.", "at 15:02:07", "404", "2026-11-29"]
)
def test_language_is_left_out(text):
    """Words, times and numbers that everybody knows are no references."""
    assert found(text) == set()


def test_what_stands_in_a_secrets_place_is_no_reference():
    """Nobody needs the hash of a password; what stands beside it is found as ever."""
    assert found("DB_PASSWORD=[secret sha256:1a2b3c4d] in cmd/run.py") == {
        ("path", "cmd/run.py"),
        ("name", "DB_PASSWORD"),
    }


def test_a_bare_value_keeps_the_word_before_it():
    """A number means nothing without it; a preposition says nothing."""
    assert list(strings("Line 750")) == [("value", "750", "Line")]
    assert list(strings("on 750")) == [("value", "750", "")]


@given(st.text(max_size=200))
def test_every_string_is_of_the_text(text):
    """Nothing is retyped."""
    assert [item for _, item, _ in strings(text) if item not in text] == []


def ranked(story):
    return [(r.text, r.home) for r in references.references(story.material())]


def test_a_string_is_at_home_where_it_was_written_last():
    """In a changed file, in a command, in the agent's words on a message; a file outweighs talk of it."""
    story = Story()
    story.says("Make it")
    story.agent("I will set maxRetries and look at baseDelay.")
    story.call(Kind.EDIT, "/srv/w/a/conf.py", detail={"old": "", "new": "maxRetries = 3"})
    story.run("run --check-all")
    story.agent("maxRetries is set.")
    homes = dict(ranked(story))
    assert homes["maxRetries"] == Home(CHANGED, "/srv/w/a/conf.py")
    assert homes["baseDelay"] == Home("in my words", "on #1")
    assert homes["--check-all"] == Home("in commands", "of run")


def test_what_is_mentioned_often_and_late_comes_first():
    """Each mention counts one, less by a factor e for every 80 calls since."""
    story = Story()
    story.agent("oldName oldName2")
    for n in range(200):
        story.run(f"ls {n}")
    story.agent("newName")
    names = [text for text, _ in ranked(story)]
    assert names.index("newName") < names.index("oldName")


def test_what_a_person_wrote_is_in_the_memo_and_not_said_again():
    """But for what lies beyond the part that the memo shows; what the agent took up has its home there."""
    story = Story()
    story.says("Use maxRetries and baseDelay" + " word" * 300 + " farAway")
    story.agent("baseDelay it is")
    assert dict(ranked(story)) == {
        "baseDelay": Home("in my words", "on #1"),
        "farAway": Home("in the words", "of #1"),
    }


def test_what_a_machine_said_counts_nothing():
    """Neither a notification's strings nor withdrawn ones are references."""
    story = Story()
    story.says("pushNow " * 400, Channel.BACKGROUND_NOTIFICATION)
    story.says("takenBack " * 400, withdrawn=True)
    assert ranked(story) == []


def test_what_tools_printed_is_kept_apart():
    """It comes after all that somebody wrote, and bare values in it are noise."""
    story = Story()
    story.call(Kind.READ, "/srv/w/a/types.go", result="type SessionState struct 12345")
    assert [r.text for r in references.references(story.material())] == ["/srv/w/a/types.go"]
    assert [(r.text, r.home) for r in references.printed(story.material())] == [
        ("SessionState", Home(READ, "/srv/w/a/types.go"))
    ]


def test_a_refusal_is_nothing_that_a_tool_printed():
    """It is the client's own wording, the same each time."""
    story = Story()
    story.call(
        Kind.COMMAND, "kubectl delete ns prod", State.REFUSED, result="rejected (the new_string was NOT written)"
    )
    assert list(references.printed(story.material())) == []


def test_commands_are_ranked_with_how_they_ended_last():
    """Best first, each line once, with its last run."""
    story = Story()
    story.run("make test 2>&1 | tail -5")
    story.run("cd /srv/w && make test", "x", State.FAILED)
    story.run("make lint", state=State.REFUSED)
    (command,) = references.commands(story.material())
    assert (command.line, command.last.state, command.last.number) == ("make test", State.FAILED, 2)


def test_names_that_end_alike_count_together():
    """Of `a.size` and `b.size` the one that is mentioned more has the weight of both; the other comes late."""
    story = Story()
    story.agent("conf.retryLimit conf.retryLimit")
    story.agent("conf.retryLimit, job.retryLimit, baseDelay")
    found = {r.text: r.score for r in references.references(story.material())}
    one = found["baseDelay"]
    assert found == {"conf.retryLimit": 3 * one, "job.retryLimit": one // 5, "baseDelay": one}


WORDS = st.sampled_from(
    [
        "retryLimit",
        "conf.retryLimit",
        "a.job.retryLimit",
        "baseDelay",
        "x.baseDelay",
        "a/conf.py",
        "FLAG_A",
        "far.FLAG_A",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
STEPS = st.one_of(
    st.tuples(st.just("says"), TEXTS), st.tuples(st.just("agent"), TEXTS), st.tuples(st.just("run"), TEXTS)
)


@given(st.lists(STEPS, max_size=14), st.lists(TEXTS, max_size=2))
def test_of_old_prompts_what_bears_on_the_others_is_enough(steps, long):
    """References and their scores are the same to the last bit, though not all strings of old prompts are held."""
    story = Story()
    for number, (what, text) in enumerate(steps):
        getattr(story, what)(f"{text} of {number}")
    for text in long:
        story.says("word " * 200 + text)
    whole = list(references.references(story.material()))
    with patch.object(references, "NEAR", 2):
        assert whole == list(references.references(story.material()))


def test_strings_of_old_prompts_that_stand_in_the_memo_alone_are_not_held():
    """Tens of thousands of prompts have a string of their own each."""
    story = Story()
    for number in range(2_000):
        story.says(f"See to ticket_{number}")
    story.agent("ticket_7 is done")
    held = references._found(story.material()).tallies
    assert {"ticket_7", *(f"ticket_{number}" for number in range(1_000, 2_000))} == set(held)


def test_what_was_searched_for_is_one_string():
    """A pattern is needed as it was typed."""
    story = Story()
    story.call(Kind.SEARCH, "func.*(Begin|End)Turn")
    assert ("func.*(Begin|End)Turn", Home("searched for")) in ranked(story)
