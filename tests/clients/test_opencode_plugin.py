"""The real OpenCode with memd's plugin and a daemon of the test's making: what the plugin can rely on, and what it gives.

What the plugin does on its own is in `tests/hooks`; here it is the client that calls it.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from fake_daemon import fake_daemon, text

from memd import assets

from .conftest import SUMMARY
from .opencode import FULL, OpenCode, shell
from .scripted_model import ScriptedModel, Tool, Turn
from .waiting import eventually

pytestmark = pytest.mark.client

MISSION = "Make the gateway survive slow upstreams."
GIVEN = "memd: what was agreed\nmemd checkpoint 3 of opencode:ses_x ends here; receipt ABC123\n"
HINT = "memd keeps a checkpoint; keep the mission in the summary as well."
CHILD = "CHILD: look around"
ANSWERS = {"Request": text(GIVEN), "PreCompact": text(HINT)}


@pytest.fixture
def state(opencode: OpenCode) -> Path:
    """The state directory of memd, the plugin beside it."""
    state = opencode.home / ".local" / "state" / "memd"
    state.mkdir(parents=True)
    opencode.put_in(assets.read("hooks", "opencode/memd.js"), state / "memd.sock", state)
    return state


def notes(state: Path, session: str) -> list[dict[str, Any]]:
    """What the plugin noted of a session."""
    path = state / "sessions" / "opencode" / session / "notes.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def task() -> Turn:
    """The model starts a sub-agent."""
    return Turn(tools=(Tool("task", {"description": "look", "prompt": CHILD, "subagent_type": "general"}),))


def test_a_compaction_without_memd_loses_the_mission(opencode: OpenCode, chat_model: ScriptedModel) -> None:
    """Neither the client nor the scripted summary carries the first prompt over: if it comes back, memd did it."""
    session = opencode.headless(MISSION).session
    with opencode.server() as server:
        server.compact(session)
    answer = opencode.headless("Go on.", "--continue")

    after = chat_model.requests[-1]
    assert answer.exit_code == 0
    assert MISSION in chat_model.find(lambda request: request.talks).text
    assert SUMMARY in after.text
    assert MISSION not in after.text


def test_every_request_of_the_conversation_holds_one_text(
    opencode: OpenCode, chat_model: ScriptedModel, state: Path
) -> None:
    """Headless runs, tool calls, a sub-agent, a title, a summary by hand, and the same session in another process.

    The text is the last system message, the same bytes in each; the summary gets the hint instead, the sub-agent nothing.
    """
    chat_model.push(task(), Turn("Nothing there."), shell("echo one"), Turn("Done."))
    with fake_daemon(state / "memd.sock", ANSWERS) as daemon:
        session = opencode.headless(MISSION).session
        with opencode.server() as server:
            server.compact(session)
            server.prompt(session, "Go on.")

    titles, summaries, children, talks = [], [], [], []
    for request in chat_model.requests:
        kind = titles if request.asks_for_title else summaries if request.asks_for_summary else talks
        (children if request.texts[:1] == [CHILD] else kind).append(request)
    assert [len(kind) for kind in (titles, summaries, children, talks)] == [1, 1, 1, 4]
    assert [request.systems[1:] for request in talks] == [[GIVEN]] * 4
    assert [request.systems[1:] for request in (*titles, *summaries, *children)] == [[]] * 3
    assert summaries[0].text.endswith(HINT)
    assert {payload["session_id"] for payload in daemon.payloads("Request")} == {session}
    assert daemon.payloads("Request")[0] == {
        "session_id": session,
        "cwd": str(opencode.project),
        "kind": "run",
        "model": "scripted/m1",
        "context": 60_000,
        "output": 4_000,
    }
    noted = [(note["type"], note.get("kind"), len(note.get("parts", []))) for note in notes(state, session)]
    assert [entry for entry in noted if entry[0] == "message"] == [
        ("message", "run", 1),
        ("message", "serve", 0),  # the request for the summary is nobody's prompt
        ("message", "serve", 1),
    ]
    injected = [(note["number"], note["code"]) for note in notes(state, session) if note["type"] == "injected"]
    assert injected == [(3, "ABC123"), (3, "ABC123")]  # before the compaction and after it


def test_a_compaction_in_the_middle_of_a_turn_is_one_as_well(
    opencode: OpenCode, chat_model: ScriptedModel, state: Path
) -> None:
    """The window is full behind a call: the summary, then the client goes on by itself, with the text."""
    chat_model.push(shell("echo full", tokens=FULL), Turn("Done."))
    with fake_daemon(state / "memd.sock", ANSWERS) as daemon:
        opencode.headless(MISSION)

    summary = chat_model.find(lambda request: request.asks_for_summary)
    after = chat_model.find(lambda request: request.talks, after=summary.number)
    assert [summary.systems[1:], after.systems[1:]] == [[], [GIVEN]]
    assert SUMMARY in after.text
    assert len(daemon.payloads("PreCompact")) == 1


@pytest.mark.usefixtures("tmux")
def test_what_is_typed_on_the_screen_is_noted_as_such(
    opencode: OpenCode, chat_model: ScriptedModel, state: Path
) -> None:
    """A prompt, a command with arguments, a shell command, /compact; nothing is printed on the screen."""
    opencode.command("greet", "Greet $ARGUMENTS politely.")
    with fake_daemon(state / "memd.sock", ANSWERS), opencode.screen() as screen:
        screen.type(MISSION)
        opencode.answered(1)
        screen.type("/greet Ada")
        opencode.answered(2)
        screen.press("!")
        screen.type("echo typed by hand")
        screen.wait_for("$ echo typed by hand")
        screen.type("/compact")
        summary = chat_model.wait_for(lambda request: request.asks_for_summary)
        screen.wait_for("Compaction")
        screen.type("Go on.")
        after = chat_model.wait_for(lambda request: request.talks, after=summary.number)
        opencode.answered(3)
        shown = screen.screen()
        screen.type("/exit")
        assert screen.exit_code() == 0

    session = opencode.session
    told = [
        (note["kind"], (note["command"] or {}).get("arguments"), len(note["parts"]))
        for note in notes(state, session)
        if note["type"] == "message"
    ]
    assert told == [("tui", None, 1), ("tui", "Ada", 0), ("tui", None, 0), ("tui", None, 0), ("tui", None, 1)]
    assert after.systems[1:] == [GIVEN]
    assert "memd" not in shown
    rows = opencode.query("select id from message where session_id = ? and data->>'role' = 'user' order by id", session)
    assert [note["message_id"] for note in notes(state, session) if note["type"] == "message"] == [
        row for (row,) in rows
    ]


BAD = {"hangs": None, "talks nonsense": b"\x00\xff nonsense\n" * 100, "answers half": text(GIVEN)[:-5]}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD.keys())
def test_a_bad_daemon_costs_no_prompt_and_no_second(
    opencode: OpenCode, chat_model: ScriptedModel, state: Path, answer: bytes | None
) -> None:
    """The prompt is answered, the text comes from the disk, and the model is asked less than a second later than else."""
    with opencode.server() as server:
        session = server.post("/session", {})["id"]
        ready = state / "sessions" / "opencode" / session / "ready"
        ready.mkdir(parents=True)
        (ready / "Request").write_text(GIVEN, encoding="utf-8")
        server.prompt(session, MISSION)  # the first one warms up

        def takes() -> float:
            start = time.monotonic()
            server.prompt(session, "Go on.")
            return time.monotonic() - start

        alone = min(takes() for _ in range(3))
        with fake_daemon(state / "memd.sock", {"Request": answer, "Note": answer}) as daemon:
            beside = takes()
            assert daemon.payloads("Request") != []

    assert beside - alone < 1
    assert [request.systems[1:] for request in chat_model.requests if request.talks] == [[GIVEN]] * 5


def test_no_state_directory_is_no_trouble(opencode: OpenCode, chat_model: ScriptedModel, state: Path) -> None:
    """The record was purged by hand, the plugin forgotten: the client answers, and nothing is made."""
    state.rmdir()
    answer = opencode.headless(MISSION)

    assert (answer.exit_code, answer.text) == (0, "Understood.")
    assert not state.exists()
    assert [request.systems[1:] for request in chat_model.requests] == [[], []]


@pytest.mark.parametrize("stand_in", [True, False])
def test_the_client_fetches_nothing_where_the_stand_in_is(opencode: OpenCode, state: Path, *, stand_in: bool) -> None:
    """Without it the client asks the registry before it loads the plugin, and waits 75 s where that does not answer."""
    if not stand_in:
        (opencode.settings.parent / "package-lock.json").unlink()
    with opencode.empty_registry() as asked:
        answer = opencode.headless(MISSION)

    assert answer.exit_code == 0
    assert bool(asked) is not stand_in
    assert eventually((state / "opencode" / "alive.json").exists)


def test_the_plugin_leaves_others_alone(opencode: OpenCode, chat_model: ScriptedModel, state: Path) -> None:
    """A person's own plugin beside it adds to the same request; when memd's goes, theirs works on."""
    own = opencode.settings.parent / "plugin" / "own.js"
    own.write_text(
        'export default async () => ({ "experimental.chat.system.transform": async (_, o) => void o.system.push("OWN") })\n',
        encoding="utf-8",
    )
    with fake_daemon(state / "memd.sock", ANSWERS):
        opencode.headless(MISSION)
    own.with_name("memd.js").unlink()
    opencode.headless("Go on.", "--continue")

    first, last = (chat_model.find(lambda request: request.talks, after=after) for after in (0, chat_model.latest - 1))
    assert sorted(first.systems[1].split("\n\n")) == sorted([GIVEN.removesuffix("\n"), "OWN"]), first.systems
    assert last.systems[1:] == ["OWN"]
