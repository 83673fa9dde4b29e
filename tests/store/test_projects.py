"""The journal and the anchors in the record: once each, found by what they are about, gone with their session."""

import pytest

from memd.extract.anchors import moves
from memd.extract.journal import Whose, entries
from memd.model import Kind, State
from memd.model.anchors import Anchor
from memd.store import Store
from memd.store.projects import Told

from .builders import ONE, TWO, commit, message, operation

WHOSE = Whose(ONE.session, "/w", lambda path: path.removeprefix("/w/"))


@pytest.fixture
def store(path):
    with Store.open(path) as store:
        yield store


def edit(call, path, old, new, state=State.DONE, at=1_000):
    return operation(call, state, target=f"/w/{path}", detail={"old": old, "new": new}, at=at)


def told(done, whose=WHOSE):
    made = entries(done, whose)
    found = moves(done, made, whose, 1)
    return Told(done, made, found.used, found.gone, found.moved)


def tell(store, seed=ONE, project="p"):
    whose = Whose(seed.session, WHOSE.cwd, WHOSE.relate)
    store.projects.tell(
        project, seed.session, [told(done, whose) for done in store.projects.pending(seed.session, 100)]
    )


def targets(store):
    return [entry.target for entry in store.projects.journal("p", 100)]


def test_a_call_waits_until_it_ended_and_is_looked_at_once(store):
    """Running calls are not offered; what was told is not offered again, and a transcript read anew adds nothing."""
    commit(store, message("m1"), edit("c1", "a.toml", "", "", State.RUNNING), edit("c2", "b.toml", "a = 1", "a = 2"))
    assert [done.call for done in store.projects.pending(ONE.session, 10)] == ["c2"]
    tell(store)
    commit(store, edit("c1", "a.toml", "x = 1", "x = 2"), edit("c2", "b.toml", "a = 1", "a = 2"))
    tell(store)
    assert targets(store) == ["b.toml:a", "a.toml:x"]
    assert store.projects.waiting() == []


def test_without_a_project_calls_count_as_looked_at(store):
    """But for one that runs, and one in the background, until its end is known."""
    states = {"c1": State.DONE, "c2": State.FAILED, "c3": State.RUNNING, "c4": State.BACKGROUND, "c5": State.BACKGROUND}
    commit(store, message("m1"), *(edit(call, "a.toml", "", "", state) for call, state in states.items()))
    assert store.projects.waits(ONE.session)
    assert [done.call for done in store.projects.pending(ONE.session, 10, jobs=True)] == ["c4", "c5"]
    store.projects.passed_over(ONE.session, ["c4"])
    assert [done.call for done in store.projects.pending(ONE.session, 10)] == ["c5"]
    store.projects.passed_over(ONE.session, ["c5"])
    assert not store.projects.waits(ONE.session)
    commit(store, edit("c3", "a.toml", "x = 1", "x = 2"))
    assert [done.call for done in store.projects.pending(ONE.session, 10)] == ["c3"]


def test_a_fork_that_copies_a_call_does_not_double_it(store):
    """The same call at the same time, in another session's transcript, is the same operation."""
    for seed in (ONE, TWO):
        commit(store, edit("c1", "a.toml", "a = 1", "a = 2"), seed=seed)
        tell(store, seed)
    assert targets(store) == ["a.toml:a"]


def test_entries_come_back_as_they_were_told(store):
    """All fields, also what did not go well."""
    commit(store, edit("c1", "a.toml", "a = 1", "a = 2", State.FAILED))
    (done,) = store.projects.pending(ONE.session, 10)
    tell(store)
    assert store.projects.journal("p", 1) == list(entries(done, WHOSE))
    assert store.projects.about("p", "a.toml:a") == store.projects.journal("p", 1)
    assert store.projects.about("p", "a.toml") == []


def test_anchors_follow_files(store):
    """The newest use first; a renamed file or folder takes its anchors with it, a deleted one loses them."""
    commit(
        store,
        edit("c1", "src/a.py", "", "def load():\n    pass", at=1),
        edit("c2", "src/a.py", "LIMIT = 1", "LIMIT = 2", at=2),
        edit("c3", "b.toml", "a = 1", "a = 2", at=3),
        operation(
            "c4", State.DONE, kind=Kind.COMMAND, target="cd /w && mv src lib && rm b.toml", detail={"exit": 0}, at=4
        ),
        operation("c5", State.DONE, kind=Kind.READ, target="/w/c.md", at=5),
    )
    tell(store)
    found = [(anchor.shown, anchor.kind) for anchor in store.projects.anchors("p", 10)]
    assert found[0] == ("c.md", "file")
    assert sorted(found[1:]) == [
        ("lib", "file"),
        ("lib/a.py", "file"),
        ("lib/a.py:LIMIT", "constant"),
        ("lib/a.py:load", "function"),
    ]
    assert [anchor.path for anchor in store.projects.named("p", "a.py")] == ["lib/a.py"]


def test_an_anchor_that_was_not_found_is_marked_until_it_is_used_again(store):
    """A mark is kept in the record and taken away by the next use."""
    commit(store, edit("c1", "a.md", "x", "y"))
    tell(store)
    store.projects.mark("p", [Anchor("a.md", "", "file", 0, stale=True)])
    assert [anchor.stale for anchor in store.projects.anchors("p", 1)] == [True]
    commit(store, edit("c2", "a.md", "y", "z", at=9_000))
    tell(store)
    assert [anchor.stale for anchor in store.projects.anchors("p", 1)] == [False]


def test_what_is_not_in_the_file_is_known(store):
    """Lines wait until they are noted as filed; a write that was begun is known as one that may have got some in."""
    commit(store, edit("c1", "a.toml", "a = 1", "a = 2"))
    tell(store)
    first = store.projects.unfiled("p")
    assert (len(first.lines), first.begun) == (1, False)
    store.projects.filing("p", first.upto)
    assert store.projects.unfiled("p").begun
    assert store.projects.behind() == ["p"]
    store.projects.filed("p", first.upto)
    assert (store.projects.unfiled("p").lines, store.projects.behind()) == ((), [])


def test_a_forgotten_session_takes_its_lines_and_anchors_with_it(store):
    """Another session's stay."""
    commit(store, edit("c1", "a.toml", "a = 1", "a = 2"))
    commit(store, edit("c2", "b.toml", "a = 1", "a = 2"), seed=TWO)
    tell(store)
    tell(store, TWO)
    store.forgetting.forget([ONE.session], 1)
    assert targets(store) == ["b.toml:a"]
    assert [entry.target for entry in store.projects.done_by(TWO.session, 10)] == ["b.toml:a"]
    assert {anchor.path for anchor in store.projects.anchors("p", 10)} == {"b.toml"}
