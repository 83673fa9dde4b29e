"""The worker: what goes first, what is tried again, and that it outlives what it does."""

import asyncio
import os
import threading
import time
from contextlib import contextmanager

import pytest
from chain import Chain

from memd import config
from memd.daemon import again, loop, planning
from memd.daemon.again import Held
from memd.daemon.ahead import Ahead
from memd.daemon.jobs import Urgency
from memd.daemon.place import Place
from memd.daemon.reader import Step
from memd.daemon.worker import Worker
from memd.errors import NotFound, RecordDamaged, SourceUnreadable, StoreTrouble
from memd.files import Lock
from memd.model import Channel, Grade, Record, Source
from memd.store import Store
from memd.store.commits import Together
from memd.tools.protocol import News
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
SAID = Record(1, "k", 0, Channel.HUMAN_TYPED, Grade.PROVED, "Go.", Source(0, 1))


class Pipe:
    """Stands in for the pipeline: writes down what it is asked, in order."""

    def __init__(self):
        self.done = []
        self.sizes = {}  # path -> steps that are left
        self.fails = {}  # path or session -> errors to raise, in turn
        self.copies = []  # what keeps them from being written, in turn
        self.closed = False
        self.holds = {}  # a file that holds transcripts -> news of them

    def news(self, tool, path):
        return self.holds.get(path.name, [News(path)])

    def ask(self, tool, path):
        """Nothing is read elsewhere."""

    def step(self, tool, path):
        self._do("step", path.name)
        left = self.sizes.get(path.name, 1) - 1
        self.sizes[path.name] = max(left, 0)
        return Step(path.stem, added=(SAID,), changed=True, left=left)

    @contextmanager
    def together(self, _):
        together = Together()
        yield together
        together.over()

    def counts(self, session):
        """Nothing is counted."""

    def refresh(self, session, trigger):
        self._do("refresh", session)

    def draft_ahead(self, session):
        """Nothing is made ahead."""

    def unwritten(self, session):
        return self.copies.pop(0) if self.copies else None

    def release(self):
        """Nothing is kept in memory."""

    def close(self):
        self.closed = True

    def _do(self, what, name):
        self.done.append((what, name))
        if self.fails.get(name):
            raise self.fails[name].pop(0)


class Bench:
    def __init__(self):
        self.pipe = Pipe()
        self.troubles = []
        self.worker = Worker(lambda: self.pipe, lambda changed: (Urgency.LIVE, 0.0) if changed else None, self.trouble)
        self.hold = threading.Event()

    def trouble(self, text):
        self.troubles.append(text)
        return True

    def start(self):
        """Start it held up, so that what is asked next is sorted by urgency alone."""
        self.worker.start()
        self.worker.submit(Urgency.HOOK, lambda _: self.hold.wait(10))
        return self

    def rest(self):
        """Let it go, until nothing is left to do."""
        self.hold.set()
        end = time.monotonic() + 10
        while not self.worker.submit(Urgency.BACKFILL, lambda _: self._idle(), order=1e9).result(10):
            assert time.monotonic() < end
            time.sleep(0.002)
        return self.pipe.done

    def _idle(self):
        return not (self.worker.depth() or self.worker.refreshes.plan.sessions or self.worker._again.moments())


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(planning, "SOON", 0.0)
    monkeypatch.setattr(planning, "LATER", 0.02)
    monkeypatch.setattr(again, "AGAIN", 0.02)
    bench = Bench()
    yield bench
    bench.hold.set()
    bench.worker.stop()
    bench.worker.join(10)


def hint(bench, tmp_path, name, urgency=Urgency.LIVE, order=0.0):
    bench.worker.hint(CLAUDE, tmp_path / f"{name}.jsonl", urgency, order)


