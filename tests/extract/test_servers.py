"""Tools of connected servers: what they changed stands in the journal, what they looked at does not."""

import pytest

from memd.extract import journal, servers
from memd.extract.journal import Whose
from memd.model import Done, Kind, State
from memd.tools.fields import ASKED, asked

WHOSE = Whose("claude-code:s", "/w", lambda path: path)


def entry(name, given, result="", state=State.DONE):
    done = Done("c1", 7, Kind.SERVER, name, 1_000, 2_000, state, asked(name, given), {}, result)
    found = journal.entries(done, WHOSE)
    return [(one.op.value, one.target, one.result, one.good) for one in found]


@pytest.mark.parametrize(
    "name",
    [
        "mcp__slack__send_message",
        "mcp__db__execute_sql",
        "github.createIssue",
        "jira_transition_move",
        "mcp__x__API_post",
    ],
)
def test_a_verb_of_change_tells(name):
    """Whatever way a tool writes its name."""
    assert servers.changes(name)


@pytest.mark.parametrize(
    "name",
    ["mcp__slack__list_posts", "docs_search", "github.getIssue", "mcp__runner__read_file", "think", "", "___", "发送"],
)
def test_what_only_looks_is_no_change(name):
    """A server's own name counts for nothing, and what no verb tells is left out."""
    assert not servers.changes(name)


def test_the_journal_has_name_arguments_and_what_came_of_it():
    """The link that the answer names; a failed call as failed; one that looked not at all."""
    given = {"title": "Timeouts", "labels": ["bug"], "draft": False}
    target = 'mcp__github__create_issue title=Timeouts labels=["bug"] draft=false'
    link = "https://github.example/o/r/issues/9"
    assert entry("mcp__github__create_issue", given, f"Created.\n{link}\nBye.") == [
        ("command", target, f"done: {link}", True)
    ]
    assert entry("mcp__github__create_issue", given, "Error: not found", State.FAILED) == [
        ("command", target, "failed: Error: not found", False)
    ]
    assert entry("mcp__github__list_issues", {}) == []
    assert entry("mcp__github__create_issue", given, state=State.REFUSED) == []


def test_secrets_among_the_arguments_stand_as_hashes():
    """By their shape, or by the name of the argument; equal ones stay equal."""
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    (told,) = entry("mcp__x__send", {"to": "ops", "password": "letmein", "text": f"use {key}"})
    assert ("letmein" in str(told), key in str(told)) == (False, False)
    assert told[1].startswith("mcp__x__send to=ops password=[secret sha256:")


def test_long_arguments_that_differ_are_told_apart():
    """Only their ends differ, behind what is kept."""
    one, other = (asked("mcp__x__send", {"text": "y" * 500 + end}) for end in "ab")
    assert one != other
    assert max(len(one), len(other)) <= ASKED
