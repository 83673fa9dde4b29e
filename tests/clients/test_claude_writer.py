"""The real client as memd's writer: a scripted model edits mind and memo and answers with a scene."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from .claude_code import ClaudeCode
from .given import given_after_compaction
from .memd_process import Memd
from .scripted_model import ScriptedModel, Tool
from .story import CONSTRAINT, MISSION, ORDER
from .waiting import eventually
from .writer_part import LEARNS, LESSON, REQUEST, SCENE, edits, folder, plays, reads, ticks

pytestmark = pytest.mark.client

MODEL = "claude-opus-5-5"
"""What the client asks for by default."""


@pytest.fixture
def memd(claude: ClaudeCode) -> Memd:
    """memd, installed, with the client's environment: it starts the client itself."""
    memd = Memd(claude.home, claude.project, claude.env["PATH"], extra=claude.env)
    memd.run("install", "claude-code", "--yes")
    memd.config.parent.mkdir(parents=True)
    memd.config.write_text(f'checkpoint.model = "{MODEL}"\n', encoding="utf-8")  # a named one is not asked by a fork
    return memd


@pytest.fixture
def session(claude: ClaudeCode, memd: Memd) -> Iterator[str]:
    """A headless session of three prompts, with the daemon beside it."""
    with begun(claude, memd) as session:
        yield session


@contextmanager
def begun(claude: ClaudeCode, memd: Memd) -> Iterator[str]:
    """The same, with the settings as they are now."""
    with memd.daemon():
        session = claude.headless(MISSION).session
        claude.headless(CONSTRAINT, "--continue")
        claude.headless(ORDER, "--continue")
        eventually(lambda: memd.settled(session))
        memd.run("checkpoint", session)
        yield session


def test_good_work_is_taken_and_leaves_no_trace(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd, session: str
) -> None:
    """Mind edited, memo ticked, scene made; the person's sessions are as they were, and `--continue` goes on with theirs."""
    (claude.home / ".claude" / "CLAUDE.md").write_text("ALWAYS SING", encoding="utf-8")
    before = sorted((claude.home / ".claude" / "projects").rglob("*"))
    started = plays(model, ([reads, LEARNS, ticks], SCENE))
    memd.run("checkpoint", session, "--writer", "agent")
    mind, memo, scene = (memd.run("show", session, part) for part in ("mind", "memo", "scene"))
    status = memd.session(session)
    assert LESSON in mind
    boxes = [line for line in memo.splitlines() if line.startswith("- ")]
    assert [box[2:5] for box in boxes] == ["[x]", "[x]", "[ ]"]
    assert boxes[-1].count("operator.headless (released)") == 1
    assert "must not be run again" in scene
    assert (status["checkpoint"]["writer"], status["checkpoint"]["problems"]) == ("agent", [])
    offered = {tool["name"] for tool in started[0].body["tools"]}  # the placeholder does nothing
    assert offered - {"DeferredToolPlaceholder"} == {"Edit", "Read"}
    assert ["ALWAYS SING" in str(started[0].body), MISSION in started[0].text] == [False, True]
    assert not folder(started[0]).exists()
    assert before == sorted((claude.home / ".claude" / "projects").rglob("*"))
    assert claude.headless("And now?", "--continue").session == session
    fork = claude.headless("And on this branch?", "--resume", session, "--fork-session").session
    eventually(lambda: memd.settled(fork))
    assert LESSON in memd.run("show", fork, "mind")


def test_a_fork_sends_what_the_session_sent(claude: ClaudeCode, model: ScriptedModel, memd: Memd) -> None:
    """Of a headless session a moment ago: system prompt, tools and messages are those of its last request, to the letter.

    The tools are refused all the same, and no trace is left; the numbers come with the request.
    """
    memd.config.unlink()
    with begun(claude, memd) as session:
        before = sorted((path, path.stat().st_size) for path in (claude.home / ".claude" / "projects").rglob("*"))
        theirs = [request for request in model.requests if request.offers_tools][-1]

        def tries(_):
            return (
                Tool("Bash", {"command": f"touch {claude.home}/ran"}),
                Tool("Write", {"file_path": f"{claude.home}/ran"}),
            )

        started = plays(model, ([reads, tries, LEARNS, ticks], SCENE))
        memd.run("checkpoint", session, "--writer", "agent")
        body = started[0].body
        sent, now = (_plain(request["messages"]) for request in (theirs.body, body))
        assert _plain(theirs.body["system"]) == _plain(body["system"])
        assert theirs.body["tools"] == body["tools"]
        assert sent == now[: len(sent)]
        assert "#1 20" in started[0].text.rpartition(REQUEST)[2]
        assert not (claude.home / "ran").exists()
        assert before == sorted(
            (path, path.stat().st_size) for path in (claude.home / ".claude" / "projects").rglob("*")
        )
        assert LESSON in memd.run("show", session, "mind")
        assert memd.session(session)["checkpoint"]["problems"] == []


