"""What the agent knows in OpenCode after a compaction: all that counted, from memd, in every request that follows."""

import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from .conftest import SUMMARY
from .given import Given
from .memd_process import Memd
from .opencode import FULL, OpenCode, as_run, edit, shell
from .scripted_model import ScriptedModel, Tool, Turn
from .story import CONSTRAINT, MISSION, NEW, ORDER, VALUE, gateway
from .waiting import eventually

pytestmark = pytest.mark.client

CHILD = "CHILD: look around and report"
STEER = "Keep the name request_timeout, other teams read it."
SECOND_ORDER = "Now run the smoke test twice and tell me what it says."


def talks(model: ScriptedModel, *, after: int = 0) -> list[Given]:
    """What memd gave in each request of the conversation behind one, in order; exactly one text in each."""
    return [given(request) for request in model.requests if request.number > after and request.talks]


def given(request) -> Given:
    """What memd gave in one request.

    Raises:
        AssertionError: Not exactly one text.
    """
    texts = [system for system in request.systems if "memd checkpoint" in system]
    if len(texts) != 1:
        raise AssertionError(f"request {request.number} holds {len(texts)} texts of memd's: {request.systems[1:]}")
    return Given((texts[0],))


def test_headless_work_goes_on_after_a_compaction(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd
) -> None:
    """`opencode run` in one process after the other, a compaction by hand: all comes back, in each request the same.

    Nothing was given before the compaction, nothing goes into the request for the summary but a hint, and nothing into a
    sub-agent's or a title's.
    """
    config = gateway(opencode.project)
    with opencode_memd.daemon():
        session = opencode.headless(MISSION).session
        opencode.headless(CONSTRAINT, "--continue")
        chat_model.push(*edit(config), shell("echo checked"), Turn("The timeout is raised."))
        done = opencode.headless(ORDER, "--continue")
        with opencode.server() as server:
            server.compact(session)
        before = chat_model.latest
        chat_model.push(
            Turn(tools=(Tool("task", {"description": "look", "prompt": CHILD, "subagent_type": "general"}),)),
            Turn("Nothing there."),
            shell("echo retries"),
            Turn("The retries are done."),
        )
        answer = opencode.headless("Go on with the retries.", "--continue")
        eventually(lambda: opencode_memd.delivery(session) == "complete")
        delivery = opencode_memd.session(session)["delivery"]
        log = opencode_memd.log(session)

    children = [request for request in chat_model.requests if request.texts[:1] == [CHILD]]
    first, *rest = [given(r) for r in chat_model.requests if r.number > before and r.talks and r not in children]
    wanted = [as_run(MISSION), as_run(CONSTRAINT), as_run(ORDER), config.name, VALUE]
    assert [words for words in wanted if words not in first.text] == []
    assert [text.parts for text in rest] == [first.parts] * 2
    assert first.ending["session"] == f"opencode:{session}"
    assert delivery["number"] == int(first.ending["number"])
    assert delivery["receipt"] == first.ending["receipt"]
    untouched = [r for r in chat_model.requests if r.number <= before or r in children]
    assert [r.number for r in untouched if "memd checkpoint" in "\n".join(r.systems)] == []
    (summary,) = [r for r in chat_model.requests if r.asks_for_summary]
    assert as_run(MISSION) in summary.text.rpartition("memd keeps a checkpoint")[2]
    assert [done.exit_code, answer.exit_code, answer.session] == [0, 0, session]
    assert NEW in config.read_text(encoding="utf-8")
    said = [(e["channel"], e["grade"], e["text"]) for e in log if e["channel"].startswith(("human.", "operator."))]
    prompts = [MISSION, CONSTRAINT, ORDER, "Go on with the retries."]
    assert said == [("operator.headless", "proved", as_run(words)) for words in prompts]


