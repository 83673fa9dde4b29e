"""The project's layer beside each of the real clients: its bootstrap, rules in every request, a journal, and advice."""

import json
import sys
from pathlib import Path

import pytest

from .agents import MADE, Agent
from .scripted_model import Turn
from .story import MISSION, NEW, OLD, ORDER, VALUE, gateway
from .waiting import eventually

pytestmark = pytest.mark.client

RULE = "Never touch schema.sql, the fixtures depend on it."
NOTE = "memd: note: "
SERVER = [sys.executable, str(Path(__file__).parent / "connected_server.py")]
POOL = "import time\n\n\ndef retry():\n    time.sleep(2)\n"


@pytest.fixture(params=MADE)
def agent(request: pytest.FixtureRequest) -> Agent:
    return MADE[request.param](request.getfixturevalue)


@pytest.fixture
def project(agent: Agent) -> Agent:
    """A project with files to work on, a rule and a fact."""
    gateway(agent.project)
    for folder in ("docs", "src"):
        (agent.project / folder).mkdir()
    (agent.project / "deploy.sh").write_text("echo deployed\n", encoding="utf-8")
    (agent.project / "docs" / "old.md").write_text("notes\n", encoding="utf-8")
    (agent.project / "src" / "pool.py").write_text(POOL, encoding="utf-8")
    agent.memd.run("init")
    (agent.project / ".agent" / "constraints.md").write_text(f"# Constraints\n\n1. {RULE}\n", encoding="utf-8")
    fact = "- [confirmed] `retry()` waits two seconds (src/pool.py:4)\n"
    (agent.project / ".agent" / "facts" / "pool.md").write_text(fact, encoding="utf-8")
    return agent


def entries(agent: Agent) -> list[tuple[object, ...]]:
    found = json.loads(agent.memd.run("show", agent.session, "journal", "--json"))["entries"]
    return [tuple(entry[name] for name in ("op", "target", "from", "to", "result")) for entry in found]


def advice(agent: Agent, prompt: str, *calls: Turn) -> list[str]:
    """The lines of advice that came with these calls, each made twice: on a busy machine the first answer may be too late."""
    before = len(lines(agent))
    agent.model.push(*(call for call in calls for _ in range(2)), Turn("Done."))
    agent.says(prompt)
    return lines(agent)[before:]


def lines(agent: Agent) -> list[str]:
    shown = agent.text(agent.model.requests[-1]).splitlines() if agent.model.requests else []
    return [line.partition(NOTE)[2] for line in shown if NOTE in line]


def test_what_a_connected_server_changed_is_in_the_journal(agent: Agent) -> None:
    """A message that was sent, with its link, and one that was not; looking is no change. Nothing appears in the project."""
    agent.connects("chat", SERVER)
    with agent.memd.daemon():
        agent.model.push(
            agent.asks("chat", "send_message", channel="#ops", text="deployed"),
            agent.asks("chat", "list_messages", channel="#ops"),
            agent.asks("chat", "send_message", channel="#nowhere", text="deployed"),
            Turn("Told them."),
        )
        agent.says("Tell the others.")
        eventually(lambda: len(entries(agent)) >= 2)
        journal = entries(agent)

    assert [(entry[0], str(entry[1]).partition(" ")[2], entry[4]) for entry in journal] == [
        ("command", "channel=#ops text=deployed", "done: Sent as https://chat.example/m/7"),
        ("command", "channel=#nowhere text=deployed", "failed: error: no such channel"),
    ]
    assert [path.name for path in agent.project.iterdir() if path.name != ".git"] == []


def test_rules_journal_and_advice_over_five_compactions(project: Agent) -> None:
    """In each request of the conversation there is the rule, in the first the bootstrap, in the journal the edit's values.

    After the last compaction the file read again, the repeated edit, the repeated side effect, the old path and the edit of
    what the rule names each get their line, once, and a fact whose line moved is corrected before it is given.
    """
    agent = project
    with agent.memd.daemon():
        agent.says(MISSION)
        agent.model.push(
            agent.reads("gateway.toml"),
            agent.edits("gateway.toml", OLD, NEW),
            agent.edits("gateway.toml", "retries = 3", "retries = 3\nbackoff = 2"),
            agent.runs("mv docs/old.md docs/new.md"),
            agent.runs("sh deploy.sh staging"),
            Turn("The timeout is raised."),
        )
        agent.says(ORDER)
        eventually(lambda: len(entries(agent)) >= 4)
        journal = entries(agent)
        for number in range(1, 6):
            agent.compacts(number)
        conversation = agent.asked()
        (agent.project / "src" / "pool.py").write_text("# one\n# two\n# three\n" + POOL, encoding="utf-8")
        again = advice(
            agent,
            "Do it all again.",
            agent.reads("gateway.toml"),
            agent.runs("sh deploy.sh staging"),
            agent.edits("gateway.toml", "retries = 3", "retries = 3\nbackoff = 2"),
        )
        rest = advice(
            agent,
            "And the rest.",
            agent.reads("docs/old.md"),
            agent.edits("schema.sql", "create table upstream", "create table up"),
            agent.reads("src/pool.py"),
        )

    assert [entry[:4] for entry in journal] == [
        ("edit", "gateway.toml:request_timeout", "30.0", VALUE),
        ("edit", "gateway.toml:backoff", None, "2"),
        ("rename", "docs/old.md", "docs/old.md", "docs/new.md"),
        ("command", "sh deploy.sh staging", None, None),
    ]
    assert journal[-1][-1] == "exit 0: deployed"
    assert [request.number for request in conversation if RULE not in agent.text(request)] == []
    assert "memd: project bootstrap of project" in agent.text(conversation[0])
    told = (
        "`gateway.toml` was read before",
        "`gateway.toml:backoff`: nothing -> `2`",
        "command `sh deploy.sh staging`",
    )
    assert [sum(words in line for line in again) for words in told] == [1, 1, 1], again
    told = (
        "`docs/old.md` is not there; `docs/new.md` is (renamed #",
        f'names this: "1. {RULE}"',
        "fact [confirmed] `retry()` waits two seconds (src/pool.py:7, moved from line 4)",
    )
    assert [sum(words in line for line in rest) for words in told] == [1, 1, 1], rest
    left = {path.name for path in (agent.project / ".agent").iterdir()}
    assert left == {"constraints.md", "engram.md", "facts", "bootstrap.md"}
