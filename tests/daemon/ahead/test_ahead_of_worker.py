"""The worker gives transcripts away and takes what comes of them: each line is recorded once, in its place."""

import gc
import itertools
import threading
import time

import pytest
from owner import CLAUDE, STEP, texts, whole, written

from memd import config
from memd.daemon import child, forgetting
from memd.daemon.ahead import Ahead
from memd.daemon.jobs import Made, Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker


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


def test_a_worker_with_nothing_to_do_takes_back_what_is_not_begun(worker, tmp_path, monkeypatch):
    """The end of a backfill is shared: the second process does not read alone what it was given at once."""
    back, take_back = [], Ahead.take_back
    monkeypatch.setattr(Ahead, "take_back", lambda ahead: back.append(taken := take_back(ahead)) or taken)
    many = [written(tmp_path, f"session{number}") for number in range(8)]
    for number, one in enumerate(many):
        worker.hint(CLAUDE, one.path, Urgency.BACKFILL, number)
    assert all_of(worker, many) == ([whole()] * 8, [[1]] * 8)
    assert any(back)


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
        while len([job for job in list(worker._jobs._others) if isinstance(job, Made)]) < 2:
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
