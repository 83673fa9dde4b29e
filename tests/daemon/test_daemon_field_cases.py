"""What has happened to people, played to the daemon's chain: what it notices, says and keeps."""

import json
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import time_machine
from transcript import Transcript, given

from memd import config
from memd.daemon.setup.facts import facts
from memd.daemon.survey import _opening, row
from memd.model import Channel
from memd.tools import fields
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
ERROR = 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}'
FRAME = (
    "This session is being continued from a previous conversation that ran out of context. The summary below covers it."
)


def reasons(chain, transcript):
    """What status says of a session."""
    setup = facts(chain.paths, {"MEMD_STATE_DIR": str(chain.paths.state)})
    found = row(chain.store, chain.store.session(transcript.id), {"watches": {}}, setup, config.Config())
    return {reason.code: reason for reason in found.verdict.reasons}


@pytest.mark.parametrize(
    "text", [ERROR, f"{FRAME}\n\nSummary:\n{ERROR}\n\nPlease continue the conversation from where we left it."]
)
def test_a_summary_that_is_an_error_message_is_not_usable(chain, text):
    """The checkpoint stays as it was and says so where it is given back, and the status; the next compaction ends it."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    before = chain.store.checkpoints.current(transcript.id).parts
    transcript.now().compacts(summary=text)
    transcript.typed("Go on.")
    chain.read(transcript)
    made = chain.store.checkpoints.current(transcript.id)
    assert made.parts.mind == before.mind
    told = given(chain.parts(transcript, source="resume")[0])
    assert "The client's own summary of the last compaction is an error message: not usable" in told
    assert "Make the gateway fast." in told
    assert "summary-failed" in reasons(chain, transcript)
    transcript.says("Yes.")
    transcript.compacts(summary=f"{FRAME}\n\nSummary:\n1. An API Error was looked into.")
    chain.read(transcript)
    assert "summary-failed" not in reasons(chain, transcript)
    assert "error message" not in given(chain.parts(transcript, source="resume")[0])


def test_a_summary_that_tells_of_errors_is_one(chain):
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    transcript.compacts(summary=f"{FRAME}\n\nSummary:\n{ERROR}\nwas what the gateway answered; it is mended.")
    chain.read(transcript)
    assert "summary-failed" not in reasons(chain, transcript)


def test_compactions_without_end_are_shown(chain):
    """Three compactions with a turn between them are a run; three turns of work end it."""
    transcript = chain.transcript()
    for number in range(3):
        transcript.turn(f"Step {number}.")
        transcript.compacts()
    chain.read(transcript)
    assert reasons(chain, transcript)["compaction-thrash"].text.startswith("3 compactions followed each other")
    for number in range(3):
        transcript.turn(f"Later {number}.")
    chain.read(transcript)
    assert "compaction-thrash" not in reasons(chain, transcript)


@pytest.mark.parametrize("typed", ["Fix it.", "/model"])
def test_prompts_that_reach_no_transcript_are_told(chain, tmp_path, monkeypatch, typed):
    """Only settings are appended while somebody types; a command that the client answers itself leaves no message either."""
    home = tmp_path / "claude"
    home.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    transcript = chain.transcript(at=time.time() - 3_600)
    transcript.turn("Make the gateway fast.")
    transcript.raw(b'{"type":"permission-mode","permissionMode":"default","sessionId":"x"}\n')
    chain.read(transcript)
    assert "no-messages" not in reasons(chain, transcript)
    line = {"display": typed, "timestamp": int((time.time() - 600) * 1000), "sessionId": transcript.session}
    (home / "history.jsonl").write_text(json.dumps(line) + "\n")
    found = reasons(chain, transcript)
    assert ("no-messages" in found) == (typed == "Fix it.")
    if typed == "Fix it.":
        assert found["no-messages"].text.startswith("no messages although active: typed at ")
        transcript.now().typed("Fix it.")
        chain.read(transcript)
        assert "no-messages" not in reasons(chain, transcript)


@pytest.mark.parametrize("spelled", ["/c/Users/dev/.claude/projects/-c-work/{}.jsonl", "C:\\Users\\dev\\{}.jsonl"])
def test_a_path_that_is_spelled_in_another_way_is_found_by_the_session(chain, spelled):
    """A shell of its own spells paths as nothing here does: the session's own transcript is read all the same."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    transcript.turn("And safe.")
    chain.hook("UserPromptSubmit", transcript, transcript_path=spelled.format(transcript.session))
    chain.settle()
    assert chain.store.session(transcript.id).messages == 4
    assert chain.troubles.lines() == []


def test_a_session_at_work_whose_transcript_cannot_be_found_is_told(chain):
    """Nothing would ever be saved of it: once, in the daemon's troubles, which the status shows."""
    transcript = chain.transcript()
    chain.answers._trouble = chain.troubles.tell
    lost = f"/c/Users/dev/.claude/projects/-c-work/{transcript.session}.jsonl"
    for event in ("SessionStart", "PreToolUse", "PreToolUse", "PreCompact"):
        chain.hook(event, transcript, part=1, source="startup", transcript_path=lost, tool_name="Read", tool_input={})
    chain.settle()
    (line,) = chain.troubles.lines()
    assert line.endswith(
        f"hooks of claude-code name a transcript that is not there, and its session is not recorded: {lost}"
    )


