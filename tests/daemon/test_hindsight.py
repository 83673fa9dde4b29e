"""Which text was given at a compaction, for every tool, and what is known to have been there before it."""

import os
from contextlib import closing

import pytest
from opencode_session import OpenCodeSession
from rollout import Rollout
from transcript import Transcript

from memd import tokens
from memd.config import Config, paths
from memd.daemon.hindsight import Hindsight
from memd.daemon.pipeline import Pipeline
from memd.model import marks
from memd.render.compose import SHORT
from memd.report.told import How, Told, summary_of
from memd.tools.registry import TOOLS

ONE = "5d1f0c1e-0000-4000-8000-000000000001"
START = 1_795_990_000


@pytest.fixture
def pipeline(tmp_path):
    with closing(Pipeline(Config(), places(tmp_path))) as found:
        yield found


def places(folder):
    return paths({**os.environ, "MEMD_STATE_DIR": str(folder / "state")})


def look(pipeline, folder, story, tool="claude-code"):
    """The session's past, and what was given at each of its compactions."""
    name = pipeline.ingest(TOOLS[tool], story.path)
    looks = Hindsight(pipeline.store, Config(), places(folder))
    seen = looks.past(pipeline.store.session(name))
    return seen, [looks.given(seen, boundary) for boundary in seen.boundaries]


def played(folder):
    story = Transcript(folder / "projects" / "-srv-work" / f"{ONE}.jsonl", at=START)
    story.turn("Make the gateway in conf/gateway.toml survive.")
    return story


def text(number, part, parts, words):
    end = f"\n{marks.ending(number, f'claude-code:{ONE}', 'ABC123')}" if part == parts else ""
    return f"{marks.opening(number, part, parts)}{words}{end}"


def test_all_parts_that_the_transcript_shows_are_the_text(pipeline, tmp_path):
    """In their order, whatever order the client showed them in; a later checkpoint of the stretch is another one."""
    story = played(tmp_path)
    story.compacts()
    story.injected(text(3, 2, 2, "second"))
    story.injected(text(3, 1, 2, "first"))
    story.injected("memd: note: something else", source="PreToolUse")
    story.turn("Go on.")
    story.injected(text(4, 1, 1, "later"), source="resume")
    _, (given,) = look(pipeline, tmp_path, story)
    assert (given.how, given.number) == (How.GIVEN, 3)
    assert given.text == f"{text(3, 1, 2, 'first')}\n{text(3, 2, 2, 'second')}"


def test_each_compaction_has_its_own(pipeline, tmp_path):
    """One at which nothing was given is computed, between two at which something was."""
    story = played(tmp_path)
    for number in (1, 0, 2):
        story.compacts()
        if number:
            story.injected(text(number, 1, 1, f"text {number}"))
        story.turn("Go on with conf/gateway.toml.")
    _, given = look(pipeline, tmp_path, story)
    assert [(one.how, one.number) for one in given] == [(How.GIVEN, 1), (How.COMPUTED, None), (How.GIVEN, 2)]
    assert "Make the gateway in conf/gateway.toml survive." in given[1].text


def test_what_a_hook_took_and_nothing_shows_is_said_to_be_that(pipeline, tmp_path):
    """Told by the time of the delivery; the text is that of the kept checkpoint."""
    story = played(tmp_path)
    name = pipeline.ingest(TOOLS["claude-code"], story.path)
    made = pipeline.store.checkpoints.current(name)
    story.compacts()
    at = int(story._at * 1000)
    pipeline.store.deliveries.give(
        name, made.number, made.receipt, 1, "SessionStart:compact", at - 5_000, compactions=0
    )
    story.turn("Go on.")
    story._at += 3_600
    story.compacts()
    _, given = look(pipeline, tmp_path, story)
    assert [(one.how, one.number) for one in given] == [(How.HANDED, made.number), (How.COMPUTED, None)]
    assert f"receipt {made.receipt}" in given[0].text


def test_opencodes_plugin_vouches_for_what_went_in(pipeline, tmp_path):
    """Its database holds no text of memd's: the checkpoint that the plugin noted is it, and the summary stands before."""
    story = OpenCodeSession(tmp_path / "opencode.db", notes=tmp_path / "state" / "sessions" / "opencode")
    story.typed("Make the gateway in conf/gateway.toml survive.")
    story.says("I begin.")
    name = pipeline.ingest(TOOLS["opencode"], story.path)
    made = pipeline.store.checkpoints.current(name)
    story.now()
    story.compacts("It was about conf/gateway.toml.")
    story.injected(made.number, made.receipt)
    story.typed("Go on.")
    story.says("conf/gateway.toml is done.")
    seen, (given,) = look(pipeline, tmp_path, story, "opencode")
    story.close()
    assert (given.how, given.number) == (How.GIVEN, made.number)
    assert f"receipt {made.receipt}" in given.text
    assert summary_of(seen, seen.boundaries[0]) == "It was about conf/gateway.toml."
    assert seen.since["conf/gateway.toml"] == 0


