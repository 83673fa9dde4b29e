"""The project's layer beside the real Codex and the real OpenCode: rules in every request, a journal, and advice."""

import json

import pytest

from .codex import LIMIT, Codex, patch, run
from .memd_process import Memd
from .opencode import OpenCode, edit, shell
from .scripted_model import ScriptedModel, Turn
from .story import MISSION, ORDER, VALUE, gateway
from .waiting import eventually

pytestmark = pytest.mark.client

RULE = "Never touch schema.sql, the fixtures depend on it."
NOTE = "memd: note: "
EDITED = ("edit", "gateway.toml:request_timeout", "30.0", VALUE)


def told(memd: Memd, session: str) -> list[tuple[object, ...]]:
    entries = json.loads(memd.run("show", session, "journal", "--json"))["entries"]
    return [(entry["op"], entry["target"], entry["from"], entry["to"]) for entry in entries]


def ruled(memd: Memd) -> None:
    memd.run("init")
    (memd.cwd / ".agent" / "constraints.md").write_text(f"# Constraints\n\n1. {RULE}\n", encoding="utf-8")


def test_codex(codex: Codex, responses: ScriptedModel, codex_memd: Memd) -> None:
    """Five compactions within turns: the rule is in each request; a repeated side effect gets its line, once."""
    config = gateway(codex.project)
    (codex.project / "deploy.sh").write_text("echo deployed\n", encoding="utf-8")
    ruled(codex_memd)
    with codex_memd.daemon():
        session = codex.headless(MISSION).session
        responses.push(*patch(config), run("sh deploy.sh staging"), Turn("The timeout is raised."))
        codex.headless("resume", session, ORDER)
        for number in range(5):
            responses.push(run("echo one"), run("echo two", tokens=LIMIT + 1_000), Turn("Done."))
            codex.headless("resume", session, f"Go on with part {number}.")
            eventually(lambda count=number + 1: codex_memd.session(session)["compactions"] == count)
        responses.push(run("sh deploy.sh staging"), run("sh deploy.sh staging"), Turn("Again."))
        codex.headless("resume", session, "Do it all again.")
        eventually(lambda: EDITED in told(codex_memd, session))

    asked = [request for request in responses.requests if not request.asks_for_summary]
    assert [request.number for request in asked if RULE not in "\n".join(request.given)] == []
    advice = [line for text in responses.requests[-1].given for line in text.splitlines() if line.startswith(NOTE)]
    assert [("command `sh deploy.sh staging`" in line) for line in advice] == [True]


def test_opencode(opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd) -> None:
    """Five compactions by hand: the rule is in each request of the conversation, the first one included."""
    config = gateway(opencode.project)
    ruled(opencode_memd)
    with opencode_memd.daemon():
        session = opencode.headless(MISSION).session
        chat_model.push(*edit(config), shell("echo checked"), Turn("The timeout is raised."))
        opencode.headless(ORDER, "--continue")
        for number in range(5):
            with opencode.server() as server:
                server.compact(session)
            opencode.headless(f"Go on with part {number}.", "--continue")
        eventually(lambda: EDITED in told(opencode_memd, session))

    talks = [request for request in chat_model.requests if request.talks]
    assert [request.number for request in talks if "\n".join(request.systems).count(RULE) != 1] == []
