"""A conversation that was rewound: what was said and decided on the way that was left is not given back."""

import pytest
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
