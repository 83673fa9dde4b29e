"""Transcripts that are parsed in a second process: whatever becomes of it, each line is recorded once, in its place."""

import gc
import itertools
import os
import queue
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from transcript import Transcript

from memd import config
from memd.daemon import ahead, child, forgetting, keeper, life, reader
from memd.daemon import worker as workers
from memd.daemon.ahead import Ahead
from memd.daemon.ingesting import Ingesting
from memd.daemon.jobs import Made, Urgency
from memd.daemon.parsing import Ask, Parsed
from memd.daemon.pipeline import Pipeline
from memd.daemon.second import GoOn
from memd.daemon.transcripts import find
from memd.daemon.worker import Worker
from memd.errors import NotFound
from memd.store.sources import Places
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
DATA = Path(__file__).parents[1] / "data"
STEP = 4_000


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A few kilobytes are many steps, and worth a process."""
    monkeypatch.setattr(reader, "STEP", STEP)
    monkeypatch.setattr(ahead, "STEP", STEP)
    monkeypatch.setattr(life, "STEP", STEP)
    monkeypatch.setattr(ahead, "ENOUGH", 1)
    monkeypatch.setattr(workers, "ENOUGH", 1)
    monkeypatch.setattr(ahead, "LEAST", 1)
    monkeypatch.setattr(life, "DECK", 1 << 20)


@contextmanager
def opened(folder, **settings):
    settings, paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
    with closing(Pipeline(settings, paths, lambda: 1_000, {"HOME": str(folder)})) as pipeline:
        yield pipeline


class Owner:
    """Stands for the worker: gives away what it can, takes what comes, and reads what is left to it by itself."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.came = queue.SimpleQueue()
        self.troubles = []
        self.ahead = Ahead(self.came.put, self.troubles.append)
        self.taken = 0

    def give(self, path):
        assert self.ahead.offer(self.pipeline, CLAUDE, path, (4, 0.0), patient=True)

    def settle(self, path, before=lambda _: None):
        """All answers of one transcript, then what is left of it; `before` each, something happens."""
        while self.ahead.holds(path):
            came = self.came.get(timeout=30)
            before(came)
            self.taken += self.ahead.settle(self.pipeline, came) is not None
        self.pipeline.read_whole(CLAUDE, path)


@pytest.fixture
def owner(tmp_path):
    with opened(tmp_path) as pipeline:
        owner = Owner(pipeline)
        yield owner
        owner.ahead.stop()


@pytest.fixture
def transcript(tmp_path):
    return written(tmp_path, "5d1f0c1e")


def written(folder, name, prompts=60, **options):
    made = Transcript(folder / "projects" / "-w" / f"{name}.jsonl", **options)
    for number in range(prompts):
        made.turn(f"Prompt {number}", answer=f"Answer {number}")
    return made


def texts(pipeline, transcript):
    return [record.text for record in pipeline.store.messages(transcript.id)]


def whole(prompts=60):
    return [f"{word} {number}" for number in range(prompts) for word in ("Prompt", "Answer")]


def tables(folder):
    with closing(sqlite3.connect(folder / "state" / "memd.db")) as sql:
        return list(sql.iterdump())


@pytest.mark.parametrize("folder", ["claude_code", "codex", "made"])
def test_the_record_is_the_same_to_the_byte(tmp_path, monkeypatch, folder):
    """Recorded transcripts of each tool, read in a second process and without one: all tables are the same."""
    monkeypatch.setattr(keeper, "_code", lambda: "ABCDEF")
    for name in ("first", "second"):
        written(tmp_path / "made", name)
    below = tmp_path / "made" if folder == "made" else DATA / folder
    steps, kept = [], {}
    for enough in (1 << 40, 1):
        monkeypatch.setattr(ahead, "ENOUGH", enough)
        with opened(tmp_path / "there") as pipeline:
            wanted = find([below], None).transcripts
            took = pipeline.take
            monkeypatch.setattr(pipeline, "take", lambda *a, took=took: steps.append(step := took(*a)) or step)
            with Ingesting(pipeline, wanted, pytest.fail) as reading:
                for _ in wanted:
                    with suppress(NotFound):  # one is of memd's own run
                        reading.ingest()
        kept[enough] = tables(tmp_path / "there")
        (tmp_path / "there").rename(tmp_path / str(enough))
        assert bool(steps) == (enough == 1)
    assert None not in steps
    assert kept[1] == kept[1 << 40]


