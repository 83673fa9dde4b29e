"""What machines do to a daemon, done for real: full disks, closed files, few descriptors, broken databases."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import contextmanager

import pytest
from opencode_session import OpenCodeSession
from process import MEMD, Home, eventually

from memd.daemon import again
from memd.daemon.place import LOOK
from memd.errors import MemdError
from memd.store import Store
from memd.store.folders import Folders

AGAIN = again.AGAIN + 30
"""Seconds within which what failed is tried again, on a busy machine."""


@pytest.fixture
def home():
    return Home()


def texts(home, transcript):
    """What is recorded of a session; nothing while the record cannot be read."""
    try:
        with Store.open(home.db, readonly=True) as store:
            return [record.text for record in store.messages(transcript.id)]
    except MemdError:
        return []


def recorded(home, transcript, count, seconds=20.0):
    return eventually(lambda: home.db.exists() and len(texts(home, transcript)) >= count, seconds)


def codes(home):
    return {reason["code"] for one in home.status()["sessions"] for reason in one["reasons"]}


@contextmanager
def small_disk(place, options):
    """A file system of its own, without which these faults cannot be made."""
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize("options", ["size=8m,mode=0700", "size=64m,nr_inodes=120,mode=0700"], ids=["bytes", "files"])
def test_a_full_disk_loses_nothing(home, options):
    """No room for bytes, or for files: told in the status, what is there is still given back, and all of it comes later."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a1")
    transcript.turn("Before.")
    with small_disk(home.state, options), home.daemon() as child:
        recorded(home, transcript, 2)
        eventually(
            lambda: Folders(home.state).published(Folders(home.state).session("claude-code", transcript.session))
        )
        answer = home.hook("SessionStart", transcript, 1, source="compact")
        fill(home.state)
        transcript.turn("While full. " + "x" * 100_000)
        time.sleep(1.5)
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert child.poll() is None
        if "nr_inodes" not in options:
            assert "store-trouble" in codes(home)
        for path in home.state.glob("filler*"):
            path.unlink()
        transcript.turn("After.")
        recorded(home, transcript, 6, AGAIN)
        assert [text[:11] for text in texts(home, transcript)] == [
            "Before.", "Done.", "While full.", "Done.", "After.", "Done.",
        ]  # fmt: skip


def fill(folder):
    """Until not a byte, or not a file, fits."""
    for size in (1 << 20, 4_096, 1):
        try:
            for number in range(10_000):
                with (folder / f"filler{size}-{number}").open("wb") as file:
                    file.write(b"x" * size)
        except OSError:
            continue


def test_a_state_that_turns_read_only_is_told_and_passes(home):
    """The disk is mounted read-only under the daemon: hooks get what is there, and all is recorded when it can be again."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a2")
    transcript.turn("Before.")
    with small_disk(home.state, "size=32m,mode=0700"), home.daemon() as child:
        recorded(home, transcript, 2)
        subprocess.run(["mount", "-o", "remount,ro", home.state], check=False)
        transcript.turn("Meanwhile.")
        time.sleep(1)
        assert child.poll() is None
        subprocess.run(["mount", "-o", "remount,rw", home.state], check=True)
        transcript.turn("After.")
        recorded(home, transcript, 6, AGAIN)


def test_no_descriptors_left(home):
    """The limit falls below what is open: nothing ends, and nothing is lost when there are some again."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a3")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        before = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        transcript.turn("Without.")
        time.sleep(2.5)
        assert child.poll() is None
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, before)
        transcript.turn("With.")
        recorded(home, transcript, 6, AGAIN)
        assert home.asks(child)["running"] is True


