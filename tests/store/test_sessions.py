"""Sessions: lists, the one that a person means, ends; and the sources behind them."""

import pytest
from msgspec.structs import replace

from memd.errors import Ambiguous, NotFound
from memd.model import Facts
from memd.store import Seed, SourceRow

from .builders import NOW, ONE, TWO, commit, message


def add(store, name, at=None, cwd=None, parent=None, now=NOW):
    tool, _, native = name.partition(":")
    commit(store, message(name, at), Facts(cwd=cwd), seed=Seed(name, tool, native, parent, f"/t/{name}"), now=now)


@pytest.fixture
def many(store):
    add(store, "claude-code:abc1", 10, "/home/x")
    add(store, "claude-code:abc2", 30, "/home/y")
    add(store, "codex:abc1", 20, "/home/x")
    add(store, "codex:0199", 5)
    add(store, "codex:01991", 4)
    add(store, "claude-code:abc1/agent-7", 99, "/home/x", parent="claude-code:abc1")
    add(store, "opencode:ses_5a", 3)
    add(store, "opencode:ses_5a/agent-9", 2, parent="opencode:ses_5a")
    return store


def test_lists_are_newest_first_and_hide_children(many):
    """Sub-agents are listed only if asked for; order is by the newest entry, else by when something was seen."""
    ids = ["claude-code:abc2", "codex:abc1", "claude-code:abc1", "codex:0199", "codex:01991", "opencode:ses_5a"]
    assert ids == [one.id for one in many.sessions()]
    children = ["claude-code:abc1/agent-7", "opencode:ses_5a/agent-9"]
    assert [one.id for one in many.sessions(children=True)] == [children[0], *ids, children[1]]
    assert many.sessions(children=True) == list(many.each_session(children=True))
    add(many, "opencode:timeless", now=25)
    assert many.sessions()[1].id == "opencode:timeless"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("claude-code:abc1", "claude-code:abc1"),
        ("claude-code:abc2", "claude-code:abc2"),
        ("abc2", "claude-code:abc2"),
        ("codex:a", "codex:abc1"),
        ("codex:0199", "codex:0199"),
        ("0199", "codex:0199"),
        ("01991", "codex:01991"),
        ("ses_5", "opencode:ses_5a"),
        ("opencode:ses_5a/", "opencode:ses_5a/agent-9"),
        ("abc1/", "claude-code:abc1/agent-7"),
        ("claude-code:abc1/agent-7", "claude-code:abc1/agent-7"),
        ("abc1/agent-7", "claude-code:abc1/agent-7"),
    ],
)
def test_a_unique_prefix_is_enough(many, text, expected):
    """An exact id wins, with or without the tool; a prefix meets sub-agents only when it holds a slash."""
    assert expected == many.find(text, None).id


@pytest.mark.parametrize("text", ["nobody", "bc1", "ABC", "abc_", "abc%", "agent-7", "abc2/"])
def test_what_fits_nothing_is_not_found(many, text):
    """A prefix is taken by its letters: no wildcards, no middle, no other case."""
    with pytest.raises(NotFound, match="no session"):
        many.find(text, None)


@pytest.mark.parametrize("text", ["abc", "abc1", "codex:", "c"])
def test_what_fits_several_is_ambiguous(many, text):
    """The person is asked to say more, with candidates by name."""
    with pytest.raises(Ambiguous, match="codex:"):
        many.find(text, None)


def test_at_most_five_candidates_are_named(store):
    """The error stays one line."""
    for n in range(8):
        add(store, f"codex:same{n}", n)
    with pytest.raises(Ambiguous) as caught:
        store.find("same", None)
    assert (
        str(caught.value)
        == "'same' fits 8 sessions: codex:same7, codex:same6, codex:same5, codex:same4, codex:same3 and 3 more"
    )


def test_nothing_named_means_the_newest_here(many):
    """The newest session whose directory is the current one, else the newest of all; never a sub-agent."""
    assert many.find(None, "/home/x").id == "codex:abc1"
    assert many.find(None, "/elsewhere").id == "claude-code:abc2"
    assert many.find(None, None).id == "claude-code:abc2"


def test_an_empty_name_is_nobodys(many):
    """It was given, so it does not mean the newest: a command that deletes would take that one."""
    with pytest.raises(NotFound, match="is empty"):
        many.find("", None)


def test_nothing_recorded_is_not_found(store):
    """There is no newest session yet."""
    with pytest.raises(NotFound, match="no session is recorded yet"):
        store.find(None, "/home/x")