@pytest.mark.parametrize(
    "path",
    ["/x/\0.jsonl", "/x/\ud83d.jsonl", f"/{'x' * 5_000}.jsonl", "/a" * 30_000, "/dev/zero", "..", "", "\udcff/x.jsonl"],
)
def test_a_path_that_can_be_none_harms_nothing(chain, path):
    """Whatever a hook names as transcript or directory: it is answered, and the chain goes on."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "SessionEnd"):
        for tool in TOOLS:
            payload = {"session_id": transcript.session, "transcript_path": path, "cwd": path, "source": "compact"}
            chain.answer(tool, event, payload, part=1)
    chain.read(transcript)
    assert chain.store.session(transcript.id).messages == 2
    assert not [line for line in chain.troubles.lines() if "Error:" in line]


@pytest.mark.parametrize("cwd", ["/" + "x" * 5_000, "/a" * 30_000, "/x\0y"])
def test_a_directory_that_can_be_none_harms_no_session(chain, tmp_path, cwd):
    """A row that names one is read as one without: in time (parents of parents are many), and the status goes on."""
    transcript = Transcript(tmp_path / "projects" / "p" / "5d1f0c1e.jsonl", cwd=cwd)
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    assert chain.store.session(transcript.id).cwd is None
    assert chain.store.checkpoints.current(transcript.id) is not None
    assert "no-checkpoint" not in reasons(chain, transcript)


@pytest.mark.parametrize(
    ("closed", "mends"),
    [
        ("5d1f0c1e.jsonl", "chmod u+r {}/p/5d1f0c1e.jsonl"),
        ("p", "chmod u+rwx {}/p"),
        ("nothing", "memd ingest {}/p/5d1f0c1e.jsonl"),
    ],
)
def test_what_opens_a_transcript_again_is_named(tmp_path, monkeypatch, closed, mends):
    """The first thing on the way to it that is closed."""
    path = tmp_path / "p" / "5d1f0c1e.jsonl"
    path.parent.mkdir()
    path.touch()
    monkeypatch.setattr("os.access", lambda place, _mode: Path(place).name != closed)
    assert _opening(path) == mends.format(tmp_path)


def test_a_directory_of_an_older_record_that_can_be_none_harms_no_status(chain, monkeypatch):
    """What an older memd took over is shown as a directory that is not here."""
    monkeypatch.setattr(fields, "possible", lambda _path: True)
    transcript = Transcript(chain.folder / "projects" / "p" / "5d1f0c1e.jsonl", cwd="/" + "x" * 5_000)
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    setup = facts(chain.paths, {"MEMD_STATE_DIR": str(chain.paths.state)})
    found = row(chain.store, chain.store.session(transcript.id), {"watches": {}}, setup, config.Config())
    assert found.state == "foreign"


@pytest.mark.parametrize("native", ["../../etc/passwd", "..", "a/b", ".hidden", "x\0y", "~", "a\nb", "*", ""])
def test_a_session_id_that_is_a_path_reaches_nothing(chain, native):
    """Whatever is named: nothing outside the sessions' own folders is read or made."""
    (chain.paths.state / "sessions").mkdir(exist_ok=True)
    before = sorted(path for path in chain.folder.rglob("*") if "memd.db" not in path.name)
    for event in ("SessionStart", "PreCompact", "UserPromptSubmit", "PreToolUse", "SessionEnd"):
        chain.answer("claude-code", event, {"session_id": native, "source": "compact", "tool_name": "Read"}, part=1)
    chain.settle()
    assert sorted(path for path in chain.folder.rglob("*") if "memd.db" not in path.name) == before


def test_hooks_that_stop_with_a_compaction_are_told(chain):
    """A compaction, then fifty calls and not one hook: the status says that nothing went in since; the next hook brings it."""
    transcript = chain.transcript(at=time.time() - 3_600)
    transcript.injected("Another hook's words.", source="startup")  # so far they ran
    transcript.turn("Make the gateway fast.")
    transcript.compacts()
    for number in range(50):
        transcript.runs(f"make step-{number}")
    chain.read(transcript)
    told = reasons(chain, transcript)["receipt-missing"].text
    assert told.startswith("no checkpoint was seen going in after the compaction of ")
    assert told.endswith("(hook not run, or its output lost)")
    assert "Make the gateway fast." in given(chain.hook("UserPromptSubmit", transcript, prompt="Go on."))


def test_nothing_important_waits_for_the_end_of_a_turn(chain):
    """A turn that ends on a tool's result, without the client's word that it is over: the checkpoint is made all the same."""
    transcript = chain.transcript()
    transcript.typed("Wake up in an hour and look.")
    transcript.uses("ScheduleWakeup", "scheduled", delaySeconds=3_600, reason="look")
    chain.read(transcript)
    made = chain.store.checkpoints.current(transcript.id)
    assert made.upto == chain.store.session(transcript.id).messages
    assert "Wake up in an hour" in given(chain.parts(transcript)[0])


