"""A second process that ends, hangs or answers rubbish: its owner reads on, each line once."""

import subprocess
import threading
import time

import pytest
from owner import CLAUDE, texts, whole, written

from memd.daemon import ahead, child, life
from memd.errors import told


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


def test_one_that_ends_again_and_again_is_not_started_for_an_hour(owner, tmp_path, monkeypatch):
    """A daemon lives for months: what ended it may be over, and then it is used as before."""
    many = [written(tmp_path, f"session{number}", prompts=3) for number in range(5)]
    with monkeypatch.context() as broken:
        broken.setattr(child, "_PROGRAM", "raise SystemExit(3)")
        for one in many[:3]:
            owner.give(one.path)
            owner.settle(one.path)
    assert owner.troubles[-1] == "the second process has ended 3 times, and is not started for an hour"
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, many[3].path, (4, 0.0), patient=True)
    owner.settle(many[3].path)
    assert owner.taken == 0
    now = time.monotonic()
    monkeypatch.setattr(ahead.time, "monotonic", lambda: now + 3600)
    owner.give(many[4].path)
    owner.settle(many[4].path)
    assert [texts(owner.pipeline, one) for one in many] == [whole(3)] * 5
    assert owner.taken > 0


def test_answers_of_an_ended_one_are_not_counted_for_the_next(owner, tmp_path, monkeypatch):
    """Each life waits for its own answers: one of another that is taken late does not let it run further ahead."""
    monkeypatch.setattr(life, "IDLE", 0.05)
    first, other = written(tmp_path, "session1"), written(tmp_path, "session2")
    owner.give(first.path)
    owner.ahead._second.join(30)
    late = [owner.came.get() for _ in range(owner.came.qsize())]
    monkeypatch.setattr(life, "ANSWERS", 1)
    owner.give(other.path)
    for came in late:
        owner.ahead.settle(owner.pipeline, came)
    ahead_by_one = owner.came.get(timeout=30)
    time.sleep(0.2)
    assert owner.came.empty()
    owner.came.put(ahead_by_one)
    owner.settle(other.path)
    assert [texts(owner.pipeline, one) for one in (first, other)] == [whole()] * 2


@pytest.mark.parametrize(
    ("whose", "error"),
    [
        ((threading.Thread, "start"), RuntimeError("can't start new thread")),
        ((subprocess, "Popen"), BlockingIOError(11, "Resource temporarily unavailable")),
    ],
)
def test_a_machine_that_gives_no_more(owner, transcript, monkeypatch, whose, error):
    """Neither thread nor process: its owner reads by itself, and says so; nothing waits for an answer that cannot come."""

    def refused(*_, **__):
        raise error

    children, popen = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: children.append(one := popen(*a, **k)) or one)
    monkeypatch.setattr(*whose, refused)
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    owner.settle(transcript.path)
    assert (owner.ahead.holds(transcript.path), texts(owner.pipeline, transcript)) == (False, whole())
    assert told(error) in owner.troubles[0]
    assert None not in [one.returncode for one in children]


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


def test_one_that_it_failed_with_is_not_given_again(owner, transcript, monkeypatch):
    """What ended it once would end it again."""
    monkeypatch.setattr(child, "_PROGRAM", "raise SystemExit(3)")
    owner.give(transcript.path)
    owner.settle(transcript.path)
    transcript.turn("More.")
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