def test_permission_lost_and_regained(home):
    """A transcript that this user may not read: told with its reason, read on when it may, each line once."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a4")
    transcript.turn("Before.")
    # Root reads everything, unless it gives up the right to.
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    with home.log.open("ab") as log:
        child = subprocess.Popen([*powerless, *MEMD, "run"], env=os.environ, cwd=home.home, stdout=log, stderr=log)
    try:
        recorded(home, transcript, 2)
        transcript.path.chmod(0o000)
        transcript.turn("Closed.")
        eventually(lambda: any("Permission denied" in line for line in (home.asks(child) or {"errors": []})["errors"]))
        assert len(texts(home, transcript)) == 2
        transcript.path.chmod(0o600)
        transcript.turn("Open.")
        recorded(home, transcript, 6, AGAIN)
    finally:
        child.kill()
        child.wait(10)


def test_a_root_that_is_deleted_and_comes_back(home):
    """The whole directory of the tool goes and is made anew: its new transcripts are found, the old record stays."""
    old = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a5")
    old.turn("Before.")
    with home.daemon():
        recorded(home, old, 2)
        shutil.rmtree(home.projects)
        time.sleep(1.2)
        new = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a6")
        new.turn("After.")
        recorded(home, new, 2)
        assert texts(home, old) == ["Before.", "Done."]
        assert "source-gone" in codes(home)


@pytest.mark.parametrize("gone", ["state", "record"])
def test_a_record_that_is_deleted_under_the_daemon_is_made_again(home, gone):
    """It is found again at its socket, says what happened, and has all that the transcripts have."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a8")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        shutil.rmtree(home.state) if gone == "state" else home.db.unlink()
        transcript.turn("Meanwhile.")
        recorded(home, transcript, 4, LOOK + 20)
        transcript.turn("After.")
        recorded(home, transcript, 6)
        assert child.poll() is None
        assert texts(home, transcript) == ["Before.", "Done.", "Meanwhile.", "Done.", "After.", "Done."]
        daemon = home.status()["daemon"]
        assert daemon["pid"] == child.pid
        assert any("memd.db was taken away or replaced" in line for line in daemon["errors"])


def damage(path, how):
    """The record as a bad disk, or a careless copy, leaves it."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    data = bytearray(path.read_bytes())
    match how:
        case "zeros":
            data[:] = bytes(len(data))
        case "cut":
            del data[len(data) // 3 :]
        case "pages":
            data[4_096 : len(data) // 2] = os.urandom(len(data) // 2 - 4_096)
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["zeros", "cut", "pages"])
def test_a_damaged_record_is_set_aside_and_made_again(home, how):
    """From the transcripts that are still there, however old; checkpoints' numbers go on; the status tells of it."""
    here = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b1")
    here.turn("Make the gateway fast.")
    old = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b2", at=time.time() - 80 * 86_400)
    old.turn("Long ago.")
    gone = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b3")
    gone.turn("Its transcript will be gone.")
    unwanted = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b4")
    unwanted.turn("Forget this.")
    assert home.run("ingest", here.path, old.path, gone.path, unwanted.path).returncode == 0
    assert home.run("forget", unwanted.id, "--yes").returncode == 0
    os.utime(old.path, (time.time() - 80 * 86_400,) * 2)
    gone.path.unlink()
    number = Folders(home.state).published(Folders(home.state).session("claude-code", here.session))
    damage(home.db, how)
    with home.daemon():
        for transcript in (here, old):
            recorded(home, transcript, 2)
        here.turn("And safe.")
        recorded(home, here, 4)
        eventually(lambda: current(home, here) > number)
        assert texts(home, here) == ["Make the gateway fast.", "Done.", "And safe.", "Done."]
        assert texts(home, gone) == []
        if how != "pages":
            assert "could not be taken over" in home.log.read_text() or how == "cut"
    (folder,) = (home.state / "damaged").iterdir()
    assert (folder / "memd.db").stat().st_size > 0
    assert (folder.stat().st_mode & 0o777, folder.parent.stat().st_mode & 0o777) == (0o700, 0o700)
    told = home.run("status").stdout + "".join(home.status()["daemon"]["errors"])
    assert f"set aside in {folder}" in " ".join(told.split())
    shutil.rmtree(folder)
    assert "set aside" not in home.run("status").stdout


