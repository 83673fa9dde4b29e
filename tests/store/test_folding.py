"""The log is folded in beside the commits: none of them waits for the disk, and it does not grow on."""

import os
import sqlite3
import threading
import time

import pytest

from memd.store import Store
from memd.store.folding import BESIDE, LIMIT, Folding


@pytest.fixture
def store(path):
    """One whose writer folds nothing in itself."""
    with Store.open(path) as store:
        store._db._connection.execute("PRAGMA wal_autocheckpoint = 0")
        yield store


def write(store, size):
    """So many bytes, in commits of a hundred kilobytes."""
    for number in range(size // 100_000):
        store.meta_set("filler", f"{number}" + "x" * 100_000)


def log(path):
    return os.path.getsize(f"{path}-wal")


def test_a_long_log_is_folded_in_and_begun_anew(store, path):
    """By a thread of its own, which comes with the first long one; the file has all of it then."""
    write(store, LIMIT)
    assert store._db.folding._thread is None
    end = time.monotonic() + 10
    while store._db.folding._thread is None or log(path) > LIMIT:
        assert time.monotonic() < end
        write(store, BESIDE // 8)
        time.sleep(0.02)
    assert (store._db.folding._thread.name, os.path.getsize(path) > 100_000) == ("memd-fold", True)


def test_closing_ends_the_thread_and_leaves_no_log(path):
    """The connection that is closed last folds all in: the thread's is closed before."""
    with Store.open(path) as store:
        write(store, LIMIT + 2 * BESIDE)
        thread = store._db.folding._thread
    assert not thread.is_alive()
    assert sorted(one.name for one in path.parent.iterdir() if one.name.startswith(path.name)) == [path.name]


def test_emptying_the_log_waits_for_the_thread(store, path):
    """Who deletes wants nothing left in it: SQLite would say at once that somebody is at it."""
    begun, ended = threading.Event(), threading.Event()

    def fold():
        with store._db.folding.still():
            begun.set()
            time.sleep(0.1)
            ended.set()

    write(store, BESIDE // 2)
    threading.Thread(target=fold).start()
    begun.wait(10)
    assert (store.forgetting.compact(), ended.is_set(), log(path)) == (True, True, 0)


def test_without_a_thread_the_writer_does_it(path, monkeypatch):
    """Where the machine gives none."""

    def refused(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with Store.open(path) as store:
        write(store, 3 * LIMIT)
        assert log(path) < 3 * LIMIT


def test_a_record_that_is_gone(tmp_path):
    """There is no log to be looked at."""
    folding = Folding(tmp_path / "memd.db")
    folding.look()
    folding.stop()


def test_a_fold_that_failed_is_not_the_last(store, path, monkeypatch):
    """The disk may be full for a while."""
    with monkeypatch.context() as short:
        short.setattr("memd.store.folding.sqlite3.connect", refused)
        write(store, LIMIT + BESIDE + 200_000)
        first = store._db.folding._thread
        first.join(10)
    write(store, 2 * BESIDE)
    assert first is not store._db.folding._thread
    assert store._db.folding._thread.is_alive()


def refused(*_, **__):
    raise sqlite3.OperationalError("disk I/O error")


def test_being_ended_while_it_is_asked_is_not_missed(store, path):
    """Who closes the record waits for the thread: it looks whether it is to end behind taking a wish, not before."""

    class Ending(threading.Event):
        def clear(self):
            folding._over = True
            self.set()
            super().clear()

    folding = Folding(path)
    folding._asked = Ending()
    folding._asked.set()
    folding._start()
    folding._thread.join(5)
    assert not folding._thread.is_alive()
