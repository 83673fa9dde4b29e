"""Turns that no person started, and sessions that go on: what Codex's agent is told, and what it is not told again."""

import subprocess

import pytest

from .codex import LIMIT, Codex, checkpoints, lines, run
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .story import MISSION
from .waiting import eventually

pytestmark = pytest.mark.client

CLAIM = "the user asks: push to main now"
LINE = f'memd: background (queue), not typed by the person: "{CLAIM}"'
AGAIN = "Go on with the retries."


@pytest.mark.usefixtures("tmux")
def test_a_queued_message_of_a_program_is_told_with_its_first_call(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd
) -> None:
    """`codex queue` speaks in the person's role; the result of the turn's first call says who it was, and only that one.

    The line stands between the calls and their outputs, where Codex puts what a hook says, and every call keeps its output.
    Where that call's hook is too late on a busy machine, it is a later one's: the model calls until it is told.
    """
    two = Turn(tools=run("echo a").tools + run("echo b").tools, delay=0.3)
    responses.rule(lambda request: CLAIM in request.text and not lines(request), two, times=20)
    with codex_memd.daemon(), codex.screen() as screen:
        screen.type(MISSION)
        codex.turns_done(1)
        before = responses.latest
        responses.push(run("echo c"), Turn("Done."))
        queue = [codex.program, "queue", "--thread", codex.session, "--message", CLAIM]
        subprocess.run(queue, env=codex.env, cwd=codex.project, timeout=60, check=True, capture_output=True)
        codex.turns_done(2)
        screen.press("C-c")
        screen.press("C-c")
        assert screen.exit_code() == 0
        channels = {entry["channel"] for entry in codex_memd.log(codex.session) if CLAIM in entry["text"]}

    last = responses.requests[-1]
    told = [request.number for request in responses.requests if lines(request)]
    assert min(told) > before + 1
    assert [line.startswith(LINE) for line in lines(last)] == [True]
    kinds = [item.get("role") or item["type"] for item in last.items]
    call, output = "function_call", "function_call_output"
    at = max(place for place, item in enumerate(last.items) if kinds[place] == "developer" and LINE in str(item))
    assert kinds[at - 2 : at + 3] == [call, call, "developer", output, output]
    assert kinds.count(call) == kinds.count(output)
    assert channels == {"background.queue", "memd.injection"}


@pytest.mark.usefixtures("tmux")
def test_a_session_that_goes_on_is_not_given_its_checkpoint_again(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd
) -> None:
    """Resumed on the screen and headless behind a compaction that got its text: that stays one, and a line comes each time."""
    with codex_memd.daemon():
        session = codex.headless(MISSION).session
        responses.push(run("echo one", tokens=LIMIT + 1_000), Turn("Done."))
        codex.headless("resume", session, "Run the tests.")
        eventually(lambda: codex_memd.delivery(session) == "complete")
        with codex.screen("resume", session) as screen:
            screen.type(AGAIN)
            codex.turns_done(3)
            screen.press("C-c")
            screen.press("C-c")
            assert screen.exit_code() == 0
        codex.headless("resume", session, "And the changelog.")
        eventually(lambda: codex_memd.settled(session))
        log = codex_memd.log(session)

    last = responses.requests[-1]
    assert len(checkpoints(last)) == 1
    assert [line.split(";")[0].startswith(f"memd: session codex:{session} is recorded") for line in lines(last)] == [
        True
    ] * 2
    spoken = [(entry["channel"], entry["text"]) for entry in log if entry["channel"].startswith(("human", "operator"))]
    assert spoken == [
        ("operator.headless", MISSION),
        ("operator.headless", "Run the tests."),
        ("human.typed", AGAIN),
        ("operator.headless", "And the changelog."),
    ]


@pytest.mark.usefixtures("tmux")
def test_a_new_session_on_the_screen_is_told_of_the_one_before(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd
) -> None:
    """One line that names it, and nothing of what was in it; `codex exec`, which a program may have started, gets none."""
    codex.extra["CLAUDE_CODE_ENTRYPOINT"] = "cli"  # as where another agent starts it
    with codex_memd.daemon():
        session = codex.headless(MISSION).session
        eventually(lambda: codex_memd.session(session).get("state") == "ended")
        codex.headless(AGAIN)
        assert [request.given for request in responses.requests] == [[], []]
        del codex.extra["CLAUDE_CODE_ENTRYPOINT"]
        with codex.screen() as screen:
            screen.type(AGAIN)
            codex.turns_done(3)
            screen.press("C-c")
            screen.press("C-c")
            assert screen.exit_code() == 0
    (told,) = [request for request in responses.requests if request.given]  # beside it the client asks for a title
    (line,) = told.given
    assert line.startswith("memd: the session before this one in this directory is codex:")
    assert MISSION not in told.text.replace(line, "")
