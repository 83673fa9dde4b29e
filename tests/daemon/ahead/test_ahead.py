"""Transcripts that are parsed in a second process: which, how far ahead, and what is recorded of them."""

import sqlite3
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from owner import CLAUDE, STEP, Owner, opened, texts, whole, written
from transcript import Transcript

from memd.daemon import ahead, keeper, life
from memd.daemon.ingesting import Ingesting
from memd.daemon.transcripts import find
from memd.errors import NotFound
from memd.store.sources import Places

DATA = Path(__file__).parents[2] / "data"


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


@pytest.mark.parametrize(("behind", "read", "given"), [(1, 0, False), (2, 0, True), (20, 1, False)])
def test_a_first_start_over_many_begins_at_once(owner, transcript, monkeypatch, behind, read, given):
    """Those that wait are taken for as long as the first; where one is read on, the others are read already."""
    size = transcript.path.stat().st_size
    monkeypatch.setattr(ahead, "ENOUGH", 3 * size)
    for _ in range(read):
        owner.pipeline.step(CLAUDE, transcript.path)
    offer = partial(owner.ahead.offer, owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    assert offer(behind=behind) == given


def test_a_huge_transcript_is_read_by_the_owner_alone(owner, tmp_path, monkeypatch):
    """Both would hold a place for each of its prompts."""
    transcript = Transcript(tmp_path / "one.jsonl")
    transcript.turn("Make it fast")
    monkeypatch.setattr(ahead, "MOST", transcript.path.stat().st_size - 1)
    assert not owner.ahead.offer(owner.pipeline, CLAUDE, transcript.path, (4, 0.0), patient=True)
    monkeypatch.setattr(ahead, "MOST", transcript.path.stat().st_size)
    owner.give(transcript.path)


def test_an_idle_owner_takes_back_what_is_not_begun(owner, tmp_path):
    """The last that was given first; it reads it to its end, and nobody else does until all is read."""
    many = [written(tmp_path, f"session{number}") for number in range(life.SENT + 3)]
    for one in many:
        owner.give(one.path)
    back = [owner.ahead.take_back() for _ in range(2)]
    assert [chain.path for chain in back] == [str(one.path) for one in many[:-3:-1]]
    for one in many[-2:]:
        assert not owner.ahead.holds(one.path)
        assert not owner.ahead.offer(owner.pipeline, CLAUDE, one.path, (4, 0.0), patient=True)
        owner.pipeline.read_whole(CLAUDE, one.path)
    for one in many[:-2]:
        owner.settle(one.path)
    assert [texts(owner.pipeline, one) for one in many] == [whole()] * len(many)
    many[-1].turn("More", answer="Done")
    owner.ahead.rest()
    owner.give(many[-1].path)
    owner.settle(many[-1].path)
    assert texts(owner.pipeline, many[-1]) == [*whole(), "More", "Done"]


def test_what_is_begun_or_long_is_not_taken_back(owner, transcript, tmp_path, monkeypatch):
    """One that is long goes faster where one process parses it and the other commits."""
    owner.give(transcript.path)
    owner.came.put(owner.came.get(timeout=30))
    assert owner.ahead.take_back() is None
    owner.settle(transcript.path)
    monkeypatch.setattr(life, "SHORT", 1)
    many = [written(tmp_path, f"session{number}") for number in range(life.SENT + 1)]
    for one in many:
        owner.give(one.path)
    assert owner.ahead.take_back() is None
    for one in many:
        owner.settle(one.path)
