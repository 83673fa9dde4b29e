"""`memd run` as a process: killed, stopped, started twice, started before anything is there."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest
from process import MEMD, Home, eventually
from transcript import given

from memd.files import Lock
from memd.model import marks
from memd.store import Store
from memd.store.folders import Folders


@pytest.fixture
def home():
    return Home()


def recorded(home, transcript):
    """How many messages are recorded of a session, and of which number its checkpoint on disk is."""
    with Store.open(home.db, readonly=True) as store:
        known = store.session(transcript.id)
        return known.messages if known else 0


def settled(home, transcript, messages):
    """All is recorded, and the checkpoint and its files hold for it."""

    def look():
        if not home.db.exists() or recorded(home, transcript) < messages:
            return False
        with Store.open(home.db, readonly=True) as store:
            made = store.checkpoints.current(transcript.id)
            folder = Folders(home.state).session("claude-code", transcript.session)
            return made and made.upto >= messages and Folders(home.state).published(folder) == made.number

    return eventually(look)


def check_whole(home, transcript, texts):
    """Each line is recorded once, in order, and checkpoint, copies and ready replies are of one number."""
    with Store.open(home.db, readonly=True) as store:
        records = store.messages(transcript.id)
        assert [record.number for record in records] == list(range(1, len(records) + 1))
        assert [record.text for record in records] == texts
        source = store.sources.of(str(transcript.path))
        assert (source.offset, source.number) == (transcript.path.stat().st_size, len(records))
        made = store.checkpoints.current(transcript.id)
        numbers = store.checkpoints.numbers(transcript.id)
    folders = Folders(home.state)
    folder = folders.session("claude-code", transcript.session)
    assert made.number == numbers[-1]
    eventually(lambda: folders.copied(folder) == made.number)  # people's copies come when hooks have theirs
    assert (folder / "mind.md").read_text() == made.parts.mind
    assert (folder / "memo.md").read_text() == made.parts.memo
    assert (folder / "scene.md").read_text() == made.parts.scene
    assert (folder / "checkpoint.md").read_text() == folders.text(folder, made.number)
    replies = folders.replies(folder)
    found = [marks.find(given(reply)) for name, reply in replies.by_name.items() if "compact" in name]
    assert {one.number for one in found} == {made.number} == {replies.number}
    assert [one.code for one in found if one.code] == [made.receipt]


@pytest.mark.parametrize("step", ["write", "add", "publish", "copy", "drop"])
def test_killed_between_the_steps_of_a_checkpoint(home, step):
    """Around the row, the link and the copies: started again, with no new line in the transcript, all is of one number."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000002")
    transcript.turn("The first.")
    assert home.run("ingest", transcript.path).returncode == 0
    transcript.turn("The second.")
    owner = "store.checkpoints.Checkpoints" if step == "add" else "store.folders.Folders"
    module, _, name = owner.rpartition(".")
    program = (
        f"import os, memd.{module} as module\n"
        f"real = module.{name}.{step}\n"
        f"def kill(*a, **k):\n    real(*a, **k)\n    os.kill(os.getpid(), 9)\n"
        f"module.{name}.{step} = kill\n"
        f"from memd.cli import main; main()"
    )
    died = subprocess.run(
        [sys.executable, "-c", program, "ingest", transcript.path], env=os.environ, timeout=30, check=False
    )
    assert died.returncode == -signal.SIGKILL
    with home.daemon():
        settled(home, transcript, 4)
        check_whole(home, transcript, ["The first.", "Done.", "The second.", "Done."])