def test_hooks_commands_live_then_old_ones_newest_first(bench, tmp_path):
    """The backfill waits for everything, and reads the newest transcript first."""
    bench.start()
    for age, name in ((300, "old"), (100, "new"), (200, "middle")):
        hint(bench, tmp_path, name, Urgency.BACKFILL, age)
    hint(bench, tmp_path, "live")
    bench.worker.submit(Urgency.COMMAND, lambda pipe: pipe.done.append(("command", "")))
    bench.worker.submit(Urgency.HOOK, lambda pipe: pipe.done.append(("hook", "")))
    steps = [(what, name) for what, name in bench.rest() if what != "refresh"]
    files = [("step", f"{name}.jsonl") for name in ("live", "new", "middle", "old")]
    assert steps == [("hook", ""), ("command", ""), *files]


def test_a_live_transcript_is_served_in_the_middle_of_the_backfill(bench, tmp_path):
    """A step of the backfill, not all of it, is what a live transcript waits for."""
    bench.pipe.sizes["old.jsonl"] = 50
    hint(bench.start(), tmp_path, "old", Urgency.BACKFILL, 10)
    first = bench.worker.submit(Urgency.BACKFILL, lambda _: hint(bench, tmp_path, "live"), order=10)
    done = bench.rest()
    first.result(1)
    steps = [name for what, name in done if what == "step"]
    assert steps.index("live.jsonl") < 3
    assert steps.count("old.jsonl") == 50


def test_a_busy_transcript_starves_no_checkpoint(bench, tmp_path):
    """A live file with no end of new lines: its checkpoint, and another session's, are made meanwhile."""
    bench.pipe.sizes.update({"busy.jsonl": 200})
    hint(bench.start(), tmp_path, "calm")
    hint(bench, tmp_path, "busy")
    done = bench.rest()
    last = len(done) - 1 - done[::-1].index(("step", "busy.jsonl"))
    assert done.index(("refresh", "calm")) < 5
    assert done.index(("refresh", "busy")) > last - 200


def test_checkpoints_starve_no_reading(bench, tmp_path, monkeypatch):
    """Every session's checkpoint is due all the time: reading goes on, turn by turn."""
    monkeypatch.setattr(planning, "LATER", 0.0)
    for n in range(5):
        bench.pipe.sizes[f"{n}.jsonl"] = 10
        hint(bench, tmp_path, str(n))
    bench.start()
    kinds = [what for what, _ in bench.rest()]
    assert kinds.count("step") == 50
    assert "refresh refresh" not in " ".join(kinds[: kinds.index("step") + 80])


def test_a_draft_is_made_before_the_checkpoint_is_due(bench, tmp_path, monkeypatch):
    """Where somebody spoke, and nothing else is to be done: a hook may come first."""
    monkeypatch.setattr(planning, "SOON", 0.2)
    bench.pipe.draft_ahead = lambda session: bench.pipe._do("draft", session)
    hint(bench.start(), tmp_path, "one")
    bench.worker.submit(Urgency.COMMAND, lambda pipe: pipe.done.append(("command", "")))
    assert bench.rest() == [("command", ""), ("step", "one.jsonl"), ("draft", "one"), ("refresh", "one")]


def test_no_draft_is_made_of_what_is_in_the_checkpoint(bench, tmp_path, monkeypatch):
    """The checkpoint came first."""
    monkeypatch.setattr(planning, "SOON", 0.2)
    bench.pipe.draft_ahead = lambda session: bench.pipe._do("draft", session)
    hint(bench.start(), tmp_path, "one")
    bench.worker.submit(Urgency.LAST, lambda pipe: bench.worker.refreshes.make(pipe, "one"))
    assert bench.rest() == [("step", "one.jsonl"), ("refresh", "one")]


def test_a_draft_that_fails_costs_nothing_else(bench, tmp_path, monkeypatch):
    """It is told, and the checkpoint is tried when it is due."""
    monkeypatch.setattr(planning, "SOON", 0.2)
    bench.pipe.fails["one"] = [ValueError("odd")]
    bench.pipe.draft_ahead = lambda session: bench.pipe._do("draft", session)
    hint(bench.start(), tmp_path, "one")
    assert bench.rest() == [("step", "one.jsonl"), ("draft", "one"), ("refresh", "one")]
    assert bench.troubles == ["ValueError: odd"]


