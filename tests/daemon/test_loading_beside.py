"""A checkpoint that needs the tokenizer waits until it is there; nothing else does."""

import threading
import time

import pytest

from memd import tokens
from memd.daemon import again
from memd.daemon.counting import Counting
from memd.daemon.jobs import Urgency
from memd.daemon.reader import Step
from memd.daemon.worker import Worker
from memd.errors import StoreTrouble


class Pipe:
    """Stands in for the pipeline: writes down whose checkpoint is made."""

    def __init__(self):
        self.made, self.crowded, self.fails = [], set(), []

    def counts(self, session):
        return session not in self.crowded

    def current(self, session):
        if self.fails:
            raise self.fails.pop()
        return False

    def draft_ahead(self, session):
        """Nothing is made ahead."""

    def refresh(self, session, trigger):
        self.made.append(session)

    def unwritten(self, session):
        return None

    def release(self):
        """Nothing is kept in memory."""

    def close(self):
        """Nothing is open."""


class Loading:
    """Stands in for the tokenizer: it is there once it may be; `fails` comes instead."""

    def __init__(self, monkeypatch):
        self.may, self.began, self.there, self.times, self.fails = threading.Event(), threading.Event(), False, 0, None
        monkeypatch.setattr(tokens, "load", self.load)
        monkeypatch.setattr(tokens, "loaded", lambda: self.there)

    def load(self):
        self.times += 1
        self.began.set()
        self.may.wait(10)
        if self.fails is not None:
            raise self.fails
        self.there = True


@pytest.fixture
def loading(monkeypatch):
    return Loading(monkeypatch)


@pytest.fixture
def worker():
    pipe = Pipe()
    worker = Worker(lambda: pipe, lambda _: None, lambda _: True)
    worker.pipe = pipe
    worker.start()
    yield worker
    worker.stop()
    worker.join(10)


def due(worker, session):
    worker.submit(Urgency.HOOK, lambda _: worker.refreshes.plan.due(session, soon=True)).result(10)


def until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_what_is_live_goes_on_meanwhile(worker, loading):
    """The checkpoints that are due, and an old session's, come when the tokenizer is there, and it is loaded once."""
    due(worker, "one")
    loading.began.wait(10)
    due(worker, "two")
    worker.refresh("old", Urgency.LAST, 0.0)
    until(worker.refreshes.held_up)
    assert worker.submit(Urgency.LAST, lambda _: "live").result(10) == "live"
    assert (worker.pipe.made, worker.depth()) == ([], 2)
    loading.may.set()
    until(lambda: len(worker.pipe.made) == 3)
    assert (sorted(worker.pipe.made), loading.times, worker.depth()) == (["old", "one", "two"], 1, 0)


class Panic(BaseException):
    """As of tiktoken's Rust: no Exception."""


@pytest.mark.parametrize("fails", [MemoryError(), OSError("no such file"), Panic()])
def test_what_is_in_the_way_is_met_by_who_counts(worker, loading, fails):
    """A tokenizer that cannot be loaded keeps no checkpoint from being tried, where it is told; the next tries again."""
    loading.fails = fails
    loading.may.set()
    due(worker, "one")
    until(lambda: worker.pipe.made == ["one"])
    due(worker, "two")
    until(lambda: worker.pipe.made == ["one", "two"])
    assert loading.times == 2


@pytest.mark.usefixtures("loading")
def test_no_thread_to_be_had(monkeypatch):
    """Then whoever counts loads it."""

    def refused(*_, **__):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert Counting().ready(lambda: None)


def test_a_crowded_session_waits_for_none(worker, loading):
    """Its texts are counted by rule of thumb."""
    worker.pipe.crowded.add("crowded")
    due(worker, "crowded")
    until(lambda: worker.pipe.made == ["crowded"])
    assert loading.times == 0


def test_an_old_session_of_which_the_record_could_not_be_asked(worker, loading, monkeypatch):
    """Its checkpoint is made by and by, and its next step asks for one again."""
    monkeypatch.setattr(again, "AGAIN", 0.05)
    loading.there, worker.pipe.fails, step = True, [StoreTrouble("locked")], Step("old", changed=True)
    turn = (Urgency.BACKFILL, 1.0)
    worker.submit(Urgency.HOOK, lambda _: worker._note(step, turn)).result(10)
    until(lambda: worker.pipe.made == ["old"])
    assert worker.held() == ()
    worker.submit(Urgency.HOOK, lambda _: worker._note(step, turn)).result(10)
    until(lambda: worker.pipe.made == ["old", "old"])


def test_the_end_waits_for_what_is_loaded(worker, loading):
    """Python that ends while a thread is in tiktoken is aborted: the service manager would tell of a crash."""
    worker.refresh("old", Urgency.LAST, 0.0)
    loading.began.wait(10)
    worker.stop()
    worker.join(0.2)
    assert worker.is_alive()
    loading.may.set()
    worker.join(10)
    assert not worker.is_alive()
