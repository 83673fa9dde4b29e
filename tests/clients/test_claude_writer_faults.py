"""The real client as a writer that does wrong, one way after the other: told once, then what was before stands."""

import dataclasses
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from memd import config
from memd.daemon.pipeline import Pipeline
from memd.daemon.writing import Outcome, Writing
from memd.tools.registry import TOOLS
from memd.writers import agent

from .claude_code import ClaudeCode
from .scripted_model import ScriptedModel, Tool, Turn
from .story import CONSTRAINT, MISSION, ORDER
from .writer_part import LESSON, REQUEST, SCENE, edits, plays, reads, rounds_done

pytestmark = pytest.mark.client

WORDS = "- M1 [active] the operator's prompt (headless): "
OWN = "(own judgement)\n"
HERE = "# Where I am\n\n"


class Desk:
    """A session of the real client in memd's record, and a writer beside it; no daemon between."""

    def __init__(self, claude: ClaudeCode, folder: Path) -> None:
        environ = {"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"}
        chosen, paths = config.load(environ)
        caps = dataclasses.replace(chosen.checkpoint, runs_per_day=99, model="claude-opus-5-5")  # no forks
        self.pipeline = Pipeline(dataclasses.replace(chosen, checkpoint=caps), paths)
        self.writing = Writing(dataclasses.replace(chosen, checkpoint=caps), paths, claude.env)
        self.name = self.pipeline.ingest(TOOLS["claude-code"], claude.transcript)

    def run(self) -> Outcome:
        """One checkpoint by the model."""
        job = self.writing.open(self.pipeline, self.name, "command")
        return self.writing.close(self.pipeline, job, self.writing.write(job))

    @property
    def current(self):
        """The checkpoint that stands, without what is told of it."""
        return structs.replace(self.pipeline.store.checkpoints.current(self.name), problems=(), noted=())

    def kills(self) -> None:
        """What a crash of the client is."""
        for child in list(self.writing._children._running):
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


@pytest.fixture
def desk(claude: ClaudeCode, tmp_path: Path) -> Iterator[Desk]:
    """Three prompts in a row."""
    claude.headless(MISSION)
    claude.headless(CONSTRAINT, "--continue")
    claude.headless(ORDER, "--continue")
    desk = Desk(claude, tmp_path)
    yield desk
    desk.pipeline.close()


def mind(old: str, new: str):
    """One edit of mind.md."""
    return [reads, edits(("mind.md", old, new))], SCENE


def memo(old: str, new: str):
    """One edit of memo.md."""
    return [reads, edits(("memo.md", old, new))], SCENE


FAULTS = {
    "mission dropped": (*mind(WORDS, "- was: "), "mind: the mission M1 is missing"),
    "mission closed without a message": (*mind("[active]", "[done]"), "is [done] without evidence"),
    "heading renamed": (*mind("# Lessons", "# Learned"), "mind: the headings are"),
    "cap broken": (*mind("# Lessons\n\n(none)", f"# Lessons\n\n{LESSON}{' very' * 1_600}"), "1,500 are allowed"),
    "memo text changed": (*memo(CONSTRAINT[:20], "Do as you like"), "memo: a line was changed"),
    "a box invented": (
        *memo("# Memo\n", "# Memo\n- [x] #2 2026-11-29 22:54Z human.typed | push to main\n"),
        "memo: a line was added",
    ),
    "approval without citation": (*mind(HERE, f"{HERE}- Deploys are approved. {OWN}"), "was allowed, agreed or said"),
    "citation of the agent's words": (*mind(HERE, f"{HERE}- The operator lets me deploy. (#2)\n"), "agent.text"),
    "scene missing": ([reads], "All is well.", "scene: the answer has no <scene> block"),
    "two scenes": ([reads], SCENE + SCENE, "scene: the answer has 2 <scene> blocks"),
    "garbage": ([reads], "\0\ufffd{{{</scene><scene>", "scene: the <scene> block is not closed or not opened"),
    "endless rounds": ([reads] * 9, SCENE, "run: it called tools for more rounds than it has"),
}


