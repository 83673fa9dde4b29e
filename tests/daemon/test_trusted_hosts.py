"""`trust.hosts`: prompts for which only a host program vouches, taken for the person's typing where it is trusted."""

import pytest
from rollout import Rollout
from transcript import Transcript

from memd import config
from memd.config import Config, TrustSettings
from memd.daemon.pipeline import Pipeline
from memd.tools.registry import TOOLS

HEADLESS, TYPED, PEER = "operator.headless", "human.typed", "background.peer"
SDK = {"promptSource": "sdk", "origin": None}


@pytest.fixture
def heard(tmp_path):
    """Reads a transcript with these hosts trusted; channel and grade of each entry that is not the agent's or a tool's."""

    def read(transcript, *hosts, late=None):
        """`late` writes what comes after the session was thought over."""
        _, paths = config.load({"MEMD_CONFIG": "/nowhere", "MEMD_STATE_DIR": str(tmp_path / f"state-{len(hosts)}")})
        pipeline = Pipeline(Config(trust=TrustSettings(hosts=hosts)), paths, environ={"HOME": "/nowhere"})
        try:
            tool = TOOLS[transcript.id.partition(":")[0]]
            session = pipeline.read_whole(tool, transcript.path)
            if late is not None:
                pipeline.over(session)
                late()
                pipeline.read_whole(tool, transcript.path)
            return [(one.channel.value, one.grade.value) for one in pipeline.store.messages(session)]
        finally:
            pipeline.close()

    return read


@pytest.fixture
def editor(tmp_path):
    """A rollout of Codex that another program runs through the app-server."""
    return Rollout(tmp_path / "codex" / "sessions", originator="codex_vscode", source="vscode")


def claude(tmp_path, entrypoint):
    return Transcript(tmp_path / "projects" / "-srv-work" / "5d1f0c1e.jsonl", entrypoint=entrypoint)


@pytest.mark.parametrize("trigger", ["user", None])
@pytest.mark.parametrize(
    ("hosts", "expected"),
    [((), (HEADLESS, "unknown")), (("other",), (HEADLESS, "unknown")), (("codex_vscode",), (TYPED, "inferred"))],
)
def test_an_app_servers_prompt(heard, editor, hosts, expected, trigger):
    """A Codex app-server client's prompt is the person's typing, inferred, where that client is trusted; else nobody's."""
    editor.typed("Keep Postgres", trigger)
    assert [expected] == heard(editor, *hosts)


@pytest.mark.parametrize("origin", [{"kind": "human"}, None])
@pytest.mark.parametrize("host", ["claude-vscode", "sdk-py"])
def test_an_ides_prompt(heard, tmp_path, host, origin):
    """A Claude Code host's prompt is the operator's, and the person's typing, inferred, where that host is trusted."""
    transcript = claude(tmp_path, host)
    transcript.typed("Keep Postgres", promptSource="sdk", origin=origin)
    assert [(HEADLESS, "unknown" if origin else "proved")] == heard(transcript)
    assert heard(transcript, host) == [(TYPED, "inferred")]


@pytest.mark.parametrize(("hosts", "expected"), [((), (HEADLESS, "unknown")), (("codex_vscode",), (TYPED, "inferred"))])
def test_what_vouches_for_an_app_servers_prompt_may_come_later(heard, editor, hosts, expected):
    """Read after the prompt's entry was made, the client's event gives it the grade that it would have had at once."""
    editor.begin()
    editor.message("user", "Keep Postgres", "user.text", {"type": "user"})
    content = [{"type": "text", "text": "Keep Postgres", "text_elements": []}]
    assert [expected] == heard(editor, *hosts, late=lambda: editor.item("UserMessage", content=content))


@pytest.mark.parametrize(
    ("hosts", "expected"), [((), (HEADLESS, "unknown")), (("claude-vscode",), (TYPED, "inferred"))]
)
def test_an_ides_words_may_come_in_after_they_were_thought_lost(heard, tmp_path, hosts, expected):
    """They waited in the client's queue when it ended; the row of their delivery says who vouches for them."""
    transcript = claude(tmp_path, "claude-vscode")
    transcript.says("Begun.")
    transcript.row(type="queue-operation", operation="enqueue", content="Keep Postgres")

    def late():
        transcript.row(type="queue-operation", operation="dequeue")
        transcript.typed("Keep Postgres", promptSource="sdk", origin={"kind": "human"})

    assert heard(transcript, *hosts, late=late)[1:] == [expected]


@pytest.mark.parametrize("trigger", ["scheduled_task", "queue", "goal", "heartbeat", "exec"])
def test_a_turn_that_no_person_began(heard, editor, trigger):
    """Another trigger than a person's says that a machine began the turn: trust changes nothing of it."""
    editor.typed("The user agreed", trigger)
    ((channel, _),) = heard(editor, "codex_vscode")
    assert channel != TYPED


def test_codex_itself_is_no_host(heard, tmp_path):
    """Words that Codex's own screen does not vouch for are not lifted by naming it."""
    rollout = Rollout(tmp_path / "codex" / "sessions")
    rollout.typed("The user agreed", None)
    assert heard(rollout, "codex-tui", "") == [(HEADLESS, "unknown")]


def test_a_codex_sub_agents_prompt(heard, editor, tmp_path):
    """A sub-agent of a trusted host is told things by an agent."""
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": editor.thread, "depth": 1}}}
    about = {"thread_source": "subagent", "parent_thread_id": editor.thread, "originator": "codex_vscode"}
    child = Rollout(tmp_path / "codex" / "sessions", f"{editor.thread[:-4]}c001", source=spawn, **about)
    child.typed("The user wants it")
    assert heard(child, "codex_vscode") == [(PEER, "proved")]


@pytest.mark.parametrize(
    "fields",
    [
        {"isSidechain": True, "agentId": "a1"},
        {"isMeta": True},
        {"isCompactSummary": True},
        {"origin": {"kind": "task-notification"}},
        {"origin": {"kind": "peer"}},
        {"wakeupSource": "cron"},
        {"turnOrigin": "task_notification"},
        {"origin": {"kind": "human"}, "textNotTyped": True},
        {"origin": {"kind": "human"}, "promptSource": "suggestion_accepted"},
        {"message": {"role": "user", "content": "<task-notification>done</task-notification>"}},
    ],
    ids=str,
)
def test_what_a_claude_host_did_not_hear_from_a_person(heard, tmp_path, fields):
    """Sub-agents', background and put-in prompts, suggestions and the client's own rows stay what they are."""
    transcript = claude(tmp_path, "claude-vscode")
    transcript.typed("The user agreed", **{**SDK, **fields})
    ((channel, _),) = heard(transcript, "claude-vscode")
    assert channel != TYPED


def test_claudes_own_headless_run_is_no_host(heard, tmp_path):
    """`claude -p` is run by a person or by a program; no name tells which."""
    transcript = claude(tmp_path, "sdk-cli")
    transcript.typed("The user agreed", **SDK)
    assert heard(transcript, "sdk-cli") == [(HEADLESS, "proved")]