def test_no_draft_is_made_ahead_in_a_crowd(bench, tmp_path, monkeypatch):
    """There checkpoints wait for each other, and reading comes first."""
    monkeypatch.setattr(planning, "SOON", 0.2)
    bench.pipe.draft_ahead = lambda session: bench.pipe._do("draft", session)
    bench.start()
    for n in range(planning.CROWD):
        hint(bench, tmp_path, str(n))
    assert not [name for what, name in bench.rest() if what == "draft"]


@pytest.mark.parametrize(("sessions", "waits"), [(2, False), (planning.CROWD + 2, True)])
def test_checkpoints_wait_for_each_other_only_in_a_crowd(bench, monkeypatch, sessions, waits):
    """A person with a few sessions has each checkpoint as soon as it is due; among many, reading has most of the time."""
    begun, refresh = [], bench.pipe.refresh

    def slow(session, trigger):
        begun.append(time.monotonic())
        time.sleep(0.05)
        refresh(session, trigger)

    monkeypatch.setattr(bench.pipe, "refresh", slow)
    bench.start()
    for n in range(sessions):
        bench.worker.refreshes.note(Step(str(n), added=(SAID,), changed=True))
    bench.rest()
    assert (begun[1] - begun[0] > 0.05 * planning.PAUSE, len(begun)) == (waits, sessions)


def test_a_huge_session_is_refreshed_less_often_while_its_turn_runs(bench):
    """Its checkpoints may take a tenth of the time; what a person says does not wait for that."""
    bench.start()
    bench.worker.refreshes.plan._cost["huge"] = 5.0
    bench.worker.refreshes.note(Step("huge", changed=True))
    assert bench.worker.refreshes.plan.moments()[0] > time.monotonic() + 40
    bench.worker.refreshes.note(Step("huge", added=(SAID,), changed=True))
    assert bench.worker.refreshes.plan.moments()[0] <= time.monotonic()


@pytest.mark.parametrize(("reads", "least", "most"), [(True, 8, 10), (False, 0, 2)])
def test_a_running_turn_waits_longer_while_old_transcripts_are_read(bench, monkeypatch, reads, least, most):
    """They want all of the processor; what a person said waits for nothing."""
    monkeypatch.setattr(planning, "LATER", 2.0)
    monkeypatch.setattr(Ahead, "in_hand", int(reads))
    worker, live = bench.start().worker, (Urgency.LIVE, 0.0)
    worker._note(Step("one", changed=True), live)
    assert least < worker.refreshes.plan.moments()[0] - time.monotonic() < most
    worker._note(Step("one", added=(SAID,), changed=True), live)
    assert worker.refreshes.plan.moments()[0] <= time.monotonic()


def test_many_hints_are_one_job(bench, tmp_path):
    bench.start()
    for _ in range(100):
        hint(bench, tmp_path, "live")
    assert bench.worker.depth() <= 2
    assert [name for what, name in bench.rest() if what == "step"] == ["live.jsonl"]


def test_a_hint_during_the_step_is_not_lost(bench, tmp_path):
    """The file grew while it was being read: the hint that came then makes another step."""
    bench.start()
    step, hinted = bench.pipe.step, []

    def growing(tool, path):
        if not hinted:
            hinted.append(1)
            hint(bench, tmp_path, "live")
        return step(tool, path)

    bench.pipe.step = growing
    hint(bench, tmp_path, "live")
    assert [name for what, name in bench.rest() if what == "step"] == ["live.jsonl"] * 2


REFUSED = [
    (SourceUnreadable("x: permission denied"), "x: permission denied"),
    (StoreTrouble("the disk is full"), "the disk is full"),
    (MemoryError(), "there is no memory left"),
    (
        ImportError("libz.so.1: failed to map segment"),
        "a module cannot be loaded now: libz.so.1: failed to map segment",
    ),
]