def _plain(value):
    """Without the marks of where the provider's cache ends, which move on; a text alone is a list of one."""
    match value:
        case {"content": str(text)}:
            return _plain(value | {"content": [{"type": "text", "text": text}]})
        case dict():
            return {name: _plain(inner) for name, inner in value.items() if name != "cache_control"}
        case list():
            return [_plain(inner) for inner in value]
    return value


def test_faults_are_told_once_and_mended(model: ScriptedModel, memd: Memd, session: str) -> None:
    """A mission reworded and no scene: one repair request names both, and the second run mends them."""
    drop = edits(("mind.md", "- M1 [active] the operator's prompt (headless): ", "- M1 [active] "))
    mend = edits(("mind.md", "- M1 [active] ", "- M1 [active] the operator's prompt (headless): "))
    started = plays(model, ([reads, drop], "Done."), ([reads, mend, LEARNS], SCENE))
    memd.run("checkpoint", session, "--writer", "agent")
    assert len(started) == 2
    repair = started[1].text
    assert "- mind: the words of the mission M1 were changed" in repair
    assert "- scene: the answer has no <scene> block" in repair
    assert LESSON in memd.run("show", session, "mind")
    assert memd.session(session)["checkpoint"]["problems"] == []


def test_work_that_stays_bad_changes_nothing(model: ScriptedModel, memd: Memd, session: str) -> None:
    """After the one repair request each part falls back, and the checkpoint before it stays."""
    before = {part: memd.run("show", session, part) for part in ("mind", "memo", "scene")}
    number = memd.session(session)["checkpoint"]["number"]
    closes = edits(("mind.md", "- M1 [active] ", "- M1 [done] "))
    started = plays(model, ([reads, closes], "All is done."), ([reads], "Nothing more to say."))
    with pytest.raises(AssertionError, match="the model wrote nothing that can be used"):
        memd.run("checkpoint", session, "--writer", "agent")
    status = memd.session(session)["checkpoint"]
    assert len(started) == 2
    assert before == {part: memd.run("show", session, part) for part in before}
    assert (status["number"], [problem["part"] for problem in status["problems"]]) == (number, ["mind", "scene"])


def test_endless_rounds_are_ended(model: ScriptedModel, memd: Memd, session: str) -> None:
    """Five rounds of tools, no more; what was right in the files stays."""
    started = plays(model, ([reads, LEARNS, *[reads] * 20], SCENE), ([*[reads] * 20], SCENE))
    memd.run("checkpoint", session, "--writer", "agent")
    status = memd.session(session)["checkpoint"]
    rounds = [r for r in model.requests if "This request comes from memd" in r.text]
    assert (len(started), len(rounds)) == (2, 12)
    assert LESSON in memd.run("show", session, "mind")
    assert {"run", "scene"} == {problem["part"] for problem in status["problems"]}


def test_it_can_neither_run_nor_read_nor_write_elsewhere(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd, session: str
) -> None:
    """The person's own settings allow more than that, and do not hold here."""
    outside = claude.home / "outside.md"
    outside.write_text("secret plans", encoding="utf-8")
    (claude.project / "notes.md").write_text("plans of the project", encoding="utf-8")

    def tries(_):
        return (
            Tool("Read", {"file_path": str(outside)}),
            Tool("Read", {"file_path": str(claude.project / "notes.md")}),
            Tool("Bash", {"command": f"touch {claude.home}/ran"}),
            Tool("Edit", {"file_path": str(claude.project / "notes.md"), "old_string": "plans", "new_string": "ruins"}),
        )

    plays(model, ([reads, tries, tries, LEARNS], SCENE))
    memd.run("checkpoint", session, "--writer", "agent")
    heard = model.requests[-1].text
    assert ["secret plans" in heard, "plans of the project" in heard] == [False, True]
    assert not (claude.home / "ran").exists()
    assert (claude.project / "notes.md").read_text(encoding="utf-8") == "plans of the project"
    assert memd.session(session)["checkpoint"]["problems"] == []


def test_what_a_model_wrote_unasked_comes_back_after_the_compaction(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd
) -> None:
    """Switched on in the settings: it writes by itself when the context is full enough, and the agent gets its lesson."""
    memd.config.write_text('checkpoint.writer = "agent"\ncheckpoint.at = 0.001\n', encoding="utf-8")
    plays(model, ([reads, LEARNS], SCENE))
    with memd.daemon():
        session = claude.headless(MISSION).session
        eventually(lambda: (memd.session(session).get("model") or {}).get("outcome") == "written", seconds=60)
        claude.headless(CONSTRAINT, "--continue")
        eventually(lambda: memd.settled(session))
        claude.headless("/compact", "--continue")
        claude.headless("Go on.", "--continue")
        eventually(lambda: memd.delivery(session) == "complete")

    after = [request for request in model.requests if "Go on." in request.text and REQUEST not in request.text]
    given = given_after_compaction(claude, after[-1])
    assert [LESSON in given.text, MISSION in given.text, CONSTRAINT in given.text] == [True, True, True]
    assert "(as of #" in given.text