def test_what_is_read_ahead_is_recorded_in_order(owner, transcript):
    """Its steps come one after the other, each made from what the one before left."""
    owner.give(transcript.path)
    owner.settle(transcript.path)
    assert texts(owner.pipeline, transcript) == whole()
    assert owner.taken == 1 + (transcript.path.stat().st_size - 1) // STEP
    assert owner.troubles == []


def test_one_that_is_killed_loses_nothing(owner, transcript, monkeypatch):
    """The owner reads on where it stands, and says so; another process is started for the next one."""
    monkeypatch.setattr(life, "ANSWERS", 1)  # it has not made all of it before it is killed
    owner.give(transcript.path)
    owner.settle(transcript.path, lambda _: owner.ahead._second._child.kill())
    assert texts(owner.pipeline, transcript) == whole()
    assert len(owner.troubles) == 1
    assert "it has ended (-9)" in owner.troubles[0]
    other = written(transcript.path.parent.parent.parent, "other")
    owner.give(other.path)
    owner.settle(other.path)
    assert (texts(owner.pipeline, other), len(owner.troubles)) == (whole(), 1)


def test_one_that_ends_again_and_again_is_started_no_more(owner, tmp_path, monkeypatch):
    monkeypatch.setattr(child, "_PROGRAM", "raise SystemExit(3)")
    for number in range(4):
        one = written(tmp_path, f"session{number}", prompts=3)
        if number < 3:
            owner.give(one.path)
        else:
            assert not owner.ahead.offer(owner.pipeline, CLAUDE, one.path, (4, 0.0), patient=True)
        owner.settle(one.path)
        assert texts(owner.pipeline, one) == whole(3)
    assert owner.taken == 0
    assert owner.troubles[-1] == "the second process has ended 3 times, and is not started any more"


def test_a_machine_that_gives_no_thread(owner, transcript, monkeypatch):
    """Its owner reads by itself, and says so; nothing waits for an answer that cannot come."""

    def refused(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ahead.Second, "start", refused)
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    owner.settle(transcript.path)
    assert (owner.ahead.holds(transcript.path), texts(owner.pipeline, transcript)) == (False, whole())
    assert "can't start new thread" in owner.troubles[0]
    owner.ahead.stop()


@pytest.mark.parametrize(
    "said",
    [
        "os.write(1, b'garbage that is no length and no message')",
        "os.write(1, b'\\0\\0\\0\\3abc')",
        "os.write(1, b'\\0\\0\\0\\1\\xc0')",
        "os.write(1, b'\\0\\0\\0\\6\\x82\\xa4type')",
        "os.write(1, second.framed(second.Hello('0.0.0')))",
        "os.write(1, second.framed(second.Hello(__version__)) + b'\\0\\0\\0\\1\\xc1')",
        "os.write(1, second.framed(second.Hello(__version__))); os.close(1)",
    ],
)
def test_what_makes_no_sense_is_not_recorded(owner, transcript, monkeypatch, said):
    """Rubbish, half a message, another version: it is ended, and told."""
    program = "import os, sys; sys.path[:] = sys.argv[1:]; from memd.daemon import second; from memd import __version__"
    monkeypatch.setattr(child, "_PROGRAM", f"{program}; {said}; sys.stdin.read()")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    assert (texts(owner.pipeline, transcript), owner.taken, len(owner.troubles)) == (whole(), 0, 1)


