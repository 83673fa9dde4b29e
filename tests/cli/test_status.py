"""`memd status`: the shape that scripts rely on, states, and what it says of a source that is not as it was."""

import json
import os
import sqlite3
import time
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from opencode_session import OpenCodeSession
from process import Home
from transcript import Transcript

from memd import config
from memd.files import Lock
from memd.model import Problem, Run, marks
from memd.store import Store

ONE = "5d1f0c1e-0000-4000-8000-000000000001"


def sessions(call, *words):
    code, out, err = call("status", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)["sessions"]


def codes(call):
    return [reason["code"] for reason in sessions(call)[0]["reasons"]]


@pytest.fixture
def transcript(tmp_path, call):
    transcript = Transcript(tmp_path / "projects" / f"{ONE}.jsonl", cwd=str(tmp_path), at=1_795_990_000)
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    return transcript


def test_the_shape_without_a_daemon_is_fixed(call, transcript, home):
    """Pinned literally, but for what differs from run to run."""
    code, out, err = call("status", "--json")
    (made,) = [one["checkpoint"] for one in json.loads(out)["sessions"]]
    (note,) = json.loads(out)["daemon"]["errors"]  # what mends it depends on the machine: tests/cli/test_notes.py
    assert note.startswith("nothing will restart the daemon after a crash or a reboot")
    size = transcript.path.stat().st_size
    expected = {
        "version": 1,
        "daemon": {
            "running": False,
            "pid": None,
            "version": None,
            "since": None,
            "socket": str(home / ".local" / "state" / "memd" / "memd.sock"),
            "watches": {"have": 0, "want": 0},
            "queue": 0,
            "waiting": [],
            "errors": [note],
        },
        "models": {
            "writer": "extractive",
            "runs": 0,
            "tokens": 0,
            "runs_per_day": 20,
            "tokens_per_day": 1_000_000,
        },
        "sessions": [
            {
                "session": f"claude-code:{ONE}",
                "tool": "claude-code",
                "cwd": transcript.cwd,
                "state": "idle",
                "context": {"tokens": 9_000, "window": 200_000, "fraction": 0.045},
                "source": {
                    "path": str(transcript.path),
                    "offset": size,
                    "size": size,
                    "lag_bytes": 0,
                    "unit": "bytes",
                },
                "messages": 2,
                "compactions": 0,
                "checkpoint": {
                    "number": 1,
                    "at": made["at"],
                    "writer": "extractive",
                    "trigger": "ingest",
                    "tokens": made["tokens"],
                    "valid": True,
                    "problems": [],
                    "receipt": made["receipt"],
                },
                "model": None,
                "delivery": {
                    "level": "written",
                    "at": made["at"],
                    "hook": None,
                    "number": 1,
                    "receipt": made["receipt"],
                },
                "health": "degraded",
                "reasons": [
                    {
                        "code": "hooks-missing",
                        "text": "memd's hooks are not in claude-code's settings: nothing can be given back",
                        "fix": "memd install claude-code",
                    }
                ],
            }
        ],
    }
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert out == json.dumps(expected, ensure_ascii=False) + "\n"
    assert list(made["tokens"]) == ["mind", "memo", "scene", "total"]


def test_the_shape_with_a_daemon_is_the_same():
    home = Home()
    with home.daemon() as child:
        found = home.status()
    assert list(found) == ["version", "daemon", "models", "sessions"]
    daemon = found["daemon"]
    assert list(daemon) == ["running", "pid", "version", "since", "socket", "watches", "queue", "waiting", "errors"]
    assert (daemon["running"], daemon["pid"], daemon["queue"]) == (True, child.pid, 0)
    assert daemon["since"].endswith("Z")


