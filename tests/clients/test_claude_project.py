"""The project's layer beside the real client: rules in every request, a journal, and advice where it is needed."""

import json

import pytest

from .claude_code import ClaudeCode
from .memd_process import Memd
from .scripted_model import ScriptedModel, Tool, Turn
from .story import MISSION, ORDER, VALUE, edit, gateway, shell
from .waiting import eventually

pytestmark = pytest.mark.client

RULE = "Never touch schema.sql, the fixtures depend on it."
NOTE = "memd: note: "


def entries(memd: Memd, session: str) -> list[dict[str, object]]:
    return json.loads(memd.run("show", session, "journal", "--json"))["entries"]


def twice(calls: list[Turn]) -> list[Turn]:
    """Each call a second time: on a busy machine the first one's hook may give up before it is answered."""
    return [call for call in calls for _ in range(2)]


def advice(model: ScriptedModel) -> list[str]:
    """The lines of advice that the last request holds, in order."""
    return [line.partition(NOTE)[2] for line in model.requests[-1].text.splitlines() if NOTE in line]


def test_rules_stay_through_five_compactions_and_advice_comes_after_them(
    claude: ClaudeCode, model: ScriptedModel, memd: Memd
) -> None:
    """In each request of the conversation there is the rule, and in the journal the edit with both values.

    After the last compaction the file read again, the repeated edit, the repeated side effect, the old path and the edit of
    what the rule names each get their line.
    """
    config = gateway(claude.project)
    schema = claude.project / "schema.sql"
    added = {"file_path": str(config), "old_string": "retries = 3", "new_string": "retries = 3\nbackoff = 2"}
    (claude.project / "deploy.sh").write_text("echo deployed\n", encoding="utf-8")
    (claude.project / "old.md").write_text("notes\n", encoding="utf-8")
    memd.run("init")
    (claude.project / ".agent" / "constraints.md").write_text(f"# Constraints\n\n1. {RULE}\n", encoding="utf-8")
    with memd.daemon():
        session = claude.headless(MISSION).session
        model.push(
            *edit(config),
            Turn(tools=(Tool("Edit", added),)),
            shell("mv old.md new.md"),
            shell("sh deploy.sh staging"),
            Turn("The timeout is raised."),
        )
        claude.headless(ORDER, "--continue")
        eventually(lambda: len(entries(memd, session)) >= 4)
        journal = entries(memd, session)
        for number in range(5):
            claude.headless("/compact", "--continue")
            eventually(lambda count=number + 1: memd.session(session)["compactions"] == count)
            claude.headless(f"Go on with part {number}.", "--continue")
        conversation = [request for request in model.requests if request.offers_tools]
        calls = [
            Turn(tools=(Tool("Read", {"file_path": str(config)}),)),
            shell("sh deploy.sh staging"),
            Turn(tools=(Tool("Edit", added),)),
        ]
        model.push(*twice(calls), Turn("Done again."))
        claude.headless("Do it all again.", "--continue")
        again = advice(model)
        calls = [
            Turn(tools=(Tool("Read", {"file_path": str(claude.project / "old.md")}),)),
            Turn(tools=(Tool("Read", {"file_path": str(schema)}),)),
            Turn(tools=(Tool("Edit", {"file_path": str(schema), "old_string": "upstream", "new_string": "up"}),)),
        ]
        model.push(*twice(calls), Turn("Hm."))
        claude.headless("And the rest.", "--continue")
        rest = advice(model)[len(again) :]

    assert [(e["op"], e["target"], e["from"], e["to"], e["result"]) for e in journal] == [
        ("edit", "gateway.toml:request_timeout", "30.0", VALUE, "done"),
        ("edit", "gateway.toml:backoff", None, "2", "done"),
        ("rename", "old.md", "old.md", "new.md", "exit 0"),
        ("command", "sh deploy.sh staging", None, None, "exit 0: deployed"),
    ]
    assert [request.number for request in conversation if RULE not in request.text] == []
    told = (
        "`gateway.toml` was read before",
        "`gateway.toml:backoff`: nothing -> `2`",
        "command `sh deploy.sh staging`",
    )
    assert [words for words in told if not any(words in line for line in again)] == []
    told = ("`old.md` is not there; `new.md` is (renamed #", f'names this: "1. {RULE}"')
    assert [words for words in told if not any(words in line for line in rest)] == []
    assert [path.name for path in (claude.project / ".agent").iterdir() if path.name in {"journal", "state.md"}] == []