def current(home, transcript):
    with Store.open(home.db, readonly=True) as store:
        made = store.checkpoints.current(transcript.id)
        return made.number if made else 0


def test_what_was_forgotten_stays_forgotten(home):
    """A damaged record that still tells which sessions were forgotten and pinned: they are so in the new one."""
    kept, unwanted = (home.transcript(f"5d1f0c1e-0000-4000-8000-0000000000c{n}") for n in (1, 2))
    for transcript in (kept, unwanted):
        transcript.turn("Said.")
    assert home.run("ingest", kept.path, unwanted.path).returncode == 0
    assert home.run("forget", unwanted.id, "--yes").returncode == 0
    with sqlite3.connect(home.db) as sql:
        (page,) = sql.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message'").fetchone()
        (size,) = sql.execute("PRAGMA page_size").fetchone()
    sql.close()
    with home.db.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(os.urandom(size))
    with home.daemon() as child:
        kept.turn("And more.")
        recorded(home, kept, 4, AGAIN)
        assert home.asks(child)["pid"] == child.pid
        time.sleep(0.5)
        assert texts(home, unwanted) == []
    assert list((home.state / "damaged").iterdir())


def test_a_record_that_another_program_locks_is_waited_for(home):
    """Longer than memd waits for a lock: told as long as the transcript waits for it, and recorded when it is gone."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b6")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        sql = sqlite3.connect(home.db, isolation_level=None)
        sql.execute("BEGIN IMMEDIATE")
        transcript.turn("Locked.")
        eventually(lambda: "store-trouble" in codes(home), AGAIN)
        held = {one["what"]: one for one in home.status()["daemon"]["waiting"]}[str(transcript.path)]
        assert (held["code"], "holds its lock" in held["why"]) == ("store-trouble", True)
        sql.execute("ROLLBACK")
        sql.close()
        transcript.turn("Free.")
        recorded(home, transcript, 6, AGAIN)
        eventually(lambda: home.asks(child)["waiting"] == [])
        assert "store-trouble" not in codes(home)


SEALED = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def sealed(home, folder, *words):
    """The command as one has it that sees a folder through a mount that nothing can be written through."""
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", SEALED, folder, *MEMD, *words],
        env=os.environ, cwd=home.home, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if not done.stdout:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    return done.stdout


def test_a_database_that_only_its_client_can_open_is_told_in_the_status(home):
    """Left by a client that was killed, on a mount that cannot be written: failing, why, and well after its next start."""
    base = home.home / ".local" / "share" / "opencode" / "opencode.db"
    session = OpenCodeSession(base, cwd=str(home.home))
    session.typed("Make the gateway fast.")
    assert home.run("ingest", base).returncode == 0
    session.typed("And small.")
    log = base.with_name(f"{base.name}-wal")
    kept = log.read_bytes()
    session.close()
    log.write_bytes(kept)
    (one,) = json.loads(sealed(home, base.parent, "status", "--json"))["sessions"]
    (reason,) = [reason for reason in one["reasons"] if reason["code"] == "source-unreadable"]
    assert (one["health"], one["checkpoint"]["number"], one["messages"]) == ("failing", 1, 1)
    assert reason["text"].endswith("cannot be written; the client's next start there takes it in")
    assert "the client's next start there" in " ".join(sealed(home, base.parent, "status").split())
    sqlite3.connect(base).execute("SELECT count(*) FROM event").connection.close()
    (one,) = json.loads(sealed(home, base.parent, "status", "--json"))["sessions"]
    assert "source-unreadable" not in [reason["code"] for reason in one["reasons"]]
    assert one["source"]["lag_bytes"] > 0


def test_a_hook_is_not_held_up_by_a_slow_disk(home):
    """Reading takes for ever (the daemon stands still): the hook gives back what is on disk within its second."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b7")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
        answer = home.hook("SessionStart", transcript, 1, source="compact")
        child.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert time.monotonic() - start < 8
        child.send_signal(signal.SIGCONT)
        transcript.turn("After the sleep.")
        recorded(home, transcript, 4)