def test_a_full_disk_is_failing(call, transcript, monkeypatch):
    """The record cannot grow, whatever else is well."""
    disk = SimpleNamespace(f_bavail=0, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    (session,) = sessions(call)
    assert (session["health"], session["reasons"][0]["code"]) == ("failing", "store-trouble")
    assert "is full" in session["reasons"][0]["text"]


def test_nothing_recorded_is_no_error(call):
    """It says when there will be something, and what comes before that."""
    assert sessions(call) == []
    assert "Nothing is recorded yet" in call("status")[1]
    assert "First put the hooks in: `memd install`." in call("status")[1]


def test_one_session_that_is_not_there_is(call, transcript):
    code, out, err = call("status", "nonsense")
    assert (code, out, err) == (1, "", "memd: no session begins with 'nonsense'; `memd status --all` lists them\n")


def test_states(call, transcript, tmp_path):
    """Idle; active; ended is a hook's word; foreign: a container's directory."""
    assert sessions(call)[0]["state"] == "idle"
    transcript.now().turn("Again.")
    call("ingest", transcript.path)
    assert sessions(call)[0]["state"] == "active"
    foreign = Transcript(tmp_path / "projects" / f"{ONE[:-1]}2.jsonl", cwd="/container/only")
    foreign.now().turn("Inside.")
    call("ingest", foreign.path)
    assert sessions(call)[0]["state"] == "foreign"


def test_sub_agents_only_where_asked_for(call, transcript, tmp_path):
    agent = Transcript(tmp_path / "projects" / ONE / "subagents" / "agent-a1.jsonl", session=ONE)
    agent.row(type="user", isSidechain=True, agentId="a1", message={"role": "user", "content": "Look."})
    call("ingest", transcript.path)
    assert [one["session"] for one in sessions(call)] == [f"claude-code:{ONE}"]
    assert f"claude-code:{ONE}/a1" in [one["session"] for one in sessions(call, "--all")]


def test_lines_that_nobody_read_are_told(call, transcript):
    """No daemon runs and the transcript grew long ago: stale, with what mends it."""
    transcript.turn("Not read.")
    os.utime(transcript.path, (1_795_990_000,) * 2)
    found = sessions(call)[0]
    assert found["source"]["lag_bytes"] == transcript.path.stat().st_size - found["source"]["offset"] > 0
    assert "unread" in codes(call)


def test_damaged_lines_are_counted_and_told(call, transcript):
    """A torn line costs nothing but itself, and is not passed over in silence."""
    transcript.raw(b'{"type":"user","mess\n\0\0\0\n')
    transcript.turn("Go on.")
    call("ingest", transcript.path)
    assert codes(call) == ["lines-damaged"]


def test_words_that_never_arrived_are_told(call, transcript):
    """As long as they were not sent again, and nothing was asked for since."""
    waits = {"type": "queue-operation", "operation": "enqueue", "content": "mind the tests"}
    transcript.raw(json.dumps({**waits, "timestamp": "2026-11-29T22:07:00Z", "sessionId": ONE}).encode() + b"\n")
    call("ingest", transcript.path)
    assert codes(call) == ["undelivered"]
    transcript.typed("mind the tests")
    call("ingest", transcript.path)
    assert codes(call) == []


def test_a_transcript_that_is_gone_is_told_at_once(call, transcript):
    """Before any daemon has noticed; the record and the checkpoint stay."""
    transcript.path.unlink()
    found = sessions(call)[0]
    assert "source-gone" in codes(call)
    assert (found["messages"], found["checkpoint"]["number"], found["source"]["lag_bytes"]) == (2, 1, 0)


def test_a_session_inside_a_database(call, tmp_path):
    """Its path is none on the disk; the tool tells how far it reaches, and when it is gone."""
    session = OpenCodeSession(tmp_path / "opencode.db", cwd=str(tmp_path))
    session.typed("Make the gateway fast.")
    assert call("ingest", tmp_path / "opencode.db")[0] == 0
    assert "source-gone" not in codes(call)
    session.typed("And small.")
    source = sessions(call)[0]["source"]
    assert (source["unit"], source["lag_bytes"]) == ("events", source["size"] - source["offset"])
    assert source["lag_bytes"] > 0
    with sqlite3.connect(tmp_path / "opencode.db") as sql:
        sql.execute("DELETE FROM session")
    assert "source-gone" in codes(call)
    session.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_transcript_without_permission_is_failing(call, transcript):
    transcript.path.chmod(0)
    assert codes(call)[0] == "source-unreadable"
    assert sessions(call)[0]["health"] == "failing"


def test_a_moved_transcript_is_judged_where_it_is_now(call, transcript, tmp_path):
    """Archived and read there: the old place does not count any more."""
    moved = tmp_path / "a" / transcript.path.name
    moved.parent.mkdir()
    transcript.path.rename(moved)
    call("ingest", moved)
    found = sessions(call)[0]
    assert (found["source"]["path"], "source-gone" in codes(call), found["messages"]) == (str(moved), False, 2)


def test_the_table_names_what_is_wrong_and_what_mends_it(call, transcript, home):
    code, out, _ = call("status")
    assert code == 0
    assert f"claude-code:{ONE[:8]}" in out
    assert "memd install claude-code" in out
    assert out.startswith("daemon: not running")


def test_a_daemon_that_hangs_is_not_said_to_be_gone(call, transcript, home):
    """It holds the record and does not answer: starting another one would be refused."""
    places = config.paths(os.environ)
    with Lock(places.state / "memd.lock"):
        _, shown, _ = call("status")
    assert "does not answer" in shown
    assert "not running" not in shown
    assert "not running" in call("status")[1]


def test_what_a_model_came_to_is_told(call, transcript, tmp_path, monkeypatch):
    """What it cost, what was wrong, and that it rests after two failures where it is switched on."""
    settings = tmp_path / "config.toml"
    settings.write_text('checkpoint.writer = "agent"\n')
    monkeypatch.setenv("MEMD_CONFIG", str(settings))
    with Store.open(config.paths(os.environ).state / "memd.db") as store:
        for _ in range(2):
            key = store.judging.start_run(Run(f"claude-code:{ONE}", "claude-code", int(time.time() * 1000), 2))
            store.judging.end_run(key, 1_200, "failed", [Problem("scene", "there is none", "the extractive scene")])
        made = store.checkpoints.current(f"claude-code:{ONE}")
        faulty = replace(made, number=2, problems=(Problem("memo", "it is gone", "all candidates stay ticked"),))
        store.checkpoints.add(faulty, "digest")
    (one,) = sessions(call)
    assert (one["model"]["outcome"], one["model"]["tokens"], len(one["model"]["problems"])) == ("failed", 1_200, 1)
    assert "writer-resting" in codes(call)
    _, out, _ = call("status", ONE)
    assert "models in the last 24 hours: 2 of 20 runs, 2,400 of 1,000,000 input tokens (writer: agent)" in out
    assert "  scene: there is none; the extractive scene" in out
    assert ", 1 fault in it\n" in out


@pytest.mark.parametrize("put", [lambda place: place.write_text("mine"), lambda place: place.symlink_to("nowhere")])
def test_what_stands_in_the_place_of_a_sessions_folder_is_told(call, transcript, put):
    """With the command that moves it aside and writes the files again; nothing of it is thrown away."""
    folder = Home().state / "sessions" / "claude-code" / ONE
    folder.rename(folder.with_name("kept"))
    put(folder)
    (one,) = sessions(call)
    (reason,) = [reason for reason in one["reasons"] if reason["code"] == "replies-missing"]
    assert f"{folder} is no folder" in reason["text"]
    name = f"claude-code:{ONE}"
    assert f"mv -n {folder} {folder}.other && memd checkpoint {name}" == reason["fix"]
    folder.rename(f"{folder}.other")
    assert call("checkpoint", name)[0] == 0
    assert (folder / "ready" / "PreCompact").is_file()
    assert "replies-missing" not in codes(call)


@pytest.fixture
def compacted(home, tmp_path, call):
    """Makes a session of Claude Code's that was compacted, in a home into which memd was put an hour ago, and its reasons."""
    ledger = home / ".local" / "state" / "memd" / "installed" / "ledger.json"
    assert call("install", "claude-code", "--yes")[0] == 0
    put = json.loads(ledger.read_text())
    for written in put["files"].values():
        written["at"] -= 3_600_000
    ledger.write_text(json.dumps(put))

    def made(minutes=30, cwd=tmp_path, version="2.1.332", place=home / ".claude" / "projects" / "-srv", given=""):
        at = time.time() - minutes * 60
        transcript = Transcript(place / f"{ONE}.jsonl", cwd=str(cwd), at=at, version=version)
        transcript.turn("Make the gateway fast.")
        transcript.compacts()
        if given:
            transcript.injected(given)
        transcript.turn("Go on.")
        assert call("ingest", transcript.path)[0] == 0
        return codes(call)

    return made


def test_a_first_compaction_of_which_no_hook_ever_ran_is_told(compacted):
    """Nothing of memd's was ever seen in the session, and its hooks were there before it began."""
    assert "receipt-missing" in compacted()


@pytest.mark.parametrize(
    "other",
    [
        {"minutes": 90},
        {"cwd": "/elsewhere/on/another/machine"},
        {"version": "2.0.76"},
    ],
    ids=["begun before memd came", "of another machine", "of a client that shows nothing"],
)
def test_a_session_in_which_no_hook_could_be_seen_is_not_blamed(compacted, other):
    """Where nothing could have been given, or would show, there is no alarm."""
    assert "receipt-missing" not in compacted(**other)


def test_a_transcript_that_was_brought_here_is_not_blamed(compacted, tmp_path):
    """It lies in no home of the tool that memd was put into."""
    assert "receipt-missing" not in compacted(place=tmp_path / "copied")


@pytest.mark.parametrize("given", ["A text of another hook's.", marks.ending(7, f"claude-code:{ONE}", "ABC123")])
def test_what_an_earlier_record_gave_is_in_the_transcript(compacted, given):
    """It was purged since, or set aside as damaged: the model has the text all the same."""
    assert ("receipt-missing" in compacted(given=given)) is ("ABC123" not in given)


def test_a_compacted_session_to_which_nothing_was_given(compacted, call):
    """There was something to give: it is not said that nothing had to be."""
    compacted(minutes=90)
    told = call("status", ONE)[1]
    assert "delivery: ready; nothing is recorded as given back" in told


def test_who_switched_all_hooks_off_is_told_that_alone(compacted, home):
    """It is their own doing, and has a reason of its own."""
    settings = home / ".claude" / "settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}))
    found = compacted()
    assert ("hooks-disabled" in found, "receipt-missing" in found) == (True, False)
