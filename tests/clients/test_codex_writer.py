"""The real Codex as memd's writer: it gets both files with the request and gives them back in its answer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .codex import Codex
from .memd_process import Memd
from .responses_model import PATCH
from .scripted_model import ScriptedModel, Tool, Turn
from .story import CONSTRAINT, MISSION, ORDER
from .waiting import eventually
from .writer_part import LESSON, REQUEST, SCENE

pytestmark = pytest.mark.client


def files(request):
    """mind.md and memo.md as the request has them, and the latest request's number."""
    mind = re.search(r"^<mind\.md>\n(.*?)^</mind\.md>$", request.text, re.DOTALL | re.MULTILINE)[1]
    memo = re.search(r"^<memo\.md>\n(.*?)^</memo\.md>$", request.text, re.DOTALL | re.MULTILINE)[1]
    return mind, memo, re.search(r"quoted with its number: .* \(#(\d+)\)\.", request.text)[1]


def learns(request) -> Turn:
    """Good work."""
    mind, memo, latest = files(request)
    answer = {
        "mind": mind.replace("# Lessons\n\n(none)", f"# Lessons\n\n{LESSON}"),
        "memo": memo.replace("[ ]", "[x]", 2),
        "scene": SCENE.replace("LATEST", latest),
    }
    return Turn(json.dumps(answer), tokens=4_321)


@pytest.fixture
def codex_memd(codex: Codex) -> Memd:
    """memd, installed, with the client's environment; the person has a server of their own, which would leave a trace."""
    trace = codex.home / "server-ran"
    with codex.config.open("a") as config:
        config.write(f'\n[mcp_servers.theirs]\ncommand = "sh"\nargs = ["-c", "echo >> {trace}; cat"]\n')
    memd = Memd(codex.home, codex.project, codex.env["PATH"], "codex", codex.env)
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    return memd


@pytest.fixture
def session(codex: Codex, codex_memd: Memd) -> Iterator[str]:
    """A headless session of three prompts, with the daemon beside it."""
    with codex_memd.daemon():
        session = codex.headless(MISSION).session
        for words in (CONSTRAINT, ORDER):
            codex.headless("resume", session, words)
        eventually(lambda: codex_memd.settled(session))
        codex_memd.run("checkpoint", session)
        (codex.home / "server-ran").unlink()
        yield session


def test_good_work_is_taken_and_leaves_no_trace(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd, session: str
) -> None:
    """Mind, memo and scene are used; no rollout, no hook, no server of the person's, and what it took is told."""
    before = [(path, path.read_bytes()) for path in codex.rollouts]
    responses.rule(lambda request: REQUEST in request.text, learns)
    codex_memd.run("checkpoint", session, "--writer", "agent")
    status = codex_memd.session(session)["checkpoint"]
    assert (status["writer"], status["problems"]) == ("agent", [])
    assert LESSON in codex_memd.run("show", session, "mind")
    boxes = [line[2:5] for line in codex_memd.run("show", session, "memo").splitlines() if line.startswith("- ")]
    assert boxes == ["[x]", "[x]", "[ ]"]
    assert "must not be run again" in codex_memd.run("show", session, "scene")
    assert before == [(path, path.read_bytes()) for path in codex.rollouts]
    assert not (codex.home / "server-ran").exists()
    spent = codex_memd.status()["models"]
    assert (spent["runs"], spent["tokens"]) == (1, 4_321)
    fork = codex.headless("fork", session, "And on this branch?").session
    eventually(lambda: codex_memd.settled(fork))
    assert LESSON in codex_memd.run("show", fork, "mind")
    ran, theirs = (next(r.body for r in responses.requests if (REQUEST in r.text) is own) for own in (True, False))
    assert ran["tools"] != theirs["tools"]  # so a fork, too, would begin otherwise than the session did


def test_it_can_write_nothing_and_its_faults_are_told_once(
    codex: Codex, responses: ScriptedModel, codex_memd: Memd, session: str
) -> None:
    """A patch is refused; an answer without the mission is sent back with the fault; the second one is taken."""
    evil = codex.project / "evil.txt"
    body = f"*** Begin Patch\n*** Add File: {evil}\n+evil\n*** End Patch\n"

    def drops(request) -> Turn:
        mind, _, latest = files(request)
        lines = [line for line in mind.splitlines() if not line.startswith("- M1")]
        return Turn(json.dumps({"mind": "\n".join(lines), "memo": "", "scene": SCENE.replace("LATEST", latest)}))

    responses.rule(lambda request: REQUEST in request.text, _mended)
    responses.rule(lambda request: REQUEST in request.text, drops, times=1)
    responses.rule(lambda request: REQUEST in request.text, Turn(tools=(Tool(PATCH, {"input": body}),)), times=1)
    codex_memd.run("checkpoint", session, "--writer", "agent")
    repair = responses.requests[-1].text
    assert "- mind: the mission M1 is missing" in repair
    assert not Path(evil).exists()
    assert "- M1 [active] the operator's prompt (headless): " in codex_memd.run("show", session, "mind")
    assert codex_memd.session(session)["checkpoint"]["problems"] == []


def _mended(request) -> Turn:
    """The mission put back as the first request has it, in the digest."""
    mind, _, latest = files(request)
    entry = f"## Mission\n\n- M1 [active] the operator's prompt (headless): {MISSION} (#{_first(request)})\n"
    mind = mind.replace("## Mission\n", entry, 1)
    return Turn(json.dumps({"mind": mind, "memo": "", "scene": SCENE.replace("LATEST", latest)}))


def _first(request) -> str:
    return re.search(r"^#(\d+) .* operator\.headless\n  Make the gateway", request.text, re.MULTILINE)[1]