def test_one_that_does_not_answer_is_not_waited_for(owner, transcript, monkeypatch):
    """It is stopped by someone, or hangs: after its time it is ended."""
    monkeypatch.setattr(child, "PATIENCE", 0.3)
    monkeypatch.setattr(child, "_SLACK", 0.0)
    monkeypatch.setattr(child, "_PROGRAM", "import sys; sys.stdin.read()")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    assert texts(owner.pipeline, transcript) == whole()
    assert "it has not answered within 0 s" in owner.troubles[0]


def test_a_step_that_cannot_be_told_is_made_by_the_owner(owner, transcript):
    """A number of more than 64 bits in a tool's answer goes through no pipe of ours."""
    transcript.uses("Bash", known={"exitCode": 10**30}, command="x", timeout=10**30)
    transcript.uses("mcp__a__b", value=10**30)
    transcript.typed("After it.")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    assert texts(owner.pipeline, transcript)[-1] == "After it."
    assert owner.ahead._died == 0


def test_a_transcript_that_the_owner_read_meanwhile_is_not_recorded_again(owner, transcript):
    """Compare and commit: an answer that was made from what the record does not say any more is let go of."""
    owner.give(transcript.path)
    seen = []

    def read(came):
        if not seen:
            owner.pipeline.step(CLAUDE, transcript.path)
        seen.append(came)

    owner.settle(transcript.path, read)
    assert (texts(owner.pipeline, transcript), owner.taken) == (whole(), 0)


def test_an_answer_that_comes_before_its_turn_is_not_recorded(owner, transcript):
    """Each says what it was made from: without the one before it, what that one read would be passed over."""
    owner.give(transcript.path)
    first, second = (owner.came.get(timeout=30) for _ in range(2))
    owner.came.put(second)
    owner.came.put(first)
    owner.settle(transcript.path)
    assert (texts(owner.pipeline, transcript), owner.taken) == (whole(), 0)


@pytest.mark.parametrize("change", ["truncated", "replaced", "deleted"])
def test_a_transcript_that_changes_meanwhile(owner, transcript, change):
    """What was read of it before is recorded as it was, and what stands there now once: as where nobody reads ahead."""
    owner.give(transcript.path)
    seen = []

    def alter(came):
        seen.append(came)
        if len(seen) != 3:
            return
        if change == "truncated":
            os.truncate(transcript.path, 2_000)
        elif change == "deleted":
            transcript.path.unlink()
        else:
            transcript.path.rename(transcript.path.with_suffix(".old"))
            written(transcript.path.parents[2], transcript.path.stem, prompts=3, session=transcript.session)

    owner.settle(transcript.path, alter)
    found = texts(owner.pipeline, transcript)
    assert found[: 2 * len(seen)] == whole()[: 2 * len(seen)]
    if change == "replaced":
        assert found[-6:] == whole(3)
    else:
        assert found == whole()[: len(found)]
    source = owner.pipeline.store.sources.of(str(transcript.path))
    assert (source.gone_at is not None) == (change == "deleted")


def test_a_session_that_is_forgotten_meanwhile_stays_forgotten(owner, transcript):
    owner.give(transcript.path)
    seen = []

    def forget(came):
        seen.append(came)
        if len(seen) == 2:
            forgetting.forget(owner.pipeline, [transcript.id], 2_000)

    owner.settle(transcript.path, forget)
    assert len(seen) == 2
    assert (texts(owner.pipeline, transcript), owner.pipeline.store.session(transcript.id)) == ([], None)


def test_a_directory_that_is_ignored_is_not_recorded(owner, transcript, monkeypatch):
    """The gate is asked for each answer, as for each step."""
    monkeypatch.setattr(owner.pipeline.gate._ignore, "reason", lambda directory: "ignored")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    assert owner.pipeline.store.session(transcript.id) is None


