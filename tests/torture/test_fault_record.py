"""What happens to memd's own record under a daemon: deleted, damaged, locked."""

import os
import shutil
import sqlite3
import time

import pytest
from faults import AGAIN, codes, recorded, texts
from process import Home, eventually

from memd.daemon.place import LOOK
from memd.store import Store
from memd.store.folders import Folders


@pytest.fixture
def home():
    return Home()


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
