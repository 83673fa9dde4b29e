"""Old transcripts are recorded together by the worker: quicker, and as surely as one by one."""

import sqlite3
import threading
import time
from contextlib import closing
from importlib import import_module

import pytest
from transcript import Transcript

from memd import config
from memd.daemon import again
from memd.daemon import worker as workers
from memd.daemon.jobs import Urgency
from memd.daemon.noting import Noting
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.store import Store
from memd.store.commits import Commits
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
writing = import_module("memd.store.writing")  # its package has what stands for it
COUNT, ROWS = 6, 3
"""Transcripts, and entries of each: a prompt, a call's result, an answer."""


class Backfill:
    """A worker with some old transcripts, held up until it is let go."""

    def __init__(self, folder):
        settings, self.paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
        self.transcripts = [Transcript(folder / "projects" / "-w" / f"session{n}.jsonl") for n in range(COUNT)]
        for one in self.transcripts:
            one.typed("Prompt")
            one.runs("make")
            one.says("Answer")
        self.troubles = []
        self.worker = Worker(
            lambda: Pipeline(settings, self.paths), lambda _: None, lambda text: not self.troubles.append(text)
        )
        self.hold = threading.Event()
        self.worker.start()
        self.worker.ready.result(10)
        self.worker.submit(Urgency.HOOK, lambda _: self.hold.wait(10))
        for number, one in enumerate(self.transcripts):
            self.worker.hint(CLAUDE, one.path, Urgency.BACKFILL, number)

    def recorded(self):
        """How many messages of each another process sees."""
        with Store.open(self.paths.state / "memd.db", readonly=True) as other:
            found = [other.session(one.id) for one in self.transcripts]
        return [one.messages if one else 0 for one in found]

    def until(self, told, expected):
        """Let it go; what is told in the end, or when it was as expected."""
        self.hold.set()
        end = time.monotonic() + 20
        while (found := told()) != expected and time.monotonic() < end:
            time.sleep(0.01)
        return found

    def sees(self, expected):
        """Let it go; whether others come to see that."""
        return self.until(self.recorded, expected) == expected

    def waiting(self):
        """What failed and waits, by the number of its transcript."""
        paths = [str(one.path) for one in self.transcripts]
        return sorted((paths.index(held.what), held.code) for held in self.worker.held())


@pytest.fixture
def backfill(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "TOGETHER", 60.0)
    monkeypatch.setattr(again, "AGAIN", 1.5)
    backfill = Backfill(tmp_path)
    yield backfill
    backfill.hold.set()
    backfill.worker.stop()
    backfill.worker.join(10)


@pytest.fixture
def commits(monkeypatch):
    """How many transcripts were written when a transaction was committed."""
    written, commits = [], []
    write, commit = writing._commit, Commits._commit

    def counted(sql, seed, *args):
        written.append(seed.session)
        return write(sql, seed, *args)

    def noted(self):
        commits.append(len(written))
        commit(self)

    monkeypatch.setattr(writing, "_commit", counted)
    monkeypatch.setattr(Commits, "_commit", noted)
    return commits


def test_they_are_one_transaction(backfill, commits):
    """All six, as nothing else is to be done meanwhile."""
    assert backfill.sees([ROWS] * COUNT)
    assert next(count for count in commits if count) == COUNT


def test_what_follows_comes_when_they_are_recorded(backfill, monkeypatch):
    """The journal and proofs tell of nothing that could still be taken back."""
    seen, follow = [], Noting._follow

    def followed(self, tool, step):
        seen.append(backfill.recorded())
        follow(self, tool, step)

    monkeypatch.setattr(Noting, "_follow", followed)
    all_of_them = [[ROWS] * COUNT] * COUNT
    assert backfill.until(lambda: seen[:COUNT], all_of_them) == all_of_them


