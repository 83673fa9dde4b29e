"""Models beside the daemon's work: begun when it is due, ended with the daemon, and never waited for."""

import dataclasses
import socket
import sys
import time
from functools import partial

import pytest
from judged import TEXTS
from transcript import Transcript
from writer_program import Program

from memd import config
from memd.checkpoint import scene
from memd.daemon.desk import Desk
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.daemon.writing import Writing
from memd.store import Store
from memd.tools.registry import TOOLS

SESSION = "5d1f0c1e-7b1a-4b7e-9a52-000000000001"
NAME = f"claude-code:{SESSION}"
ANSWER = f"<scene>\n{scene.document(TEXTS | {'Next step': '- Asked (#1): Make it fast. Read retry.py.'})}</scene>"


class Running:
    """What `memd run` wires together for models."""

    def __init__(self, folder, *, automatic=True, **settings):
        chosen, paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
        at = {"at": 0.05}  # of 167,000: the transcript's usage is 9,000
        caps = dataclasses.replace(chosen.checkpoint, **(at | settings))
        chosen = dataclasses.replace(chosen, checkpoint=caps)
        self.program = Program(folder)
        self.transcript = Transcript(folder / "projects" / "-srv-work" / f"{SESSION}.jsonl")
        self.told = []
        self.worker = Worker(partial(Pipeline, chosen, paths), lambda _: (Urgency.LIVE, 0.0), lambda _: True)
        self.desk = Desk(Writing(chosen, paths, self.program.env), self.worker, self.told.append, automatic=automatic)
        self.worker.refreshes.refreshed = self.desk.look
        self.worker.start()
        self.worker.ready.result(10)
        self.store = Store.open(paths.state / "memd.db", readonly=True)

    def says(self, words):
        self.transcript.turn(words)
        self.worker.hint(TOOLS["claude-code"], self.transcript.path)

    def until(self, holds, seconds=20):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, (self.told, self.outcomes)
            time.sleep(0.02)

    @property
    def outcomes(self):
        return [run.outcome for run in self.store.judging.runs(NAME)]

    def writers(self):
        made = self.store.checkpoints.current(NAME)
        return made.writer if made else None

    def close(self):
        self.desk.stop()
        self.worker.stop()
        self.worker.join(10)
        self.store.close()


@pytest.fixture
def running(tmp_path):
    running = Running(tmp_path)
    yield running
    running.close()


def test_a_model_writes_once_when_the_context_is_full_enough(running):
    """After the refresh that found it due; the turns after it begin none until the next compaction."""
    running.program.plays({"answer": ANSWER})
    running.says("Make it fast")
    running.until(lambda: running.writers() == "agent")
    running.says("Go on then")
    running.until(lambda: running.writers() == "extractive")
    assert running.outcomes == ["written"]
    running.transcript.compacts()
    running.program.plays({"answer": ANSWER.replace("#1", "#6")})
    running.says("And the docs")
    running.until(lambda: running.outcomes == ["written", "written"])
    assert (running.told, running.store.checkpoints.current(NAME).problems) == ([], ())


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_models_client_inherits_nothing(running):
    """Neither the record nor a socket, not even one that a library left inheritable: its children may live on for hours."""
    with socket.socket() as left:
        left.set_inheritable(True)
        running.program.plays({"answer": ANSWER})
        running.says("Make it fast")
        running.until(lambda: running.outcomes == ["written"])
    (run,) = running.program.runs
    assert [name for name in run["open"] if "socket:" in name or ".db" in name or ".lock" in name] == []
    assert len(run["open"]) > 2


@pytest.mark.parametrize(("step", "writes"), [(8_000, True), (10_000, False)])
def test_a_price_step_comes_first(tmp_path, step, writes):
    """From so many tokens on a context costs more: a model writes there, and not only near the compaction."""
    running = Running(tmp_path, at=0.8, price_step=step)
    running.program.plays({"answer": ANSWER})
    running.says("Make it fast")
    running.until(lambda: running.writers() == ("agent" if writes else "extractive"))
    time.sleep(0.2)
    assert running.outcomes == ["written"] * writes
    running.close()


def test_a_compaction_while_a_model_writes_begins_no_second_run(running):
    """What is being written is used when it is done, with what came since beside it; then the new cycle has its own."""
    running.program.plays({"answer": ANSWER, "sleep": 1.5}, {"answer": ANSWER.replace("#1", "#6")})
    running.says("Make it fast")
    running.until(lambda: running.program.runs)
    running.transcript.compacts()
    running.says("And the docs")
    running.until(lambda: running.store.checkpoints.current(NAME).upto == 5)
    assert running.outcomes == ["running"]
    running.until(lambda: running.outcomes == ["written"])
    running.says("And the tests")
    running.until(lambda: running.outcomes == ["written", "written"])
    assert running.told == []
    assert running.writers() == "agent"


@pytest.mark.parametrize("goes", ["ended", "its transcript was deleted", "forgotten"])
def test_a_session_that_goes_while_a_model_writes(running, goes):
    """One that ended, or whose file is gone, has its record still, and gets what was written; one forgotten stays forgotten."""
    running.program.plays({"answer": ANSWER, "sleep": 1.0})
    running.says("Make it fast")
    running.until(lambda: running.program.runs)
    match goes:
        case "ended":
            running.worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.end(NAME)).result(10)
        case "forgotten":
            running.worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.store.forgetting.forget([NAME], 1)).result(
                10
            )
        case _:
            running.transcript.path.unlink()
            running.worker.hint(TOOLS["claude-code"], running.transcript.path)
    if goes == "forgotten":
        time.sleep(2)
        assert (running.store.session(NAME), running.outcomes) == (None, ["dropped"])
    else:
        running.until(lambda: running.outcomes == ["written"])
        assert running.writers() == "agent"
    assert running.told == []


def test_two_failures_are_the_last(running):
    """Then the writer rests; the extractive checkpoint stays current."""
    running.program.plays({"raw": ""})
    for count in (1, 2):
        running.says("Make it fast")
        running.until(lambda count=count: running.outcomes.count("failed") == count)
    running.says("Go on then")
    running.until(lambda: running.store.checkpoints.current(NAME).upto == 6)
    assert running.outcomes.count("failed") == 2
    assert running.writers() == "extractive"


def test_the_end_of_the_daemon_ends_a_run(running):
    """At once, and the next daemon knows that nothing came of it."""
    running.program.plays({"sleep": 600})
    running.says("Make it fast")
    running.until(lambda: running.program.runs)
    start = time.monotonic()
    running.desk.stop()
    assert time.monotonic() - start < 10
    assert running.outcomes == ["running"]
    running.worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.store.judging.abandon_runs()).result(10)
    assert running.outcomes == ["lost"]


def test_nothing_is_run_unasked_where_it_is_not_switched_on(tmp_path):
    """The default: no model, no network, no cost."""
    running = Running(tmp_path, automatic=False)
    running.says("Make it fast")
    running.until(lambda: running.writers() == "extractive")
    time.sleep(0.3)
    assert (running.outcomes, running.program.runs) == ([], [])
    running.close()