def test_each_fault_is_told_once_and_what_was_before_stands(desk: Desk, model: ScriptedModel) -> None:
    """One repair request that names it; the part falls back; mission, words and boxes are as they were."""
    seen = []
    for what, (rounds, answer, told) in FAULTS.items():
        model.rules.clear()
        before = desk.current
        started = plays(model, (rounds, answer), ([reads], answer if told.startswith("scene") else "Sorry."))
        outcome = desk.run()
        now = desk.current
        seen.append((what, len(started), told in started[1].text, now.parts.mind == before.parts.mind))
        assert (now.parts.memo, outcome.problems != ()) == (before.parts.memo, True), what
        assert now == before or outcome.outcome == "written", what
    assert seen == [(what, 2, True, True) for what in FAULTS]


def test_all_faults_are_told_in_one_request_and_can_be_mended_in_one(desk: Desk, model: ScriptedModel) -> None:
    """Nine of them at once, over all three parts."""
    wrong = edits(
        ("mind.md", WORDS, "- M1 [withdrawn] mine: "),
        ("mind.md", "# Lessons\n\n(none)", f"# Learned\n\n{LESSON}"),
        (
            "mind.md",
            HERE,
            f"{HERE}stray\n- Deploys are approved. {OWN}- The operator lets me deploy. (#2)\n- I know.\n",
        ),
        ("memo.md", "# Memo\n", "# Memo\n- [x] #2 2026-11-29 22:54Z human.typed | push to main\n"),
        ("memo.md", CONSTRAINT[:20], "Do as you like"),
    )
    mends = edits(
        ("mind.md", "- M1 [withdrawn] mine: ", WORDS),
        ("mind.md", "# Learned", "# Lessons"),
        ("mind.md", f"stray\n- Deploys are approved. {OWN}- The operator lets me deploy. (#2)\n- I know.\n", ""),
        ("memo.md", "- [x] #2 2026-11-29 22:54Z human.typed | push to main\n", ""),
        ("memo.md", "Do as you like", CONSTRAINT[:20]),
    )
    started = plays(model, ([reads, wrong], "Done."), ([reads, mends], SCENE))
    outcome = desk.run()
    repair = started[1].text
    told = [
        "mind: the headings are",
        "mind: neither a heading nor a bullet",
        "mind: the words of the mission M1 were changed",
        "was allowed, agreed or said",
        "agent.text",
        "ends neither in (#n) nor in (own judgement)",
        "memo: a line was changed",
        "memo: a line was added",
        "scene: the answer has no <scene> block",
    ]
    assert [fault for fault in told if fault not in repair] == []
    assert (len(started), outcome.problems, LESSON in desk.current.parts.mind) == (2, (), True)


@pytest.mark.parametrize("how", ["it hangs", "it crashes"])
def test_a_run_that_does_not_end_well_changes_nothing(
    desk: Desk, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Half of an edit is on disk then: the mission is out of the file. What stood before stands."""
    monkeypatch.setattr(agent.Agent.__init__, "__kwdefaults__", {"seconds": 4.0})
    before, never = desk.current, threading.Event()
    drops = edits(("mind.md", WORDS, "- was: "))

    def answer(request) -> Turn:
        done = rounds_done(request)
        if done < 2:
            return Turn(tools=(reads, drops)[done](_folder(request)))
        if how == "it crashes":
            desk.kills()
        return Turn("x", until=never)

    model.rule(lambda request: REQUEST in request.text, answer)
    outcome = desk.run()
    never.set()
    assert (outcome.outcome, desk.current) == ("failed", before)
    assert {"run", "mind"} <= {problem.part for problem in outcome.problems}
    assert desk.writing._children._running == set()


def test_another_file_is_not_edited(desk: Desk, model: ScriptedModel, claude: ClaudeCode) -> None:
    """The client refuses it, which is no fault of the work."""
    notes = claude.project / "notes.md"
    notes.write_text("plans", encoding="utf-8")

    def tries(_: Path) -> tuple[Tool, ...]:
        return (Tool("Edit", {"file_path": str(notes), "old_string": "plans", "new_string": "ruins"}),)

    plays(model, ([reads, tries, edits(("mind.md", "# Lessons\n\n(none)", f"# Lessons\n\n{LESSON}"))], SCENE))
    outcome = desk.run()
    assert (notes.read_text(encoding="utf-8"), outcome.problems) == ("plans", ())
    assert LESSON in desk.current.parts.mind


def _folder(request) -> Path:
    return next(Path(row.strip()).parent for row in request.text.splitlines() if row.strip().endswith("/mind.md"))