def test_hooks_answer_from_disk_after_the_daemon_was_killed(home):
    """The same text, byte for byte, as the daemon gave; started again it proves what the transcript shows."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000003")
    transcript.turn("Make the gateway fast.")
    with home.daemon():
        settled(home, transcript, 2)
        alive = home.hook("SessionStart", transcript, 1, source="compact")
    assert home.hook("SessionStart", transcript, 1, source="compact") == alive
    text = given(alive)
    transcript.now().compacts()
    transcript.injected(text)
    with home.daemon():
        eventually(lambda: delivery(home) == "complete")


def delivery(home):
    return home.status()["sessions"][0]["delivery"]["level"]


def test_one_daemon_a_state_directory(home):
    """The second says so in one line and ends with 1, the first does not notice."""
    with home.daemon() as child:
        second = home.run("run")
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr == f"memd: a daemon already runs on {home.state}; `memd status` shows it\n"
        assert home.asks(child)["pid"] == child.pid


def test_the_lock_decides_and_not_a_process_id(home):
    """A lock file that names a live process of somebody else's is no daemon."""
    home.state.mkdir(parents=True, mode=0o700)
    (home.state / "memd.lock").write_text(f"{os.getpid()}\n")
    with home.daemon() as child:
        assert home.asks(child)["pid"] == child.pid


def test_a_start_waits_for_a_command_that_works_on_the_record(home):
    """`memd ingest` holds the lock: the daemon is not a second one, it only has to wait."""
    home.state.mkdir(parents=True, mode=0o700)
    with Lock(home.state / "memd.lock"), home.log.open("ab") as log:
        child = subprocess.Popen([*MEMD, "run"], env=os.environ, stdout=log, stderr=log)
        time.sleep(0.5)
        assert child.poll() is None
    try:
        eventually(lambda: home.asks(child))
    finally:
        child.kill()
        child.wait(10)


