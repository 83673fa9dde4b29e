"""The real OpenCode as memd's writer: a database of its own, an agent that may read and edit two files."""

from collections.abc import Iterator

import pytest

from .memd_process import Memd
from .opencode import OpenCode
from .scripted_model import ScriptedModel, Tool
from .story import CONSTRAINT, MISSION, ORDER
from .waiting import eventually
from .writer_part import LESSON, REQUEST, SCENE, folder, plays

pytestmark = pytest.mark.client


def reads(place):
    return tuple(Tool("read", {"filePath": str(place / name)}) for name in ("mind.md", "memo.md"))


def edits(*changes):
    return lambda place: tuple(
        Tool("edit", {"filePath": str(place / name), "oldString": old, "newString": new}) for name, old, new in changes
    )


LEARNS = edits(("mind.md", "# Lessons\n\n(none)", f"# Lessons\n\n{LESSON}"))


@pytest.fixture
def opencode_memd(opencode: OpenCode) -> Memd:
    """memd, installed, with the client's environment: it starts the client itself."""
    memd = Memd(opencode.home, opencode.project, opencode.env["PATH"], "opencode", opencode.env)
    memd.run("install", "opencode", "--yes")
    return memd


@pytest.fixture
def session(opencode: OpenCode, opencode_memd: Memd) -> Iterator[str]:
    """A headless session of three prompts, with the daemon beside it."""
    with opencode_memd.daemon():
        session = opencode.headless(MISSION).session
        for words in (CONSTRAINT, ORDER):
            opencode.headless(words, "--session", session)
        eventually(lambda: opencode_memd.settled(session))
        opencode_memd.run("checkpoint", session)
        yield session


def test_good_work_is_taken_and_leaves_no_trace(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd, session: str
) -> None:
    """Mind and scene are used; the person's sessions are as they were, and `--continue` goes on with theirs."""
    started = plays(chat_model, ([reads, LEARNS], SCENE))
    opencode_memd.run("checkpoint", session, "--writer", "agent")
    status = opencode_memd.session(session)["checkpoint"]
    assert (status["writer"], status["problems"]) == ("agent", [])
    assert LESSON in opencode_memd.run("show", session, "mind")
    assert "must not be run again" in opencode_memd.run("show", session, "scene")
    assert not folder(started[0]).exists()
    assert {found["session"] for found in opencode_memd.status()["sessions"]} == {f"opencode:{session}"}
    assert opencode.headless("And now?", "--continue").session == session


def test_it_can_neither_run_nor_read_nor_write_elsewhere(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd, session: str
) -> None:
    """The person's own settings allow commands and edits, and do not hold here."""
    secret = opencode.home / "outside.md"
    secret.write_text("secret plans", encoding="utf-8")

    def tries(place):
        return (
            Tool("read", {"filePath": str(secret)}),
            Tool("bash", {"command": f"touch {opencode.home}/ran", "description": "x"}),
            Tool("write", {"filePath": str(place / "new.md"), "content": "x"}),
            Tool("edit", {"filePath": str(secret), "oldString": "secret", "newString": "open"}),
        )

    plays(chat_model, ([reads, tries, LEARNS], SCENE))
    opencode_memd.run("checkpoint", session, "--writer", "agent")
    last = [request for request in chat_model.requests if REQUEST in request.text][-1]
    assert "secret plans" not in last.text
    assert not (opencode.home / "ran").exists()
    assert secret.read_text(encoding="utf-8") == "secret plans"
    assert opencode_memd.session(session)["checkpoint"]["problems"] == []


def test_endless_rounds_are_not_rewarded(chat_model: ScriptedModel, opencode_memd: Memd, session: str) -> None:
    """The answer that came after more than five rounds is not taken; what is right in the files is."""
    plays(chat_model, ([reads, LEARNS, *[reads] * 6], SCENE))
    opencode_memd.run("checkpoint", session, "--writer", "agent")
    status = opencode_memd.session(session)["checkpoint"]
    assert LESSON in opencode_memd.run("show", session, "mind")
    assert {"run", "scene"} == {problem["part"] for problem in status["problems"]}
