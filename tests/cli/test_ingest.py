"""`memd ingest`: files, directories and nonsense, alone and through the daemon."""

import json
import os
from pathlib import Path

import pytest
from process import Home
from transcript import Transcript

from memd.cli import ingest
from memd.files import Lock
from memd.tools.registry import TOOLS

KNOWN = ", ".join(TOOLS)

ONE, TWO = "5d1f0c1e-0000-4000-8000-000000000001", "5d1f0c1e-0000-4000-8000-000000000002"


@pytest.fixture
def folder(tmp_path):
    """Two sessions, a sub-agent's transcript, and things that are no transcripts."""
    one, two = (Transcript(tmp_path / "projects" / "-w" / f"{name}.jsonl") for name in (ONE, TWO))
    one.turn("First.")
    two.turn("Second.")
    agent = Transcript(tmp_path / "projects" / "-w" / ONE / "subagents" / "agent-a1.jsonl", session=ONE)
    agent.row(type="user", isSidechain=True, agentId="a1", message={"role": "user", "content": "Look."})
    (tmp_path / "projects" / "notes.txt").write_text("no transcript")
    (tmp_path / "projects" / "-w" / "other.jsonl").write_text('{"some": "thing"}\n')
    return tmp_path / "projects"


def test_a_file_with_its_sub_agents(call, folder):
    """Its session and the sub-agents beside it; a checkpoint of the session, none of the sub-agent's."""
    code, out, err = call("ingest", folder / "-w" / f"{ONE}.jsonl")
    assert (code, err) == (0, "")
    assert out == f"claude-code:{ONE}\nclaude-code:{ONE}/a1\n"
    assert call("show", ONE, "--json")[0] == 0
    none = f"memd: claude-code:{ONE}/a1 is a sub-agent's transcript: it has no checkpoint of its own\n"
    for command in ("checkpoint", "memo", "show"):
        assert call(command, f"{ONE}/a1") == (1, "", none)
    assert call("show", f"{ONE}/a1", "journal")[0] == 0


def _old_client(place, session, *typed):
    """A transcript of a client that states no origins, and the prompt history beside it, in the test's own home."""
    old = Transcript(place / f"{session}.jsonl", version="2.0.76", at=1_795_990_000)
    history = Path(os.environ["HOME"]) / ".claude" / "history.jsonl"
    history.parent.mkdir(exist_ok=True)
    lines = [{"display": text, "timestamp": 1_795_990_000_000, "sessionId": session} for text in typed]
    history.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return old


def _said(call, session):
    entries = map(json.loads, call("log", session, "--json")[1].splitlines())
    return [
        (e["channel"], e["text"], e["undelivered"]) for e in entries if not e["channel"].startswith(("agent", "tool"))
    ]


def test_the_witness_is_asked_of_a_long_session_too(call, tmp_path):
    """What stands in its first megabyte has its witness, though nothing in the last one needs any."""
    old = _old_client(tmp_path, ONE, "make it fast")
    old.typed("make it fast", origin={}, promptSource="")
    for _ in range(40):
        old.runs("ls", "x" * 60_000)
    call("ingest", old.path)
    assert _said(call, ONE) == [("human.typed", "make it fast", False)]


def test_the_witness_is_asked_of_what_was_never_delivered(call, tmp_path):
    """Words that still wait when the session is over are the person's too, where the history has them."""
    old = _old_client(tmp_path, ONE, "mind the tests")
    old.says("working")
    wait = {"type": "queue-operation", "operation": "enqueue", "content": "mind the tests"}
    old.raw(json.dumps({**wait, "timestamp": "2026-11-29T22:06:41Z", "sessionId": ONE}).encode() + b"\n")
    call("ingest", old.path)
    assert _said(call, ONE) == [("human.queued", "mind the tests", True)]


def test_all_below_a_directory_each_once(call, folder):
    code, out, _ = call("ingest", folder, folder / "-w", "--json")
    assert code == 0
    assert json.loads(out) == {
        "version": 1,
        "sessions": [f"claude-code:{ONE}/a1", f"claude-code:{ONE}", f"claude-code:{TWO}"],
    }
    assert out.count("\n") == 1