def test_calls_without_a_project_are_looked_at_in_the_same_transaction(backfill, monkeypatch):
    """Nothing of them is written elsewhere; with a transaction of its own each session's were written twice."""
    seen = []

    def followed(*_):
        with closing(sqlite3.connect(backfill.paths.state / "memd.db")) as other:
            seen.append(other.execute("SELECT count(*), sum(journalled) FROM operation").fetchone())

    monkeypatch.setattr(Noting, "_follow", followed)
    assert backfill.until(lambda: seen[:1], [(COUNT, COUNT)]) == [(COUNT, COUNT)]


def test_what_follows_from_a_live_step_comes_at_once_again(backfill, monkeypatch):
    """Behind a group as before it: nothing waits for a group that is over."""
    seen, follow = [], Noting._follow

    def followed(self, tool, step):
        seen.append(step.session)
        follow(self, tool, step)

    monkeypatch.setattr(Noting, "_follow", followed)
    assert backfill.sees([ROWS] * COUNT)
    first = backfill.transcripts[0]
    first.turn("More", answer="Done")
    before = len(seen)
    backfill.worker.hint(CLAUDE, first.path)
    assert backfill.until(lambda: seen[before:], [first.id]) == [first.id]


def test_what_is_urgent_comes_between_what_follows(backfill, monkeypatch):
    """What follows from many steps takes long: a hook waits for one of it, then comes a live transcript's turn."""
    seen, follow, live = [], Noting._follow, backfill.transcripts[COUNT - 1]

    def followed(self, tool, step):
        if not seen:
            live.turn("More", answer="Done")
            backfill.worker.hint(CLAUDE, live.path)
            backfill.worker.submit(Urgency.HOOK, lambda _: seen.append("hook"))
        seen.append(step.session)
        follow(self, tool, step)

    monkeypatch.setattr(Noting, "_follow", followed)
    first, second, *others = [one.id for one in backfill.transcripts]
    expected = [first, "hook", second, live.id, *others]
    assert backfill.until(lambda: seen[:], expected) == expected
    assert backfill.recorded() == [ROWS] * (COUNT - 1) + [ROWS + 2]


def test_a_hook_finds_recorded_what_came_before_it(backfill, monkeypatch):
    """It ends the transaction after the step that runs, and does not wait for the rest."""
    seen, write = [], writing._commit

    def asked(sql, seed, *args):
        if seed.session == backfill.transcripts[2].id:
            backfill.worker.submit(Urgency.HOOK, lambda _: seen.append(backfill.recorded()))
        return write(sql, seed, *args)

    monkeypatch.setattr(writing, "_commit", asked)
    assert backfill.sees([ROWS] * COUNT)
    assert seen == [[ROWS, ROWS, ROWS, 0, 0, 0]]


def test_one_that_fails_costs_the_others_nothing(backfill, monkeypatch):
    """Those before it are read again at once, those behind it are recorded, and itself it is tried again later."""
    write, failed = writing._commit, []

    def failing(sql, seed, *args):
        made = write(sql, seed, *args)
        if seed.session == backfill.transcripts[3].id and not failed:
            failed.append(seed.session)
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return made

    monkeypatch.setattr(writing, "_commit", failing)
    assert backfill.sees([ROWS, ROWS, ROWS, 0, ROWS, ROWS])
    assert backfill.waiting() == [(3, "store-trouble")]
    assert backfill.sees([ROWS] * COUNT)
    assert len(backfill.troubles) == 1


def _full():
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.parametrize("error", [_full(), ValueError("a defect")])
def test_what_fails_at_the_end_is_told_of_each(backfill, monkeypatch, error):
    """Nothing of them is recorded, all of them wait, whatever it was, and later each is recorded once."""
    commit, full = Commits._commit, []

    def failing(self):
        if self._together is not None and not full:
            full.append(True)
            raise error
        commit(self)

    monkeypatch.setattr(Commits, "_commit", failing)
    all_of_them = [(number, "store-trouble") for number in range(COUNT)]
    assert backfill.until(backfill.waiting, all_of_them) == all_of_them
    assert backfill.recorded() == [0] * COUNT
    assert backfill.sees([ROWS] * COUNT)
    assert backfill.until(backfill.waiting, []) == []
