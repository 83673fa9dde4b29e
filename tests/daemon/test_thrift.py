"""Memory for a session with thousands of prompts."""

import ctypes
import subprocess
import sys
import time
from contextlib import closing

import pytest
from transcript import Transcript

from memd import tokens
from memd.config import Config, paths
from memd.daemon import keeper, thrift
from memd.daemon.pipeline import Pipeline
from memd.daemon.thrift import FULL, MANY, MORE, MOST, Bound, room_for
from memd.model.once import once
from memd.tools.registry import TOOLS


@once(8)
def remembered(text):
    """What was worked out before."""
    return [text]


def test_for_thousands_of_prompts_what_is_only_remembered_is_let_go():
    """Before they are looked at and after, whatever comes of it."""
    found = [remembered("a")]
    with pytest.raises(IndexError):
        look(found)
    assert found[1] == "the record's"
    assert len({id(one) for one in (found[0], found[2], remembered("a"))}) == 3


def look(found):
    """At many prompts, and fail."""
    with room_for(MANY + 1, lambda: found.append("the record's")):
        found.append(remembered("a"))
        found[9]


def test_for_thousands_of_prompts_the_tokenizer_goes():
    """What was not counted before is counted by rule of thumb meanwhile, in a hook's hurry within it too, and exactly again."""
    tokens.count("a tokenizer is loaded by this text")
    assert tokens.loaded()
    with tokens.hurried():
        with room_for(MANY + 1, lambda: None):
            assert tokens.count("a text that nobody has counted before, unthriftyish") > 0
        assert tokens.count("another one that nobody has counted before") > 0
        assert not tokens.loaded()
    assert tokens.count("a text that nobody has counted before, unthriftyish") == 13
    assert tokens.loaded()


def test_for_others_it_stays():
    """An ordinary session's refresh takes what the one before it worked out."""
    before = remembered("b")
    with room_for(MANY, lambda: pytest.fail("released")):
        assert remembered("b") is before
    assert remembered("b") is before


def test_what_is_remembered_is_bounded_by_what_is_resident(monkeypatch):
    """At the mark it is let go of; where little comes of it not again before so much more is held."""
    held, forgotten = [FULL, FULL + 1, FULL, FULL + MORE, FULL + MORE + 1, 5, FULL, FULL + 1, 5], list[int]()
    monkeypatch.setattr(thrift, "resident", lambda: held.pop(0))
    bound = Bound(lambda: forgotten.append(len(held)))
    for _ in range(6):
        bound.look()
    assert (forgotten, held) == ([7, 4, 1], [])


def test_room_is_made_for_what_is_coming(monkeypatch):
    """Before so much is taken as would go beyond what is held at most."""
    held, forgotten = [MOST - 10, MOST - 9], list[int]()
    monkeypatch.setattr(thrift, "resident", lambda: held.pop(0))
    bound = Bound(lambda: forgotten.append(len(held)))
    for _ in range(2):
        bound.make_room(10)
    assert (forgotten, held) == ([0], [])


def test_before_the_tokenizer_is_loaded_room_is_made(monkeypatch, tmp_path):
    """Its 50 MB come at once; one that is there takes nothing more."""
    monkeypatch.setattr(thrift, "resident", lambda: MOST - tokens.SIZE + 1)
    with closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path)}))) as pipeline:
        for loaded in (True, False):
            monkeypatch.setattr(tokens, "loaded", lambda loaded=loaded: loaded)
            before = remembered("d")
            pipeline.refresh("claude-code:none", "turn")
            assert (remembered("d") is before) == loaded


def test_nothing_loads_the_tokenizer_beside_many_prompts(monkeypatch, tmp_path):
    """Neither the checkpoint nor the files beside it; how many there are is known before they are read, once others too."""
    for module in (thrift, keeper):
        monkeypatch.setattr(module, "MANY", 3)
    transcript = Transcript(tmp_path / "projects" / "-srv-work" / "one.jsonl")
    for number in range(4):
        transcript.turn(f"Make gateway {number} fast.", f"Gateway {number} is fast now: {time.time()}.")
    held = list[bool]()
    with closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path / "state")}))) as pipeline:
        name, made = pipeline.read_whole(TOOLS["claude-code"], transcript.path), pipeline.keeper.material
        monkeypatch.setattr(pipeline.keeper, "material", lambda *a: held.append(tokens.loaded()) or made(*a))
        for _ in range(2):
            tokens.count(f"a tokenizer is loaded by this text: {time.time()}")
            pipeline.refresh(name, "turn")
            assert not tokens.loaded()
            pipeline.forget()
        folder = pipeline.folders.session("claude-code", transcript.session)
        assert "Gateway 3 is fast now" in (folder / "recent.md").read_text("utf-8")
    assert held == [False, False]


def test_a_refresh_keeps_within_the_bound(monkeypatch, tmp_path):
    """Whoever makes checkpoints, a daemon or a command: what the texts said is let go of when too much is held."""
    monkeypatch.setattr(thrift, "resident", lambda: FULL + 1)
    before = remembered("c")
    with closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path)}))) as pipeline:
        pipeline.refresh("claude-code:none", "turn")
    assert remembered("c") is not before


def test_a_process_knows_what_it_holds():
    """More than an interpreter needs, and less than a machine has."""
    assert 5 << 20 < thrift.resident() < 1 << 40


HEAP = """
import resource
from memd.daemon.thrift import tune_heap
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def used():
    return [bytes(4_000) for _ in range(500)]
tune_heap()
used()
before = faults()
for _ in range(20):
    used()
print(faults() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="glibc's")
def test_what_is_needed_for_a_moment_is_not_made_anew_each_time():
    """Two megabytes, twenty times: some 500 fresh pages each time where glibc is told of large blocks alone."""
    done = subprocess.run([sys.executable, "-c", HEAP], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) < 1_000
