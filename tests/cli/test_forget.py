"""`memd forget` as a person has it, without a daemon and through one."""

import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from transcript import Transcript

from .conftest import MEMD

CANARY = "zqcanary7788"


@pytest.fixture
def spoken(home, memd):
    """Two recorded sessions, one of them a hundred days old."""
    new = Transcript(home / "chat" / "new.jsonl", cwd=str(home / "work"))
    old = Transcript(home / "chat" / "old.jsonl", at=time.time() - 100 * 86_400)
    for transcript in (new, old):
        transcript.turn(f"Remember {CANARY}.")
        assert memd("ingest", transcript.path).returncode == 0
    return new


@contextmanager
def daemon(memd):
    process = subprocess.Popen([*MEMD, "run"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 20
        while '"running": true' not in memd("status", "--json").stdout:
            assert time.monotonic() < end
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(20)


def traces(home):
    state = home / ".local" / "state" / "memd"
    return [path.name for path in state.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]


@pytest.mark.parametrize("words", [["", "--yes"], ["--pin", ""], ["--unpin", ""]])
def test_an_empty_name_is_no_session(memd, spoken, words):
    """What a script's unset variable becomes: the newest session is not meant, and nothing is forgotten."""
    done = memd("forget", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memd: the name of a session that was given is empty")
    assert len(memd("search", CANARY).stdout.splitlines()) == 4


@pytest.mark.parametrize("running", [False, True], ids=["alone", "with a daemon"])
def test_forget_and_bring_back(home, memd, spoken, running):
    """Every byte is gone, the transcript is as it was, and only `ingest` of it brings it back."""
    before = spoken.path.read_bytes()
    with daemon(memd) if running else _nothing():
        done = memd("forget", "new", "--yes")
        assert (done.returncode, done.stdout, done.stderr) == (0, "forgot claude-code:new\n", "")
        assert memd("forget", "claude-code:old", "--yes").returncode == 0
        assert traces(home) == []
        assert spoken.path.read_bytes() == before
        assert memd("search", CANARY).returncode == 1
        assert memd("ingest", spoken.path).stdout == "claude-code:new\n"
        assert memd("search", CANARY).returncode == 0


def test_by_age_and_by_directory(memd, spoken):
    """Each option names its own; pinned ones are left out until their pin is gone."""
    assert memd("forget", "--pin", "old").stdout == "claude-code:old: kept whatever its age\n"
    done = memd("forget", "--older-than", "90", "--yes")
    assert (done.returncode, done.stderr) == (1, "memd: no session is older than 90 days (pinned ones are left out)\n")
    assert memd("forget", "--unpin", "old").stdout == "claude-code:old: kept for 90 days\n"
    assert memd("forget", "--older-than", "90", "--yes").stdout == "forgot claude-code:old\n"
    assert memd("forget", "--dir", "./work", "--yes").stdout == "forgot claude-code:new\n"


def test_nothing_goes_without_a_word(memd, spoken):
    """Without a terminal and without --yes nothing happens; nor is anything guessed where nothing is named."""
    done = memd("forget", "new")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--yes" in done.stderr
    assert memd("forget", "--yes").returncode == 2
    assert memd("forget", "new", "--older-than", "3").returncode == 2
    assert memd("forget", "nobody", "--yes").returncode == 1
    assert memd("status", "new").returncode == 0


@contextmanager
def _nothing():
    yield


def test_an_ignored_directory_is_told(home, memd):
    """`ingest` of a session that is not to be recorded says so, and passes it over where only its folder was named."""
    (home / "work").mkdir()
    (home / "work" / ".memdignore").touch()
    transcript = Transcript(home / "chat" / "new.jsonl", cwd=os.fspath(home / "work"))
    transcript.turn(CANARY)
    done = memd("ingest", transcript.path)
    assert (done.returncode, done.stdout) == (1, "")
    file = home / "work" / ".memdignore"
    assert done.stderr == f"memd: {transcript.path}: claude-code:new is not recorded: {file}\n"
    assert traces(Path(home)) == []
    done = memd("ingest", transcript.path.parent)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