def test_rows_that_come_meanwhile_are_read(owner, transcript):
    """Behind its last answer the owner looks itself: the process may have looked before the row was there."""
    owner.give(transcript.path)
    owner.settle(transcript.path, lambda came: came.last and transcript.typed("Late."))
    assert texts(owner.pipeline, transcript) == [*whole(), "Late."]


def test_one_that_it_failed_with_is_not_given_again(owner, transcript, monkeypatch):
    """What ended it once would end it again."""
    monkeypatch.setattr(child, "_PROGRAM", "raise SystemExit(3)")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    transcript.turn("More.")
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)


def test_it_runs_ahead_only_so_far(owner, transcript, monkeypatch):
    """Answers that nobody takes are not piled up: it waits."""
    monkeypatch.setattr(life, "ANSWERS", 1)
    owner.give(transcript.path)
    first = owner.came.get(timeout=30)
    time.sleep(0.2)
    assert owner.came.empty()
    owner.came.put(first)
    owner.settle(transcript.path)
    assert texts(owner.pipeline, transcript) == whole()


def test_it_goes_on_where_a_transcript_is_half_read(tmp_path, transcript):
    """After a restart of the daemon: with the state and the places that the record has of it."""
    with opened(tmp_path) as pipeline:
        for _ in range(4):
            pipeline.step(CLAUDE, transcript.path)
        before = len(texts(pipeline, transcript))
    assert 0 < before < 120
    with opened(tmp_path) as pipeline:
        owner = Owner(pipeline)
        places = pipeline.ask(CLAUDE, transcript.path, transcript.path.stat().st_size).places
        assert places
        assert places == dict(pipeline.store.sources.places(str(transcript.path)).items())
        owner.give(transcript.path)
        owner.settle(transcript.path)
        owner.ahead.stop()
        assert (texts(pipeline, transcript), owner.taken > 1) == (whole(), True)


def test_what_is_read_costs_no_look_at_its_places(owner, transcript, monkeypatch):
    """Each transcript is looked at when the daemon starts; a long session's places are megabytes."""
    owner.pipeline.read_whole(CLAUDE, transcript.path)
    monkeypatch.setattr(Places, "whole", lambda _: pytest.fail("all places were read"))
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    monkeypatch.setattr(ahead, "MOST", 1)
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)


def test_it_is_not_started_for_little(owner, transcript, monkeypatch):
    """Its start has to be worth it: what the owner had to read by itself counts until it rests."""
    size = transcript.path.stat().st_size
    monkeypatch.setattr(ahead, "ENOUGH", size + 1)

    def offered():
        return owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)

    assert [offered(), owner.ahead.rest(), offered(), offered()] == [False, None, False, True]


def test_it_ends_when_nothing_is_to_be_done(owner, transcript, monkeypatch):
    """An idle daemon has no child."""
    monkeypatch.setattr(life, "IDLE", 0.05)
    owner.give(transcript.path)
    second = owner.ahead._second
    owner.settle(transcript.path)
    second.join(10)
    assert (second.is_alive(), second._child._child.returncode) == (False, 0)


def test_it_dies_with_its_parent():
    """Also where the parent is killed: its input ends."""
    program = "import sys, time; from memd.daemon.child import Child; one = Child(); print(one.pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        parent.kill()
    end = time.monotonic() + 10
    while running(pid):
        assert time.monotonic() < end
        time.sleep(0.02)


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_step_without_end_ends_it(monkeypatch):
    """By its own clock, whether anybody waits for it or not."""
    program = (
        "import sys; sys.path[:] = sys.argv[1:]; from memd.daemon import second; second.PATIENCE = 0.2;"
        "second.parse = lambda ask: [None for _ in iter(int, 1)]; second.main()"
    )
    monkeypatch.setattr(child, "_PROGRAM", program)
    with child.Child() as one:
        one.send(Ask("claude-code", "/nowhere", "/nowhere"))
        with pytest.raises(EOFError, match=f"-{signal.SIGALRM.value}"):
            one.receive()