@pytest.mark.parametrize(("between", "whole"), [(1, False), (2, False), (3, True)])
def test_what_is_computed_is_short_where_the_compaction_follows_closely(pipeline, tmp_path, between, whole):
    """Within three turns of the last, as it would have been given: else the report praises what nobody would have got."""
    story = played(tmp_path)
    for number in range(30):
        story.turn(
            f"Keep rule {number}: never rename column_{number} of table_{number}, whatever a migration says of it."
        )
    story.compacts()
    for _ in range(between):
        story.turn("Go on.")
    story.compacts()
    story.turn("And on.")
    _, (first, second) = look(pipeline, tmp_path, story)
    assert (first.how, second.how) == (How.COMPUTED, How.COMPUTED)
    assert [tokens.count(one.text) > SHORT for one in (first, second)] == [True, whole]
    assert "Make the gateway in conf/gateway.toml survive." in second.text


def test_what_is_computed_knows_nothing_of_later(pipeline, tmp_path):
    """The same text before the session went on and after it, with another compaction directly behind too."""
    story = played(tmp_path)
    story.runs("make check", "12 passed")
    story.compacts()
    _, (before,) = look(pipeline, tmp_path, story)
    story.compacts()
    story.typed("Do something else: otherName_7.")
    story.runs("make other", "1 failed")
    story.says("otherName_7 is done.")
    _, (after, second) = look(pipeline, tmp_path, story)
    assert after.text == before.text
    assert "otherName_7" not in second.text


def test_what_came_after_is_not_known_before(pipeline, tmp_path):
    """Every string of every row counts, tool results whole, and only up to the compaction."""
    story = played(tmp_path)
    story.runs("make list", "x " * 3_000 + "deep_inside_1" + " y" * 3_000)
    story.compacts(summary="summary_word_1")
    story.says("later_word_1 deep_inside_1")
    story.compacts()
    seen, _ = look(pipeline, tmp_path, story)
    found = {
        word: seen.since[word] for word in ("conf/gateway.toml", "deep_inside_1", "summary_word_1", "later_word_1")
    }
    assert found == {"conf/gateway.toml": 0, "deep_inside_1": 0, "summary_word_1": 1, "later_word_1": 1}


def test_a_transcript_that_cannot_be_read_leaves_the_record(pipeline, tmp_path):
    """Gone, or no longer a file: the record answers."""
    story = played(tmp_path)
    story.compacts()
    seen, _ = look(pipeline, tmp_path, story)
    assert seen.rows is not None
    story.path.unlink()
    looks = Hindsight(pipeline.store, Config(), places(tmp_path))
    session = pipeline.store.session(f"claude-code:{ONE}")
    assert looks.past(session).rows is None
    assert looks.past(session).since["conf/gateway.toml"] == 0
    story.path.mkdir()
    assert looks.past(session).rows is None


def test_a_codex_session_is_looked_back_upon(pipeline, tmp_path):
    """Its reading shell lines are readings, its compaction is one."""
    story = Rollout(tmp_path / "sessions")
    story.typed("Make the gateway in conf/gateway.toml survive.")
    story.says("I begin with conf/gateway.toml.")
    story.compacts()
    story.typed("Go on.")
    story.says("conf/gateway.toml is done.")
    seen, (given,) = look(pipeline, tmp_path, story, "codex")
    assert (given.how, seen.since["conf/gateway.toml"]) == (How.COMPUTED, 0)


def test_looking_back_tells_of_each_step(pipeline, tmp_path):
    """So that somebody who waits sees it go on: each compaction, then all of it."""
    story = played(tmp_path)
    story.compacts()
    story.compacts()
    name = pipeline.ingest(TOOLS["claude-code"], story.path)
    *steps, told = Hindsight(pipeline.store, Config(), places(tmp_path)).report(pipeline.store.session(name))
    assert [step.ordinal for step in steps] == [1, 2]
    assert isinstance(told, Told)
    assert (len(told.compactions), len(told.fills), told.window, told.whole) == (2, 1, 200_000, True)
    assert [made.number for made in told.checkpoints] == [1]