@pytest.mark.usefixtures("tmux")
def test_a_turn_on_the_screen_goes_on_after_a_compaction_in_its_middle(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd
) -> None:
    """Typed prompts, a command, a shell command, words typed while the agent works, a full window, /compact.

    In each request after the first compaction the mission, the constraint, the prompt of the running turn, the edited path
    and the value stand verbatim, from memd; the second follows closely and gets the short form: the mission, the request,
    and where the rest is. The log says of each who spoke, proved.
    """
    config = gateway(opencode.project)
    opencode.command("greet", "Greet $ARGUMENTS politely.")
    steered = threading.Event()
    with opencode_memd.daemon(), opencode.screen() as screen:
        screen.type(MISSION)
        opencode.answered(1)
        screen.type("/greet the load balancer's team")
        opencode.answered(2)
        screen.press("!")
        screen.type("echo typed by hand")
        screen.wait_for("$ echo typed by hand")
        screen.type(CONSTRAINT)
        opencode.answered(3)
        chat_model.push(*edit(config), Turn("The timeout is raised."))
        screen.type(ORDER)
        opencode.answered(4)

        before = chat_model.latest
        chat_model.push(
            replace(shell("echo smoke one"), until=steered),
            shell("echo smoke two", tokens=FULL),
            Turn("The smoke test says nothing."),
        )
        screen.type(SECOND_ORDER)
        chat_model.wait_for(lambda request: SECOND_ORDER in request.text, after=before)
        screen.type(STEER)
        eventually(lambda: opencode.query("select 1 from part where data->>'text' = ?", STEER))
        steered.set()
        summary = chat_model.wait_for(lambda request: request.asks_for_summary, after=before)
        opencode.answered(5)
        by_hand = chat_model.latest
        screen.type("/compact")
        chat_model.wait_for(lambda request: request.asks_for_summary, after=by_hand)
        screen.wait_for("Compaction")
        screen.type("Go on.")
        opencode.answered(6)
        screen.type("/exit")
        assert screen.exit_code() == 0
        session = opencode.session
        eventually(lambda: opencode_memd.delivery(session) == "complete")
        log = opencode_memd.log(session)

    first, last = talks(chat_model, after=summary.number)[0], talks(chat_model, after=by_hand)[-1]
    wanted = [MISSION, CONSTRAINT, SECOND_ORDER, STEER, config.name, VALUE]
    assert [words for words in wanted if words not in first.text] == []
    assert SUMMARY in chat_model.find(lambda request: request.talks, after=summary.number).text
    assert [
        words for words in [MISSION, SECOND_ORDER, f"`memd show opencode:{session}"] if words not in last.text
    ] == []
    whole = "## Exact references"  # which the short form leaves to the command
    assert [whole in request.text for request in (first, last)] == [True, False]
    assert first.ending["session"] == f"opencode:{session}"
    assert first.ending["receipt"] != last.ending["receipt"]

    human = [(e["channel"], e["grade"], e["text"]) for e in log if e["channel"].startswith("human.")]
    assert human == [
        ("human.typed", "proved", MISSION),
        ("human.command", "proved", "the load balancer's team"),
        ("human.shell", "proved", "echo typed by hand"),
        ("human.typed", "proved", CONSTRAINT),
        ("human.typed", "proved", ORDER),
        ("human.typed", "proved", SECOND_ORDER),
        ("human.steered", "proved", STEER),
        ("human.typed", "proved", "Go on."),
    ]


def test_a_dead_daemon_leaves_the_text_on_disk(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd
) -> None:
    """Killed after the compaction: the next processes of the client give the same text, and no prompt waits."""
    with opencode_memd.daemon() as daemon:
        session = opencode.headless(MISSION).session
        with opencode.server() as server:
            server.compact(session)
            server.prompt(session, CONSTRAINT)
            daemon.kill()
            start = time.monotonic()
            server.prompt(session, "Go on.")
            took = time.monotonic() - start
        before = chat_model.latest
        answer = opencode.headless("Go on in another process.", "--continue")

    alive, dead = talks(chat_model, after=before - 2)[:2]
    assert [text.parts for text in (dead, *talks(chat_model, after=before))] == [alive.parts] * 2
    assert as_run(MISSION) in alive.text
    assert answer.exit_code == 0
    assert took < 10


def test_what_was_the_persons_own_stays(opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd) -> None:
    """Their plugin and settings through install, use and uninstall: byte for byte, and their plugin works on.

    With the plugin gone the words of a new run are recorded from the database alone.
    """
    own = opencode.settings.parent / "plugin" / "own.js"
    push = '"experimental.chat.system.transform": async (_, output) => void output.system.push("OWN")'
    own.write_text(f"export default async () => ({{ {push} }})\n", encoding="utf-8")
    kept = {path: path.read_bytes() for path in (own, opencode.settings)}
    opencode_memd.run("install", "opencode", "--yes")  # again: their plugin may need packages, the stand-in goes
    packages = opencode.settings.parent / "package-lock.json"
    assert not packages.exists()
    with opencode_memd.daemon(), opencode.empty_registry():
        session = opencode.headless(MISSION).session
        with opencode.server() as server:
            server.compact(session)
            server.prompt(session, "Go on.")
        with_both = chat_model.requests[-1]
        opencode_memd.run("uninstall", "opencode", "--yes")
        answer = opencode.headless("Go on without it.", "--continue")
        eventually(lambda: any("Go on without it." in entry["text"] for entry in opencode_memd.log(session)))

    without = chat_model.requests[-1]
    assert "OWN" in with_both.systems[1]
    assert "memd checkpoint" in with_both.systems[1]
    assert without.systems[1:] == ["OWN"]
    assert answer.exit_code == 0
    assert {path: path.read_bytes() for path in kept} == kept
    assert [path.name for path in own.parent.iterdir()] == ["own.js"]


@pytest.mark.usefixtures("tmux")
def test_a_session_on_the_screen_is_told_of_the_one_before(
    opencode: OpenCode, chat_model: ScriptedModel, opencode_memd: Memd
) -> None:
    """From its first request on, with the command that shows it; a headless one is told nothing."""
    with opencode_memd.daemon():
        before = opencode.headless(MISSION).session
        eventually(lambda: opencode_memd.session(before).get("checkpoint"))
    record = opencode_memd.home / ".local" / "state" / "memd" / "memd.db"
    with closing(sqlite3.connect(record)) as memd, memd:
        memd.execute("UPDATE session SET last_at = last_at - 700000, ended_at = NULL")  # as if it had been a while ago
    with opencode_memd.daemon(), opencode.screen() as screen:
        screen.type("And now?")
        asked = chat_model.wait_for(lambda request: "And now?" in request.text and request.talks)
    line = f"memd: the session before this one in this directory is opencode:{before}"
    (told,) = [system for system in asked.systems if line in system]
    assert f"`memd show opencode:{before}`" in told
    assert line not in "".join(chat_model.find(lambda request: request.talks).systems)