@pytest.mark.parametrize(("error", "said"), REFUSED)
def test_what_the_machine_refuses_is_tried_again_without_a_hint(bench, tmp_path, error, said):
    """Nobody may touch the file again, nor the session go on: memd comes back to it by itself."""
    bench.pipe.fails = {"live.jsonl": [error, error], "live": [error]}
    hint(bench.start(), tmp_path, "live")
    done = bench.rest()
    assert [name for what, name in done if what == "step"] == ["live.jsonl"] * 3
    assert [name for what, name in done if what == "refresh"] == ["live"] * 2
    assert bench.troubles == [said, said, f"live: {said}"]


def test_what_waits_to_be_tried_again_is_told_until_it_is_done(bench, tmp_path, monkeypatch):
    """With the code of its reason; a checkpoint by its session; what nobody may read again is told as long as that lasts."""
    monkeypatch.setattr(again, "AGAIN", 0.3)
    live, other = tmp_path / "live.jsonl", tmp_path / "other.jsonl"
    bench.pipe.fails = {
        "live.jsonl": [SourceUnreadable("x: permission denied")],
        "other.jsonl": [StoreTrouble("the disk is full")] * 2,
        "live": [OSError(28, "No space left on device", "/y")],
    }
    for name in ("live", "other"):
        hint(bench, tmp_path, name)
    bench.start().hold.set()
    told = [
        Held(str(live), "source-unreadable", "x: permission denied"),
        Held(str(other), "store-trouble", "the disk is full"),
        Held("live", "checkpoint-failed", "/y: No space left on device"),
    ]
    seen = []
    end = time.monotonic() + 10
    while len(bench.pipe.done) < 7:
        seen += [one for one in bench.worker.held() if one not in seen]
        assert time.monotonic() < end
        time.sleep(0.002)
    bench.rest()
    assert seen == told
    assert bench.worker.held() == ()


def test_copies_that_cannot_be_written_are_tried_again_and_hold_no_model_up(bench, tmp_path):
    """The checkpoint is made, so what comes after it does; that copies wait is told under a code of its own."""
    bench.pipe.copies = [OSError(21, "Is a directory", "/y")]
    seen = []
    bench.worker.refreshes.refreshed = lambda _, session: seen.append((session, bench.worker.held()))
    hint(bench.start(), tmp_path, "live")
    assert bench.rest().count(("refresh", "live")) == 2
    assert seen == [("live", (Held("live", "copies-unwritten", "/y: Is a directory"),)), ("live", ())]
    assert bench.troubles == ["live: /y: Is a directory"]


def test_a_checkpoint_that_the_disk_refused_is_made_later(bench, tmp_path):
    bench.pipe.fails["live"] = [OSError(28, "No space left on device"), StoreTrouble("the disk is full")]
    hint(bench.start(), tmp_path, "live")
    assert bench.rest().count(("refresh", "live")) == 3


def test_a_defect_ends_its_job_and_nothing_else(bench, tmp_path):
    """A row that breaks the parser is told, and the next transcript is read; trying again would break again."""
    bench.pipe.fails["broken.jsonl"] = [ZeroDivisionError("a defect")]
    bench.start()
    hint(bench, tmp_path, "broken")
    hint(bench, tmp_path, "sound")
    assert [name for what, name in bench.rest() if what == "step"] == ["broken.jsonl", "sound.jsonl"]
    assert bench.troubles == ["ZeroDivisionError: a defect"]


def test_what_a_person_asked_wrongly_is_no_trouble_of_the_daemons(bench):
    def wrong(_):
        raise NotFound("no such file")

    asked = bench.start().worker.submit(Urgency.COMMAND, wrong)
    bench.rest()
    assert (str(asked.exception(5)), bench.troubles) == ("no such file", [])