def test_two_windows_on_one_session_are_two_branches_and_told(chain):
    """Two programs append to one file by turns: every entry once, no crash, and the status says that there are two."""
    transcript = chain.transcript()
    transcript.turn("Together.")
    fork = transcript._last
    ends = [fork, fork]
    for number in range(6):
        transcript._last = ends[number % 2]
        transcript.turn(f"Window {number % 2}, prompt {number}.")
        ends[number % 2] = transcript._last
    chain.read(transcript)
    records = chain.store.messages(transcript.id, channels={Channel.HUMAN_TYPED})
    assert [r.text for r in records] == ["Together.", *(f"Window {n % 2}, prompt {n}." for n in range(6))]
    assert "two-writers" in reasons(chain, transcript)


def test_a_transcript_that_is_read_again_counts_unknown_rows_once(chain):
    """Written anew with the same rows, twice: as many unknown ones as there are."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    for number in range(12):
        transcript.row(type="never-heard-of", number=number)
    chain.read(transcript)
    for _ in range(2):
        content = transcript.path.read_bytes()
        transcript.path.write_bytes(b"\n" + content)
        chain.read(transcript)
    counted = {
        what: count for (kind, what), count in chain.store.glances.gaps(transcript.id).items() if kind == "unknown"
    }
    assert list(counted.values()) == [12]
    assert "lines-lost" in reasons(chain, transcript)


def test_one_row_in_which_a_person_may_have_spoken_is_told(chain):
    """Of a session and of a sub-agent's, from the first on: of other unknown rows one says nothing."""
    transcript = chain.transcript()
    agent = Transcript(transcript.path.with_suffix("") / "subagents" / "agent-a1.jsonl", session=transcript.session)
    agent_row = {"isSidechain": True, "agentId": "a1"}
    transcript.turn("Make the gateway fast.")
    agent.row(type="user", message={"role": "user", "content": "Look."}, **agent_row)
    for one, named in ((transcript, {}), (agent, agent_row)):
        one.row(type="never-heard-of", **named)
        one.row(type="prompt", message={"role": "user", "content": "Do not touch the schema."}, **named)
    chain.read(transcript, agent)
    told = "what a person may have said stands in a shape that this memd does not know: prompt (1)"
    for name in (transcript.id, f"{transcript.id}/a1"):
        found = reasons(chain, SimpleNamespace(id=name))
        assert (found["words-unread"].text, "unknown-rows" in found) == (told, False)


def test_another_file_of_a_recorded_session_needs_no_directory(chain):
    """A session's second file may hold rows that tell none: whose they are is known."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    moved = transcript.path.parent.parent / "-srv-else" / transcript.path.name
    rows = [json.loads(line) for line in transcript.path.read_bytes().splitlines()]
    transcript.path.unlink()
    moved.parent.mkdir()
    bare = {"type": "user", "uuid": "later", "sessionId": transcript.session, "timestamp": rows[-1]["timestamp"]}
    told = {"message": {"role": "user", "content": "Later."}, "origin": {"kind": "human"}, "promptSource": "typed"}
    moved.write_text(json.dumps(bare | told) + "\n")
    chain.worker.hint(CLAUDE, moved)
    chain.settle()
    assert [record.text for record in chain.store.messages(transcript.id)][-1] == "Later."


@pytest.mark.parametrize("slept", ["before the text is fetched", "between the text and its row", "after its row"])
def test_a_machine_that_sleeps_in_the_middle_of_a_compaction(chain, slept):
    """A night of it, at any point: the text is the one of that compaction, it counts as complete, and nothing is blamed."""
    transcript = chain.transcript(at=time.time() - 600)
    transcript.injected("Another hook's words.", source="startup")
    for number in range(30):
        transcript.typed(f"Make gateway {number} fast. " + "It is slow. " * 100)
        transcript.runs(f"make gateway-{number}", "done " * 200)
        transcript.says("It is faster now. " * 40)
    chain.read(transcript)
    night = time_machine.travel(datetime.now(UTC) + timedelta(hours=8), tick=True)
    chain.hook("PreCompact", transcript, trigger="auto")
    transcript.now().compacts(trigger="auto")
    with ExitStack() as later:
        if slept == "before the text is fetched":
            later.enter_context(night)
        parts = [given(reply) for reply in chain.parts(transcript) if reply]
        assert len(parts) > 1
        if slept == "between the text and its row":
            later.enter_context(night)
        assert chain.hook("UserPromptSubmit", transcript, prompt="Are you there?") == b""
        for part in parts:
            transcript.now().injected(part)
        chain.read(transcript)
        if slept == "after its row":
            later.enter_context(night)
        transcript.now().turn("Go on.")
        chain.read(transcript)
        assert chain.store.deliveries.last(transcript.id).level == "complete"
        assert {code for code in reasons(chain, transcript) if not code.startswith("hooks")} == set()
        assert chain.hook("UserPromptSubmit", transcript, prompt="And more.") == b""
