"""Two agents in one project at the same time: real processes, a real daemon, and a journal without a lost or torn line."""

import json
import os
import subprocess
import sys
import time

import pytest

from memd.daemon.setup import project as setup

AGENT = """
import sys, time
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from transcript import Transcript
one = Transcript(Path(sys.argv[1]), cwd=sys.argv[2])
one.typed("Go.")
for number in range(60):
    one.runs(f"touch {one.session[-4:]}/{'ä' * 40}{number}.txt")
    time.sleep(0.01)
one.says("Done.")
"""
NAMES = ("5d1f0c1e-7b1a-4b7e-9a52-00000000aaaa", "5d1f0c1e-7b1a-4b7e-9a52-00000000bbbb")


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def started(*command, **environ):
    return subprocess.Popen(
        [sys.executable, *map(str, command)], env={**os.environ, **environ}, stderr=subprocess.DEVNULL
    )


def targets(path):
    rows = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(row)["target"] for row in rows]


def expected():
    return sorted(f"{name[-4:]}/{'ä' * 40}{number}.txt" for name in NAMES for number in range(60))


def agents(folder, work):
    here = os.path.dirname(os.path.dirname(__file__))
    return [started("-c", AGENT, folder / f"{name}.jsonl", work, here) for name in NAMES]


def test_one_daemon_beside_two_agents(tmp_path, work):
    """Each operation of both has its line, whole and once."""
    projects = tmp_path / "home" / ".claude" / "projects" / "-work"
    projects.mkdir(parents=True)
    environ = {"HOME": str(tmp_path / "home"), "MEMD_STATE_DIR": str(tmp_path / "state")}
    daemon = started("-m", "memd", "run", **environ)
    try:
        assert [agent.wait(60) for agent in agents(projects, work)] == [0, 0]
        end = time.monotonic() + 60
        found = []
        while time.monotonic() < end and len(found) < 120:
            time.sleep(0.2)
            found = [one for path in tmp_path.glob("state/projects/*/journal/journal.jsonl") for one in targets(path)]
    finally:
        daemon.terminate()
        daemon.wait(20)
    assert sorted(found) == expected()


def test_two_states_and_one_journal_in_the_repository(tmp_path, work):
    """A container's memd and its host's write into the same file: they take turns."""
    assert [agent.wait(60) for agent in agents(tmp_path, work)] == [0, 0]
    for state in ("one", "two"):
        setup.init(tmp_path / state, work, in_repo=True)
    running = [
        started("-m", "memd", "ingest", tmp_path / f"{name}.jsonl", MEMD_STATE_DIR=str(tmp_path / state))
        for name, state in zip(NAMES, ("one", "two"), strict=True)
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    assert sorted(targets(work / ".agent" / "journal" / "journal.jsonl")) == expected()
