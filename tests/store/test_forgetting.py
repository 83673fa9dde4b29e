"""Forgetting: nothing is left of a session, and nothing else is touched."""

import sqlite3
from contextlib import closing

import pytest

from memd.model import Facts, Receipt
from memd.store import Seed, Store

from .builders import NOW, ONE, TOOL, TWO, checkpoint, commit, everything, message, operation

CANARY = "zqcanary7788"
CHILD = Seed(f"{ONE.session}/agent", TOOL, "agent", ONE.session, "/transcripts/one/agent.jsonl")


@pytest.fixture
def full(store):
    """Two sessions and a sub-agent, all tables filled, the canary in each text of the first."""
    said = [message(f"k{n}", text=f"{CANARY} number {n} " + "filler " * 400) for n in range(40)]
    commit(store, Facts(cwd="/a", title=CANARY), *said, operation("c", target=CANARY, result=CANARY), reader=CANARY)
    commit(store, message("child", text=CANARY), seed=CHILD)
    commit(store, *(message(f"o{n}", text="other words") for n in range(40)), seed=TWO)
    for number in (1, 2):
        store.checkpoints.add(checkpoint(number), CANARY)
    store.deliveries.give(ONE.session, 2, "ABC123", 1, CANARY, NOW, compactions=0)
    commit(store, Receipt(NOW, 2, 1, 1, "ABC123", ONE.session, CANARY))
    return store


def on_disk(path):
    return [part.name for part in path.parent.iterdir() if CANARY.encode() in part.read_bytes()]


def test_nothing_is_left(full, path):
    """No table, no index, no file of the database holds a byte of what the session said."""
    assert on_disk(path)
    assert full.forgetting.forget([ONE.session], NOW) == [ONE.session, CHILD.session]
    assert full.forgetting.compact()
    assert on_disk(path) == []
    assert (full.session(ONE.session), full.session(CHILD.session), full.deliveries.all(ONE.session)) == (
        None,
        None,
        [],
    )
    assert full.search(CANARY, now=NOW) == []
    assert [row.path for row in full.sources.every()] == [TWO.path]
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
        assert sql.execute("SELECT count(*) FROM vocabulary WHERE term = ?", (CANARY,)).fetchone() == (0,)
        assert sql.execute("SELECT count(*) FROM receipt").fetchone() == (0,)
        assert sql.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_bytes_are_gone_without_a_rewrite(full, path, monkeypatch):
    """A record that is too large to be rewritten is overwritten where it stood."""
    monkeypatch.setattr("memd.store.forgetting.VACUUM_LIMIT", 0)
    full.forgetting.forget([ONE.session], NOW)
    assert full.forgetting.compact()
    assert on_disk(path) == []


def test_a_reader_at_its_place_holds_nothing_back_for_ever(full, path):
    """A reader of an older state is told of; when it is gone, the next turn cleans up."""
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("BEGIN")
        sql.execute("SELECT count(*) FROM message").fetchone()
        full.forgetting.forget([ONE.session], NOW)
        full._db._connection.execute("PRAGMA busy_timeout = 10")
        assert not full.forgetting.compact()
    assert full.forgetting.compact()
    assert on_disk(path) == []


def test_other_sessions_stay_as_they_are(full):
    """What another session said, and what finds it, is untouched."""
    before = everything(full, TWO.session)
    full.forgetting.forget([ONE.session], NOW)
    full.forgetting.compact()
    assert everything(full, TWO.session) == before
    assert len(full.search("other", now=NOW, limit=99)) == 40


def test_a_fork_owns_what_it_copied(store):
    """When the origin is forgotten, its copies are the fork's own rows; of two forks the older one's."""
    three = Seed(f"{TOOL}:three", TOOL, "three", None, "/transcripts/three.jsonl")
    commit(store, message("a", 1), message("b", 2))
    commit(store, Facts(forked_from=ONE.session), message("a", 1), message("b", 2), message("c", 3), seed=TWO)
    commit(store, Facts(forked_from=ONE.session), message("a", 1), message("z", 9), seed=three)
    store.forgetting.forget([ONE.session], NOW)
    assert [record.copy_of for record in store.messages(TWO.session)] == [None, None, None]
    assert [record.copy_of for record in store.messages(three.session)] == [f"{TWO.session}#1", None]


def test_a_sub_agent_alone_can_be_forgotten(full):
    """Its parent stays."""
    assert full.forgetting.forget([CHILD.session], NOW) == [CHILD.session]
    assert full.session(ONE.session).messages == 40


def test_what_is_not_recorded_is_not_forgotten(full):
    """Nothing happens, and no line says that it did."""
    assert full.forgetting.forget(["claude-code:nobody"], NOW) == []
    assert not full.forgetting.is_forgotten("claude-code:nobody", None, "/x", 1)


def test_a_forgotten_transcript_is_known_by_its_session_its_parent_and_its_path(full):
    """Renamed, or a new sub-agent of the session: it stays forgotten until it is wanted again."""
    full.forgetting.forget([ONE.session], NOW)
    assert full.forgetting.is_forgotten(ONE.session, None, "/moved.jsonl", 10**9)
    assert full.forgetting.is_forgotten("claude-code:other", None, ONE.path, 10**9)
    assert full.forgetting.is_forgotten(f"{ONE.session}/new", ONE.session, "/new.jsonl", 1)
    assert not full.forgetting.is_forgotten(TWO.session, None, TWO.path, 1)
    full.forgetting.recall(ONE.session, ONE.path)
    assert not full.forgetting.is_forgotten(ONE.session, None, ONE.path, 1)


def test_what_age_took_comes_back_when_it_goes_on(full):
    """A session that was forgotten for its age is read again once its transcript is larger than it was."""
    full.forgetting.forget([ONE.session], NOW, until_grown=True)
    assert full.forgetting.is_forgotten(ONE.session, None, ONE.path, 100)
    assert not full.forgetting.is_forgotten(ONE.session, None, ONE.path, 101)


def test_it_can_be_recorded_again(full):
    """After that it is a session like any other, from number 1."""
    full.forgetting.forget([ONE.session], NOW)
    full.forgetting.recall(ONE.session, ONE.path)
    assert commit(full, message("k0", text=CANARY)).first == 1
    assert len(full.search(CANARY, now=NOW)) == 1


def test_pins(full):
    """A pin is set once, taken away, and goes with its session."""
    full.forgetting.pin(ONE.session, NOW)
    full.forgetting.pin(ONE.session, NOW + 1)
    full.forgetting.pin(TWO.session, NOW)
    assert full.forgetting.pinned() == {ONE.session, TWO.session}
    full.forgetting.pin(TWO.session, None)
    full.forgetting.forget([ONE.session], NOW)
    assert full.forgetting.pinned() == set()


def test_the_new_tables_survive_reopening(full, path):
    """What was forgotten is known to the next process."""
    full.forgetting.forget([ONE.session], NOW)
    with Store.open(path, readonly=True) as reader:
        assert reader.forgetting.is_forgotten(ONE.session, None, "/x", 1)