def test_again_is_once(call, folder):
    """Nothing is recorded twice and no checkpoint is numbered anew."""
    for _ in range(2):
        assert call("ingest", folder)[0] == 0
    assert json.loads(call("show", ONE, "--json")[1])["number"] == 1
    assert len(call("log", ONE, "--json")[1].splitlines()) == 2


def test_in_the_middle_of_a_turn(call, folder):
    """The checkpoint is current though the turn is not over."""
    transcript = Transcript(folder / "-w" / f"{TWO}.jsonl")
    transcript.typed("Now measure the port 9443.")
    call("ingest", transcript.path)
    assert "9443" in call("show", TWO, "checkpoint")[1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file or directory"),
        (b"\x00\xff garbage", f"not a transcript of {KNOWN}; --tool names the tool if it is"),
        (b"", f"not a transcript of {KNOWN}; --tool names the tool if it is"),
        (b'{"type": "session_meta"}\n', "not a transcript of claude-code"),
    ],
)
def test_nonsense_is_one_clear_line(call, tmp_path, content, words):
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)
    code, out, err = call("ingest", path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"memd: {path}: {words}")


CODEX_ROWS = (
    {"type": "session_meta", "payload": {"id": TWO, "session_id": TWO, "cwd": "/w", "originator": "codex-tui"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "hello", "images": []}},
)