def test_a_job_that_nobody_waits_for_any_more_harms_nothing(bench):
    """The daemon cancels what its clients wait for when it stops."""
    bench.start()
    asked = bench.worker.submit(Urgency.COMMAND, lambda pipe: pipe.done.append(("command", "")))
    assert asked.cancel()
    assert ("command", "") not in bench.rest()
    assert bench.worker.is_alive()


def test_stopping_makes_the_checkpoints_that_are_due_and_closes(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "SOON", 60.0)
    hint(bench.start(), tmp_path, "live")
    bench.hold.set()
    bench.worker.submit(Urgency.BACKFILL, lambda _: None).result(5)
    assert ("refresh", "live") not in bench.pipe.done
    bench.worker.stop()
    assert bench.worker.ended.result(5) is None
    assert (bench.pipe.done[-1], bench.pipe.closed) == (("refresh", "live"), True)


def test_a_record_that_cannot_be_opened_is_told_to_who_waits(bench):
    def refuse():
        raise StoreTrouble("damaged")

    worker = Worker(refuse, lambda _: None, bench.trouble)
    worker.start()
    with pytest.raises(StoreTrouble, match="damaged"):
        worker.ready.result(5)
    worker.join(5)
    bench.start()


def test_a_worker_that_dies_says_so(bench, monkeypatch):
    """The daemon must not live on without it: its service manager starts a sound one."""
    bench.start()
    monkeypatch.setattr(bench.worker, "_take", lambda: os.fspath(7))
    bench.hold.set()
    with pytest.raises(TypeError):
        bench.worker.ended.result(5)
    assert bench.pipe.closed


def test_a_file_that_holds_transcripts_has_those_read_that_have_news(bench, tmp_path):
    """Those that are too old to be read are left, and the file itself is none."""
    bench.pipe.holds["db.jsonl"] = [News(tmp_path / "db" / "new", 1.0), News(tmp_path / "db" / "old", 0.0)]
    hint(bench.start(), tmp_path, "db")
    bench.rest()

    assert [what for what in bench.pipe.done if what[0] == "step"] == [("step", "new")]


@pytest.mark.parametrize("whole", [True, False])
def test_a_damaged_record_ends_the_thread(tmp_path, monkeypatch, whole):
    """Nothing can be done with it; where a look finds the file whole the thread goes on."""
    monkeypatch.setattr(Store, "sound", lambda _: whole)
    chain = Chain(tmp_path)

    def met(_):
        raise RecordDamaged("the file is damaged")

    with pytest.raises(RecordDamaged):
        chain.job(met)
    if whole:
        assert chain.job(lambda _: 7) == 7
        chain.close()
    else:
        with pytest.raises(RecordDamaged):
            chain.worker.ended.result(10)
        chain.store.close()
        chain._runner.close()


def test_a_daemon_whose_record_is_damaged_goes_on_with_a_new_one(tmp_path, monkeypatch):
    """The same process: the old record is set aside whole, its log first, and what was kept is in the folder."""
    chosen, paths = config.load({"MEMD_STATE_DIR": str(tmp_path), "MEMD_CONFIG": "/nowhere"})
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"memd.db{suffix}").write_bytes(b"old" + suffix.encode())
    lives = []

    async def live(_):
        lives.append(sorted(path.name for path in tmp_path.glob("memd.db*")))
        if len(lives) == 1:
            raise RecordDamaged("the file is damaged")

    monkeypatch.setattr(loop.Daemon, "live", live)
    asyncio.run(loop._live(chosen, Place(paths, Lock(tmp_path / "memd.lock")), paths, {"HOME": str(tmp_path)}))
    assert lives == [["memd.db", "memd.db-shm", "memd.db-wal"], []]
    (folder,) = (tmp_path / "damaged").iterdir()
    assert sorted(path.read_bytes() for path in folder.iterdir()) == [b"old", b"old-shm", b"old-wal"]
