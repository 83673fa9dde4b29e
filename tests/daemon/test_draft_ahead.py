"""A draft that was made before its checkpoint was due: it is never another than the one that would be made then."""

from contextlib import closing

import pytest
from transcript import Transcript

from memd.checkpoint import turn
from memd.config import Config, paths
from memd.daemon.forgetting import forget
from memd.daemon.pipeline import Pipeline
from memd.model import Tick
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]


@pytest.fixture
def talk(tmp_path):
    """A session with a checkpoint that is a turn behind."""
    transcript = Transcript(tmp_path / "work" / "5d1f0c1e-0000-4000-8000-000000000001.jsonl")
    transcript.turn("Use maxRetries in conf.py.")
    with closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path / "state")}))) as pipeline:
        pipeline.ingest(CLAUDE, transcript.path)
        transcript.turn("Then raise it to 40.")
        pipeline.read_whole(CLAUDE, transcript.path)
        yield pipeline, transcript


@pytest.fixture
def drafts(monkeypatch):
    """What drafts are made of."""
    made, draft = [], turn.draft

    def making(material, *rest, **named):
        made.append(material.upto)
        return draft(material, *rest, **named)

    monkeypatch.setattr(turn, "draft", making)
    return made


def test_it_is_taken_where_nothing_came_since(talk, drafts):
    """Nothing is written by making it, and the checkpoint is the same as without it, made of one draft."""
    pipeline, transcript = talk
    pipeline.draft_ahead(transcript.id)
    assert pipeline.store.checkpoints.numbers(transcript.id) == [1]
    pipeline.refresh_for_hook(transcript.id, "precompact")
    assert drafts == [4]
    kept = pipeline.store.checkpoints.current(transcript.id)
    ahead, session = kept.parts, pipeline.store.session(transcript.id)
    afresh = pipeline.keeper.draft(
        session, pipeline.keeper.material(session), pipeline._writer, pipeline.keeper.judging.of(kept.session)
    )
    assert (kept.number, ahead) == (2, afresh.parts)
    assert drafts == [4, 4]


def test_what_came_since_is_in_the_checkpoint(talk, drafts):
    """A row that was read after it was made."""
    pipeline, transcript = talk
    pipeline.draft_ahead(transcript.id)
    transcript.turn("No, to 50.")
    pipeline.read_whole(CLAUDE, transcript.path)
    pipeline.refresh_for_hook(transcript.id, "precompact")
    assert drafts == [4, 6]
    assert b"No, to 50." in pipeline.store.checkpoints.current(transcript.id).parts.listed


def test_so_is_what_a_person_decided_since(talk):
    """A box of the memo."""
    pipeline, transcript = talk
    pipeline.draft_ahead(transcript.id)
    pipeline.store.judging.tick(transcript.id, [Tick(3, ticked=False, person=True)])
    pipeline.refresh_for_hook(transcript.id, "precompact")
    assert b"- [ ] #3 " in pipeline.store.checkpoints.current(transcript.id).parts.listed


def test_none_is_kept_of_a_session_that_is_forgotten(talk):
    """Nothing of it stays in memory until another one is made."""
    pipeline, transcript = talk
    pipeline.draft_ahead(transcript.id)
    forget(pipeline, [transcript.id], 0)
    assert pipeline.keeper._ahead is None


def test_it_is_let_go_with_all_that_is_remembered(talk, drafts):
    """And with the checkpoint for which it was made."""
    pipeline, transcript = talk
    pipeline.draft_ahead(transcript.id)
    pipeline.forget()
    pipeline.refresh_for_hook(transcript.id, "precompact")
    assert drafts == [4, 4]
    assert pipeline.keeper._ahead is None
