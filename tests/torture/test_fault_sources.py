"""What happens to transcripts and their folders under a daemon: closed, deleted, behind a mount that cannot be written."""

import json
import os
import shutil
import sqlite3
import subprocess
import time

import pytest
from faults import AGAIN, codes, recorded, texts
from opencode_session import OpenCodeSession
from process import MEMD, Home, eventually


@pytest.fixture
def home():
    return Home()


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
