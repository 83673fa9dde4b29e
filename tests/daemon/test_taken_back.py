"""A conversation that was rewound: what was said and decided on the way that was left is not given back."""

import json
import time

import pytest
from rollout import THREAD, Rollout
from transcript import Transcript

from memd import config
from memd.daemon.pipeline import Pipeline
from memd.tools.registry import TOOLS

SESSION = "5d1f0c1e-7b1a-4b7e-9a52-000000000001"
NAME = f"claude-code:{SESSION}"


@pytest.fixture
def rewound(tmp_path):
    """A plan was approved and worked on; then the person went back before it and asked for something else."""
    chosen, paths = config.load({"MEMD_STATE_DIR": str(tmp_path / "state"), "MEMD_CONFIG": "/nowhere"})
    transcript = Transcript(tmp_path / "projects" / "-srv-work" / f"{SESSION}.jsonl")
    transcript.turn("Port the parser", "I have read it.")
    place = transcript._last
    transcript.typed("Make a plan")
    plan = "# Drop the database\n1. drop"
    transcript.uses("ExitPlanMode", "User has approved your plan.", {"plan": plan, "isAgent": False}, plan=plan)
    transcript.runs("git push origin parser")
    transcript.says("I will drop the database now.")
    transcript._last = place
    transcript.typed("No, only read")
    pipeline = Pipeline(chosen, paths)
    pipeline.ingest(TOOLS["claude-code"], transcript.path)
    yield pipeline
    pipeline.close()


def test_what_was_approved_on_the_way_that_was_left_is_not_approved(rewound):
    """Neither the plan nor the agent's words about it stand anywhere as the state of things."""
    made = rewound.store.checkpoints.current(NAME)
    folder = rewound.folders.session("claude-code", SESSION)
    given = rewound.folders.text(folder, made.number)
    recent = (folder / "recent.md").read_text(encoding="utf-8")
    assert [
        text
        for text in (made.parts.mind, made.parts.memo, made.parts.scene, given, recent)
        if "rop the database" in text
    ] == []
    assert "I wrote last (#2):\n  > I have read it." in made.parts.scene


def test_what_was_done_there_is_done(rewound):
    """Files do not come back by themselves, so its commands stay in the scene."""
    assert "git push origin parser" in rewound.store.checkpoints.current(NAME).parts.scene


SECOND = "01a22988-7aea-7731-8d65-00000000001f"


def back_to(first, ordinal):
    """The person rewound on the screen: the client goes on in another file, and nothing was typed yet."""
    path = first.path.with_name(f"rollout-2026-11-29T22-59-59-{THREAD}_{SECOND}.jsonl")
    base = {"thread_id": THREAD, "end_ordinal_exclusive": ordinal, "end_byte_offset": 1}
    start = {"ordinal": ordinal, "type": "session_meta", "payload": {**first._meta, "history_base": base}}
    path.write_bytes(json.dumps(start).encode() + b"\n")
    return path


def of_two_prompts(tmp_path):
    """A pipeline, its tool, a rollout of two turns, and the ordinal at which the second began."""
    chosen, paths = config.load({"MEMD_STATE_DIR": str(tmp_path / "state"), "MEMD_CONFIG": "/nowhere"})
    talk = Rollout(tmp_path / "sessions")
    talk.typed("Port the parser and keep its tests")
    talk.says("I have read it.")
    begun = talk._ordinal
    talk.typed("Go on")
    talk.says("I went on.")
    return Pipeline(chosen, paths), TOOLS["codex"], talk, begun


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_a_checkpoint_that_went_with_a_prompt_that_was_taken_back(tmp_path, before, early):
    """Codex puts it before the first prompt after a compaction; it is given again, unless the compaction is undone as well."""
    pipeline, codex, talk, begun = of_two_prompts(tmp_path)
    talk.compacts()
    pipeline.ingest(codex, talk.path)
    folder, compacted = pipeline.folders.session("codex", THREAD), talk._ordinal

    def resumed():
        return json.loads(pipeline.folders.replies(folder).get("SessionStart.resume.1"))["hookSpecificOutput"]

    text = resumed()["additionalContext"]
    assert "ends here; receipt" in text
    if early:  # its hook was answered before the row of the compaction was read
        made = pipeline.store.checkpoints.current(talk.id)
        now = int(time.time() * 1000)
        pipeline.store.deliveries.give(talk.id, made.number, made.receipt, 1, "SessionStart", now, compactions=0)
    talk.now()
    talk.begin()
    talk.injected(text)
    talk.typed("And document it")
    talk.says("Documented.")
    pipeline.ingest(codex, talk.path)
    assert "ends here" not in resumed()["additionalContext"]
    pipeline.ingest(codex, back_to(talk, begun if before else compacted))
    assert ("ends here" in resumed()["additionalContext"]) is not before
    pipeline.close()


def test_going_back_changes_what_hooks_give_at_once(tmp_path):
    """The next prompt's hooks come within a second or two, and have a tenth of one for a look of their own."""
    pipeline, codex, talk, begun = of_two_prompts(tmp_path)
    pipeline.ingest(codex, talk.path)
    path, steps = back_to(talk, begun), []
    while not steps or steps[-1].more:
        steps.append(pipeline.step(codex, path))
    assert any(step.turn_ended and not step.added for step in steps)
    pipeline.close()
