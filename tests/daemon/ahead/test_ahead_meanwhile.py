"""What happens to a transcript between the look of the second process at it and the commit."""

import os

import pytest
from owner import CLAUDE, texts, whole, written

from memd.daemon import forgetting


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