def test_it_has_no_environment_and_no_descriptors(tmp_path):
    """It inherits no socket, no open record and no variable."""
    with open(tmp_path / "held", "wb"), child.Child() as one:
        one.send(GoOn())
        one.receive()
        held = {os.readlink(f"/proc/{one.pid}/fd/{name}") for name in os.listdir(f"/proc/{one.pid}/fd")}
        assert {name.partition(":")[0] for name in held} == {"pipe", "/dev/null"}
        assert Path(f"/proc/{one.pid}/environ").read_bytes() == b""


def test_it_imports_only_what_reading_needs():
    """No database, no tokenizer, no log: memory is what it costs."""
    program = "import sys, memd.daemon.second; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sqlite3", "tiktoken", "structlog", "asyncio", "click", "pydantic", "socket", "subprocess"} & {*loaded}


def test_a_large_request_and_a_large_answer_do_not_wait_for_each_other(transcript):
    """Both sides write more than a pipe holds."""
    ask = Ask("claude-code", str(transcript.path), "/nowhere", limit=1 << 20, places={"x" * 100_000: "y" * 3_000_000})
    with child.Child() as one:
        for _ in range(4):
            one.send(ask)
        answers = [one.receive()[0] for _ in range(4)]
    assert [len([e for e in a.events if hasattr(e, "text")]) for a in answers if isinstance(a, Parsed)] == [120] * 4


@pytest.fixture
def worker(tmp_path):
    settings, paths = config.load({"MEMD_STATE_DIR": str(tmp_path / "state"), "MEMD_CONFIG": "/nowhere"})
    troubles = []
    worker = Worker(
        lambda: Pipeline(settings, paths), lambda _: (Urgency.BACKFILL, 0.0), lambda t: not troubles.append(t)
    )
    worker.troubles = troubles
    worker.start()
    worker.ready.result(10)
    yield worker
    worker.stop()
    worker.join(10)
    gc.collect()


