"""Memory for a session with thousands of prompts."""

from contextlib import closing

import pytest

from memd import tokens
from memd.config import Config, paths
from memd.daemon import thrift
from memd.daemon.pipeline import Pipeline
from memd.daemon.thrift import FULL, MANY, MORE, Bound, room_for
from memd.model.once import once


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
            assert tokens.count("a text that nobody has counted before") > 0
        assert tokens.count("another one that nobody has counted before") > 0
        assert not tokens.loaded()
    assert tokens.count("a text that nobody has counted before") == 7
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
