"""Commits that are recorded as one: all of them or none, and what hangs on them is done accordingly."""

import resource
import sqlite3

import pytest

from memd.errors import StoreTrouble
from memd.model import Channel
from memd.store import Store
from memd.store.commits import Commits

from .builders import NOW, ONE, TWO, commit, everything, message, operation


def found(store, word):
    return [hit.snippet for hit in store.search(word, now=NOW)]


def two(store):
    commit(store, message("a", text="alpha"), operation("c"), seed=ONE)
    commit(store, message("b", text="beta"), seed=TWO)


def test_others_see_all_of_them_at_once(store, path):
    """A reader beside finds neither session before the end, and both behind it, in the index too."""
    with Store.open(path, readonly=True) as other:
        with store.together():
            two(store)
            assert (store.session(ONE.session).messages, store.session(TWO.session).messages) == (1, 1)
            assert (other.session(ONE.session), other.session(TWO.session)) == (None, None)
        assert (other.session(ONE.session).messages, other.session(TWO.session).messages) == (1, 1)
        assert (found(other, "alpha"), found(other, "beta")) == (["alpha"], ["beta"])


def test_the_record_is_the_same(store, tmp_path):
    """Whether they come together or one by one."""
    with Store.open(tmp_path / "other.db") as other:
        two(other)
        with store.together():
            two(store)
        for session in (ONE.session, TWO.session):
            assert everything(store, session) == everything(other, session)


def test_a_failure_takes_back_what_came_before_it(store):
    """What came before it is told that it is lost, and not that it is recorded; what comes behind is recorded."""
    told = []
    with store.together() as together:
        commit(store, message("a", text="alpha"), seed=ONE)
        together.then(lambda: told.append("alpha recorded"))
        together.otherwise(lambda error: told.append(("alpha lost", error)))
        with pytest.raises(AttributeError):
            commit(store, message("x", text="broken", source=None), seed=ONE)
        commit(store, message("b", text="beta"), seed=TWO)
        together.then(lambda: told.append("beta recorded"))
        together.otherwise(lambda error: told.append(("beta lost", error)))
        assert told == []
    assert told == [("alpha lost", None), "beta recorded"]
    assert (store.session(ONE.session), found(store, "alpha"), found(store, "beta")) == (None, [], ["beta"])


def test_what_cannot_be_committed_is_lost_whole(store, monkeypatch):
    """Each is told the reason, and nothing of it is recorded, then or later."""
    told = []

    def full(_):
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    def lost():
        with store.together() as together:
            commit(store, message("a", text="alpha"), seed=ONE)
            together.otherwise(lambda error: told.append(type(error)))

    with monkeypatch.context() as patch:
        patch.setattr(Commits, "_commit", full)
        with pytest.raises(StoreTrouble, match="the disk is full"):
            lost()
    assert (told, store.session(ONE.session)) == ([StoreTrouble], None)
    commit(store, message("b", text="beta"), seed=TWO)
    assert (found(store, "alpha"), found(store, "beta")) == ([], ["beta"])


def test_all_that_follows_is_done_whatever_goes_wrong_with_some(store):
    """One that fails keeps none of the others from it."""
    told = []

    def failing():
        with store.together() as together:
            commit(store, message("a"))
            together.then(lambda: 1 / 0)
            together.then(lambda: told.append("done"))

    with pytest.raises(ZeroDivisionError):
        failing()
    assert told == ["done"]
    assert store.session(ONE.session).messages == 1


def test_a_text_of_a_pack_that_was_taken_back_is_not_remembered(store):
    """The next pack has its number, and other texts."""

    def forty(word):
        return [message(f"k{n}", text=f"{word} {n}", channel=Channel.TOOL_RESULT) for n in range(40)]

    with store.together():
        commit(store, *forty("old"), seed=ONE)
        assert store.messages(ONE.session)[0].text == "old 0"
        with pytest.raises(AttributeError):
            commit(store, message("x", source=None), seed=ONE)
        commit(store, *forty("new"), seed=ONE)
        assert [one.text for one in store.messages(ONE.session)][:2] == ["new 0", "new 1"]


@pytest.mark.parametrize("going_on", [True, False])
def test_what_a_query_made_sqlite_take_back_is_lost_like_the_rest(store, going_on):
    """A disk that fails under a question takes all with it that was written before; what comes behind is recorded, and found."""
    told = []
    commit(store, *(message(f"k{n}", text="x" * 4_000) for n in range(100)), seed=ONE)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    with store.together() as together:
        commit(store, message("a", text="alpha"), seed=TWO)
        together.then(lambda: told.append("alpha recorded"))
        together.otherwise(lambda error: told.append(("alpha lost", error)))
        store._db._connection.execute("PRAGMA cache_size = 1")  # the question needs the place of what was written
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, limit[1]))
        try:
            with pytest.raises(StoreTrouble, match="the disk"):
                store.messages(ONE.session)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        if going_on:
            commit(store, message("b", text="beta"), seed=ONE)
            together.then(lambda: told.append("beta recorded"))
    assert told == [("alpha lost", None)] + ["beta recorded"] * going_on
    assert (store.session(TWO.session), found(store, "alpha"), found(store, "beta")) == (None, [], ["beta"] * going_on)