def all_of(worker, transcripts, prompts=60, seconds=20):
    """What is recorded, once all of it is, and the numbers of their checkpoints."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = [worker.submit(Urgency.COMMAND, lambda p, t=t: texts(p, t)).result(10) for t in transcripts]
        made = [
            worker.submit(Urgency.COMMAND, lambda p, t=t: p.store.checkpoints.numbers(t.id)).result(10)
            for t in transcripts
        ]
        if all(len(one) >= 2 * prompts for one in found) and all(made):
            break
        time.sleep(0.02)
    return found, made


def test_a_backfill_is_read_by_two(worker, tmp_path):
    """Each transcript whole and once, with one checkpoint made when it was read."""
    many = [written(tmp_path, f"session{number}") for number in range(8)]
    for number, one in enumerate(many):
        worker.hint(CLAUDE, one.path, Urgency.BACKFILL, number)
    assert all_of(worker, many) == ([whole()] * 8, [[1]] * 8)
    assert worker.troubles == []


def test_rows_that_come_behind_the_last_look_need_no_hint(worker, tmp_path, monkeypatch):
    """A hint that came while it was in hand may have been the last one: the worker looks once more by itself."""
    one, settle, rows = written(tmp_path, "session"), Ahead.settle, []

    def late(self, pipeline, came):
        if came.last and not rows:
            rows.append("late")
            one.turn("Late.", answer="Read.")
        return settle(self, pipeline, came)

    monkeypatch.setattr(Ahead, "settle", late)
    worker.hint(CLAUDE, one.path, Urgency.BACKFILL)
    assert all_of(worker, [one], 61)[0] == [[*whole(), "Late.", "Read."]]


def test_a_live_hint_for_a_transcript_in_hand(worker, tmp_path):
    """It goes on while it is read elsewhere: its new rows are read too, each once."""
    many = [written(tmp_path, f"session{number}") for number in range(4)]
    for number, one in enumerate(many):
        worker.hint(CLAUDE, one.path, Urgency.BACKFILL, number)
    for number in range(60, 70):
        for one in many:
            one.turn(f"Prompt {number}", answer=f"Answer {number}")
            worker.hint(CLAUDE, one.path)
        time.sleep(0.01)
    assert all_of(worker, many, 70)[0] == [whole(70)] * 4


def test_answers_are_taken_in_order_when_they_become_urgent(worker, tmp_path, monkeypatch):
    """A transcript of the backfill goes on while one of its answers waits: the next is more urgent, and is taken behind it."""
    one, taken, numbers = written(tmp_path, "session"), [], itertools.count()
    busy, asked, gone_on = threading.Event(), threading.Event(), threading.Event()
    receive, settle = child.Child.receive, Ahead.settle

    def held(self):
        number = next(numbers)
        if number == 0:
            busy.wait(10)
        elif number == 1:
            asked.set()
            gone_on.wait(10)
        return receive(self)

    def go_on(_):
        busy.set()
        asked.wait(10)  # the first answer waits
        worker.hint(CLAUDE, one.path)
        worker.submit(Urgency.LIVE, until_there_are_two)

    def until_there_are_two(_):
        gone_on.set()
        while len([job for job in list(worker._jobs.queue) if isinstance(job, Made)]) < 2:
            time.sleep(0.002)

    monkeypatch.setattr(child.Child, "receive", held)
    monkeypatch.setattr(Ahead, "settle", lambda *a: taken.append(step := settle(*a)) or step)
    worker.hint(CLAUDE, one.path, Urgency.BACKFILL)
    while not worker._ahead.in_hand:
        time.sleep(0.002)
    worker.submit(Urgency.HOOK, go_on)
    assert all_of(worker, [one])[0] == [whole()]
    assert None not in taken


def forgotten(worker, one):
    worker.hint(CLAUDE, one.path)
    all_of(worker, [one])
    worker.submit(Urgency.LAST, lambda pipeline: forgetting.forget(pipeline, [one.id], 2_000)).result(10)


def torn(_, one):
    with open(one.path, "ab") as file:
        file.write(b'{"type":"user","text":"' + b"x" * 2 * STEP)


def nobodys(_, one):
    one.path.write_text('{"a":1}\n' * STEP)


@pytest.mark.parametrize("makes", [forgotten, torn, nobodys])
def test_what_gives_nothing_is_not_asked_for_again_and_again(worker, tmp_path, monkeypatch, makes):
    """A session that was forgotten, a last line without its end, a file of nobody's: both processes come to rest."""
    one, settled, settle = written(tmp_path, "session"), [], Ahead.settle
    makes(worker, one)
    monkeypatch.setattr(Ahead, "settle", lambda *a: settled.append(a) or settle(*a))
    worker.hint(CLAUDE, one.path, Urgency.BACKFILL)
    time.sleep(0.5)
    assert len(settled) < 20
    assert (worker.depth(), worker.troubles) == (0, [])


def test_a_live_transcript_that_is_far_behind_is_read_elsewhere(worker, tmp_path, monkeypatch):
    """What the owner would need many steps for is another's; the owner is free for others."""
    taken = []
    settle = Ahead.settle
    monkeypatch.setattr(Ahead, "settle", lambda *a: taken.append(step := settle(*a)) or step)
    one = written(tmp_path, "session")
    worker.hint(CLAUDE, one.path)
    assert all_of(worker, [one])[0] == [whole()]
    assert len([step for step in taken if step]) > 3


def test_a_huge_transcript_is_read_by_the_owner_alone(owner, tmp_path, monkeypatch):
    """Both would hold a place for each of its prompts."""
    transcript = Transcript(tmp_path / "one.jsonl")
    transcript.turn("Make it fast")
    monkeypatch.setattr(ahead, "MOST", transcript.path.stat().st_size - 1)
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    monkeypatch.setattr(ahead, "MOST", transcript.path.stat().st_size)
    owner.give(transcript.path)