def test_an_end_holds_until_something_new_comes(store):
    """Rows from before the end that are read late do not take it back; later ones do, and so does reopening."""
    commit(store, message("a", 10))
    store.end_session(ONE.session, 20)
    commit(store, message("late", 19), message("a", 10))
    assert store.session(ONE.session).ended_at == 20
    commit(store, message("new", 21))
    assert store.session(ONE.session).ended_at is None

    store.end_session(ONE.session, 30)
    store.reopen_session(ONE.session)
    assert store.session(ONE.session).ended_at is None
    store.end_session(ONE.session, 40)
    commit(store, message("timeless"))
    assert store.session(ONE.session).ended_at is None


def test_the_end_of_an_unknown_session_is_nothing(store):
    """A hook may speak of a session that was never recorded."""
    store.end_session("codex:nobody", 1)
    store.reopen_session("codex:nobody")
    assert store.session("codex:nobody") is None


def test_a_source_knows_how_far_it_is_read(store):
    """Cursor and reader are kept as they were given; without an offset all of the size is read."""
    events = Seed("opencode:ses_1", "opencode", "ses_1", None, "/data/opencode.db#ses_1", "events")
    commit(store, message("a"), message("b"), cursor='{"x":1}', reader='{"v":1}', size=500, offset=400)
    commit(store, message("x"), seed=events, size=7, now=NOW + 1)
    first = SourceRow(
        ONE.path, ONE.session, '{"x":1}', '{"v":1}', "bytes", 500, 400, 2, None, NOW, ONE.tool, ONE.native, None
    )
    told = ("cursor", "reader", "events", 7, 7, 1, None, NOW + 1)
    second = SourceRow(events.path, events.session, *told, events.tool, events.native, None)
    assert events == second.seed
    assert first == store.sources.of(ONE.path)
    assert [second, first] == store.sources.every()
    assert store.sources.of("/unknown") is None


def test_a_source_that_is_gone_keeps_its_record(store):
    """It is marked once, and comes back with its next row."""
    commit(store, message("a"))
    store.sources.gone(ONE.path, 50)
    store.sources.gone(ONE.path, 60)
    store.sources.gone("/unknown", 60)
    assert store.sources.of(ONE.path).gone_at == 50
    assert len(store.messages(ONE.session)) == 1
    commit(store, message("b"))
    assert store.sources.of(ONE.path).gone_at is None


def test_a_session_may_move_to_another_file(store):
    """Both paths are kept, the session's own is the newest, and its rows are recorded once."""
    moved = Seed(ONE.session, ONE.tool, ONE.native, None, "/archive/one.jsonl")
    commit(store, message("a"))
    again = commit(store, message("a"), message("b"), seed=moved)
    assert (again.duplicates, again.first) == (1, 2)
    assert moved.path == store.session(ONE.session).path
    assert [moved.path, ONE.path] == [source.path for source in store.sources.every()]


def test_a_file_may_become_another_sessions(store):
    """It is read on for the one, whose entries go on from its own last, and no more for the other."""
    other = Seed(TWO.session, TWO.tool, TWO.native, None, ONE.path)
    commit(store, message("a"), message("b"))
    commit(store, message("x"), seed=other, cursor="theirs")
    assert store.sources.of(ONE.path) == SourceRow(
        ONE.path, TWO.session, "theirs", "reader", "bytes", 100, 100, 1, None, NOW, TWO.tool, TWO.native, None
    )
    assert [source.path for source in store.sources.every()] == [ONE.path]
    assert [len(store.messages(seed.session)) for seed in (ONE, TWO)] == [2, 1]


def test_small_values_are_kept_by_key(store):
    """A value is replaced by the next, and an unknown key has none."""
    assert store.meta_get("runs") is None
    store.meta_set("runs", "1")
    store.meta_set("runs", "2")
    store.meta_set(TWO.session, "other")
    assert store.meta_get("runs") == "2"


def test_places_are_looked_up_by_key(store):
    """What a reader keeps by key stays and grows beside its state; each source has its own, and one read anew begins anew."""
    events = replace(ONE, path="/other")
    for seed, cursor, places in ((ONE, "1", {"a": "1", "b": "2"}), (events, "1", {"a": "9"}), (ONE, "2", {"b": "3"})):
        store.commit(seed, cursor, "reader", [], size=1, now=NOW, places=places)
    store.commit(ONE, "3", "reader", [], size=1, now=NOW)
    assert (dict(store.sources.places(ONE.path)), dict(store.sources.places("/other"))) == (
        {"a": "1", "b": "3"},
        {"a": "9"},
    )
    assert (store.sources.places(ONE.path).get("c"), len(store.sources.places("/none"))) == (None, 0)
    store.commit(ONE, "1", "reader", [], size=1, now=NOW, places={"c": "4"}, anew=True)
    assert (dict(store.sources.places(ONE.path)), dict(store.sources.places("/other"))) == ({"c": "4"}, {"a": "9"})
    store.forgetting.forget([ONE.session], NOW)
    assert store._db.rows("SELECT * FROM place") == []