def test_a_stale_socket_is_replaced(home):
    """A daemon was killed: its socket file is still there, and nobody behind it."""
    home.state.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(home.state / "memd.sock"))
    with home.daemon() as child:
        assert home.asks(child)["running"] is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(home, number):
    """Exit 0, no socket left, and what was said last is in the checkpoint."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000004")
    transcript.turn("Make the gateway fast.")
    with home.daemon() as child:
        settled(home, transcript, 2)
        transcript.runs("ls")
        eventually(lambda: recorded(home, transcript) == 3)
        child.send_signal(number)
        assert child.wait(10) == 0
    assert not (home.state / "memd.sock").exists()
    with Store.open(home.db, readonly=True) as store:
        assert store.checkpoints.current(transcript.id).upto == 3
    assert "Traceback" not in home.log.read_text()


def test_sighup_reads_the_settings_again(home):
    """The same process goes on with the new settings; several in a row are no trouble."""
    config = home.home / "config.toml"
    with home.daemon(MEMD_CONFIG=str(config)) as child:
        since = home.asks(child)["since"]
        config.write_text('[log]\nlevel = "error"\n')
        for _ in range(3):
            child.send_signal(signal.SIGHUP)
        eventually(lambda: (home.asks(child) or {"since": since})["since"] > since)
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
    assert home.log.read_text().count("event='stopped'") < home.log.read_text().count("event='running'") + 1


def test_settings_that_cannot_be_read_leave_the_old_ones_in_force(home):
    """A typo and a SIGHUP must not end a daemon that works; the status tells."""
    config = home.home / "config.toml"
    with home.daemon(MEMD_CONFIG=str(config)) as child:
        config.write_text("guard = maybe\n")
        child.send_signal(signal.SIGHUP)
        errors = eventually(lambda: home.asks(child)["errors"])
        assert "the settings stay as they were: " in errors[0]
        assert str(config) in errors[0]
        assert home.asks(child)["pid"] == child.pid


def test_settings_that_cannot_be_read_at_the_start_are_one_line(home):
    (home.home / "config.toml").write_text("guard = maybe\n")
    done = home.run("run", MEMD_CONFIG=str(home.home / "config.toml"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "config.toml" in done.stderr


def test_a_record_of_a_newer_version_is_refused_in_one_line(home):
    """Nothing is changed in it, by the daemon or by any command."""
    home.state.mkdir(parents=True, mode=0o700)
    with sqlite3.connect(home.db) as sql:
        sql.execute("PRAGMA user_version = 999")
    sql.close()
    before = home.db.read_bytes()
    for arguments in (("run",), ("status",), ("log",), ("show",), ("checkpoint",), ("ingest", "x.jsonl")):
        done = home.run(*arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), arguments
        assert "from a newer memd" in done.stderr
    assert home.db.read_bytes() == before


def test_started_on_an_empty_machine_it_sees_what_comes(home):
    """No directory of the tool, no record, nothing: the first transcript is found when it appears."""
    with home.daemon() as child:
        assert home.status()["sessions"] == []
        transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000005")
        transcript.turn("The very first.")
        settled(home, transcript, 2)
        assert home.asks(child)["errors"] == []


def test_transcripts_of_another_home_are_read_where_hooks_were_installed(home):
    """Two homes of the tool: the environment's, and one that memd's hooks were put into before."""
    other = home.home / "second"
    (other / "projects").mkdir(parents=True)
    assert home.run("install", "claude-code", "--yes", CLAUDE_CONFIG_DIR=str(other)).returncode == 0
    one = home.transcript("5d1f0c1e-0000-4000-8000-000000000006")
    two = home.transcript("../../../second/projects/-x/5d1f0c1e-0000-4000-8000-000000000007")
    with home.daemon():
        one.turn("In the first.")
        two.turn("In the second.")
        settled(home, one, 2)
        two.session = two.path.stem
        settled(home, two, 2)


def test_a_hook_from_a_home_that_nobody_named_is_enough(home):
    """The transcript is followed from its first hook on, also between hooks."""
    transcript = home.transcript("../../../third/projects/-x/5d1f0c1e-0000-4000-8000-000000000008")
    transcript.session = transcript.path.stem
    transcript.turn("Elsewhere.")
    with home.daemon():
        home.hook("SessionStart", transcript, 1, source="startup")
        settled(home, transcript, 2)
        transcript.turn("And on.")
        settled(home, transcript, 4)


def test_a_new_session_in_an_old_folder_is_seen_at_once(home):
    """No transcript in that folder was touched for long, so nothing watches it: the session's first hook changes that.

    The sweep, which would find the file in any case, comes after ten seconds at the earliest.
    """
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000010")
    transcript.path.parent.mkdir(parents=True)
    with home.daemon():
        time.sleep(0.3)  # the first sweep is over
        home.hook("SessionStart", transcript, 1, source="startup")
        time.sleep(0.3)  # the person thinks
        transcript.turn("Make the gateway fast.")
        eventually(lambda: recorded(home, transcript) == 2, seconds=5)


def test_a_transcript_that_was_deleted_is_said_to_be_gone(home):
    """While a daemon runs, and while none does: the record, the checkpoint and the memo stay, the status says it."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000009")
    transcript.turn("Make the gateway fast.")
    with home.daemon():
        settled(home, transcript, 2)
        transcript.path.unlink()
        eventually(lambda: gone(home, transcript))
        transcript.turn("It is back.")
        eventually(lambda: not gone(home, transcript))
        settled(home, transcript, 4)  # the empty file is back before its rows are
    transcript.path.unlink()
    assert not gone(home, transcript)
    assert "source-gone" in [reason["code"] for reason in home.status()["sessions"][0]["reasons"]]
    with home.daemon():
        eventually(lambda: gone(home, transcript))
    assert "Make the gateway fast." in home.run("show", transcript.id, "memo").stdout
    texts = [json.loads(line)["text"] for line in home.run("log", transcript.id, "--json").stdout.splitlines()]
    assert texts == ["Make the gateway fast.", "Done.", "It is back.", "Done."]


def gone(home, transcript):
    with Store.open(home.db, readonly=True) as store:
        return store.sources.of(str(transcript.path)).gone_at


def test_a_damaged_hook_folder_does_not_keep_the_daemon_from_running(home):
    """The data folder cannot be made: what hooks find there is the status's business, the daemon goes on."""
    (home.home / "file").write_text("")
    with home.daemon(XDG_DATA_HOME=str(home.home / "file" / "x")) as child:
        errors = home.asks(child)["errors"]
        assert any("the hook's file could not be brought up to date" in error for error in errors)
