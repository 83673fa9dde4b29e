"""Forks and sub-agents: rows that another session had first."""

from memd.model import Facts
from memd.store import Seed

from .builders import ONE, TOOL, TWO, commit, message

FORKED = Facts(forked_from=ONE.session)


def copies(store, seed):
    return {record.text.removeprefix("text of "): record.copy_of for record in store.messages(seed.session)}


def test_a_fork_read_after_its_origin(store):
    """Rows that the origin has are copies of its numbers; the fork's own rows are not."""
    commit(store, message("zero", 1), message("a", 2), message("b", 3))
    added = commit(store, FORKED, message("a", 2), message("b", 3), message("own", 4), seed=TWO).added

    assert copies(store, TWO) == {"a": "claude-code:one#2", "b": "claude-code:one#3", "own": None}
    assert copies(store, ONE) == {"zero": None, "a": None, "b": None}
    assert tuple(store.messages(TWO.session)) == added


def test_a_fork_read_before_its_origin(store):
    """When the origin is read later, the fork's rows get their mark then, and the origin none."""
    commit(store, FORKED, message("a", 2), message("b", 3), message("own", 4), seed=TWO)
    assert copies(store, TWO) == {"a": None, "b": None, "own": None}

    added = commit(store, message("zero", 1), message("a", 2), message("b", 3)).added
    assert copies(store, TWO) == {"a": "claude-code:one#2", "b": "claude-code:one#3", "own": None}
    assert [record.copy_of for record in added] == [None, None, None]


def test_the_fork_may_name_its_origin_without_the_tool(store):
    """A tool's rows know only the native id; the session tells the whole one."""
    commit(store, Facts(forked_from=ONE.native), message("a"), seed=TWO)
    commit(store, message("a"))
    assert store.session(TWO.session).forked_from == ONE.session
    assert (copies(store, ONE), copies(store, TWO)) == ({"a": None}, {"a": "claude-code:one#1"})


def test_a_fork_that_says_so_late(store):
    """When the word comes after the rows, the marks change sides."""
    commit(store, message("a", 5), seed=TWO)
    commit(store, message("a", 5), message("b", 6))
    assert (copies(store, TWO), copies(store, ONE)) == ({"a": None}, {"a": "claude-code:two#1", "b": None})

    commit(store, FORKED, seed=TWO)
    assert (copies(store, TWO), copies(store, ONE)) == ({"a": "claude-code:one#1"}, {"a": None, "b": None})


def test_without_a_word_the_later_session_copies(store):
    """The session whose first entry is later holds the copies, whichever was read first."""
    commit(store, message("a", 10), message("x", 8), seed=TWO)
    commit(store, message("a", 10), message("y", 3))
    assert (copies(store, TWO), copies(store, ONE)) == ({"a": "claude-code:one#1", "x": None}, {"a": None, "y": None})


def test_an_earlier_beginning_found_later_changes_sides(store):
    """A session that turns out to be older takes the origin back."""
    commit(store, message("a", 10))
    commit(store, message("a", 10), seed=TWO)
    assert copies(store, TWO) == {"a": "claude-code:one#1"}
    commit(store, message("early", 2), seed=TWO)
    assert (copies(store, TWO), copies(store, ONE)) == ({"a": None, "early": None}, {"a": "claude-code:two#1"})


def test_the_same_beginning_is_settled_by_the_first_recorded(store):
    """Where nothing else tells, the session that was recorded first is the origin."""
    commit(store, message("a"))
    commit(store, message("a"), seed=TWO)
    assert (copies(store, ONE), copies(store, TWO)) == ({"a": None}, {"a": "claude-code:one#1"})


def test_a_fork_of_a_fork_copies_the_first(store):
    """All copies name the one origin, in whatever order the three are read."""
    three = Seed(f"{TOOL}:three", TOOL, "three", None, "/transcripts/three.jsonl")
    commit(store, Facts(forked_from=TWO.session), message("a"), message("b"), seed=three)
    commit(store, FORKED, message("a"), message("b"), seed=TWO)
    assert copies(store, three) == {"a": "claude-code:two#1", "b": "claude-code:two#2"}
    commit(store, message("a"))
    assert copies(store, three) == {"a": "claude-code:one#1", "b": "claude-code:two#2"}
    assert copies(store, TWO) == {"a": "claude-code:one#1", "b": None}


def test_a_sub_agent_copies_its_parent(store):
    """A child that repeats its parent's rows holds the copies, even if it was read first and begins when it does."""
    child = Seed(f"{ONE.session}/agent", TOOL, "agent", ONE.session, "/transcripts/agent.jsonl")
    commit(store, message("a", 1), message("own", 2), seed=child)
    commit(store, message("a", 1))
    assert (copies(store, child), copies(store, ONE)) == ({"a": "claude-code:one#1", "own": None}, {"a": None})


def test_other_tools_have_other_keys(store):
    """The same key in another tool's session means nothing."""
    codex = Seed("codex:two", "codex", "two", None, "/rollouts/two.jsonl")
    commit(store, message("a"))
    commit(store, Facts(forked_from=ONE.session), message("a"), seed=codex)
    assert (copies(store, ONE), copies(store, codex)) == ({"a": None}, {"a": None})
    commit(store, FORKED, message("a"), seed=TWO)
    assert copies(store, codex) == {"a": None}


def test_sessions_that_name_each_other_still_have_one_origin(store):
    """Nonsense in the rows does not make both a copy."""
    commit(store, Facts(forked_from=TWO.session), message("a", 1))
    commit(store, FORKED, message("a", 2), seed=TWO)
    assert (copies(store, ONE), copies(store, TWO)) == ({"a": None}, {"a": "claude-code:one#1"})