def test_a_copy_under_another_name_is_found_by_what_it_holds(call, tmp_path):
    """A directory of copies: each goes to the tool that wrote it, whoever could have given it that name."""
    rows = ({"timestamp": "2026-11-29T22:59:00.000Z", **row} for row in CODEX_ROWS)
    (tmp_path / "copy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call("ingest", tmp_path) == (0, f"codex:{TWO}\n", "")
    assert call("ingest", tmp_path, "--tool", "codex") == (0, f"codex:{TWO}\n", "")
    assert call("ingest", tmp_path, "--tool", "opencode")[0] == 1


def test_a_directory_without_transcripts_is_one_clear_line(call, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, err = call("ingest", tmp_path / "empty")
    assert (code, out) == (1, "")
    assert err == f"memd: {tmp_path / 'empty'}: no transcript in it that memd knows\n"


@pytest.mark.parametrize("name", ["x" * 300, "a/b/c", "/dev/null", "\x1b[31mred"])
def test_odd_paths_are_one_clear_line(call, name):
    """Too long, not there, a device, with control characters in it: said, escaped, exit 1."""
    code, out, err = call("ingest", name)
    assert (code, out, err.count("\n"), "\x1b" in err) == (1, "", 1, False)


def test_an_empty_path_is_not_the_current_directory(call, folder, monkeypatch):
    """What a script's unset variable becomes; in a home it would read all that lies there."""
    monkeypatch.chdir(folder)
    assert call("ingest", "")[0] == 2
    assert call("ingest", ".")[0] == 0


def test_a_folder_that_goes_meanwhile_keeps_nothing_back(call, folder, monkeypatch):
    """Agents tidy up while memd looks: what is still there is read."""
    (folder / "gone").mkdir()
    real = os.scandir

    def scandir(path="."):
        if os.fspath(path).endswith("/gone"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    code, out, err = call("ingest", folder)
    assert (code, err) == (0, "")
    assert f"claude-code:{ONE}" in out


def test_the_tool_can_be_named(call, tmp_path):
    """Rows that tell nobody's tool are read as the tool's that is named; an unknown tool is refused."""
    transcript = Transcript(tmp_path / f"{ONE}.jsonl")
    transcript.row(type="cost-state")
    transcript.path.write_text('{"type": "cost-state", "cwd": "/srv/work"}\n')
    assert call("ingest", transcript.path)[0] == 1
    assert call("ingest", transcript.path, "--tool", "claude-code")[:2] == (0, f"claude-code:{ONE}\n")
    code, _, err = call("ingest", transcript.path, "--tool", "emacs")
    assert (code, err) == (1, f"memd: no tool called 'emacs': memd knows {KNOWN}\n")


@pytest.mark.parametrize("tool", ["codex", "opencode"])
def test_one_that_is_recorded_as_another_tools_says_so(call, tmp_path, tool):
    """Neither read on as what it is not, nor as what it was without a word; whoever means it forgets the session first."""
    transcript = Transcript(tmp_path / f"{ONE}.jsonl")
    transcript.turn("Hello.")
    call("ingest", transcript.path)
    code, out, err = call("ingest", transcript.path, "--tool", tool)
    assert (code, out) == (1, "")
    again = f"`memd forget claude-code:{ONE}` first, to have it read as {tool}'s"
    assert err == f"memd: {transcript.path}: recorded as a transcript of claude-code already; {again}\n"
    assert call("ingest", transcript.path)[:2] == (0, f"claude-code:{ONE}\n")


def test_one_that_cannot_be_read_does_not_keep_the_others_back(call, folder):
    """The sessions on stdout, what was in the way on stderr, exit 1."""
    nameless = folder / "-w" / "no session id.jsonl"
    nameless.write_text('{"type": "user", "sessionId": "not an id", "message": {}}\n')
    code, out, err = call("ingest", folder)
    assert code == 1
    assert out.splitlines() == [f"claude-code:{ONE}/a1", f"claude-code:{ONE}", f"claude-code:{TWO}"]
    assert err.startswith(f"memd: {nameless}: ")
    assert (err.count("\n"), "names no session" in err) == (1, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_said(call, folder):
    (folder / "-w" / f"{TWO}.jsonl").chmod(0)
    code, out, err = call("ingest", folder)
    assert (code, len(out.splitlines())) == (1, 2)
    assert err == f"memd: {folder / '-w' / TWO}.jsonl: Permission denied\n"


def test_a_path_that_is_not_utf_8(call, tmp_path):
    """Its bytes are no text, which the record cannot hold: one line says so, with the byte escaped."""
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    transcript = Transcript(tmp_path / f"{ONE}.jsonl")
    transcript.turn("First.")
    transcript.path.rename(os.fsdecode(folder + b"/" + ONE.encode() + b".jsonl"))
    code, _, err = call("ingest", os.fsdecode(folder))
    assert (code, err.count("\n")) == (1, 1)
    assert "caf\\xdce9/" in err
    assert "a name that is not UTF-8 cannot be recorded" in err


def test_an_odd_file_name_is_named_by_its_rows(call, tmp_path):
    transcript = Transcript(tmp_path / "my session (copy) ✂.jsonl", session=ONE)
    transcript.turn("First.")
    assert call("ingest", transcript.path)[:2] == (0, f"claude-code:{ONE}\n")


def test_it_waits_for_another_command(call, folder, monkeypatch):
    """Two at a time are two in turn; one that never ends is told by its process id."""
    from memd.daemon import sole  # noqa: PLC0415

    home = Home()
    home.state.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(sole.alone, "__defaults__", (0.2,))
    with Lock(home.state / "memd.lock"):
        code, _, err = call("ingest", folder)
    assert (code, err) == (1, f"memd: another memd (pid {os.getpid()}) works on {home.state}; try again later\n")
    assert call("ingest", folder)[0] == 0


def test_through_the_daemon_it_says_the_same(folder):
    """Files, directories, nonsense: the same output, error and exit code with a daemon and without."""
    nameless = folder / "-w" / "no session id.jsonl"
    nameless.write_text('{"type": "user", "sessionId": "not an id", "message": {}}\n')
    one, none, gone = folder / "-w" / f"{ONE}.jsonl", folder / "notes.txt", folder / "nowhere"
    asked = [(folder,), (one,), (none,), (gone,), (folder, "--tool", "x")]
    home = Home()

    def answers():
        done = [home.run("ingest", *arguments) for arguments in asked]
        return [(one.returncode, one.stdout, one.stderr) for one in done]

    with home.daemon():
        through = answers()
    assert [code for code, _, _ in through] == [1, 0, 1, 1, 1]
    assert through == answers()


def test_the_answer_of_an_older_daemon_is_understood(capsys):
    """It knows nothing of problems."""
    ingest.report({"sessions": ["claude-code:a", "claude-code:a"]}, as_json=False)
    assert capsys.readouterr().out == "claude-code:a\n"
