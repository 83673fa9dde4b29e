"""The hook's benchmark runs, compares every reply, and says when one was wrong."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def benchmark(*words):
    command = [sys.executable, "-m", "benchmarks", "hook", "--runs", "2", "--sessions", "20", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)


def test_every_case_is_measured_and_right(tmp_path):
    """All parts and events, daemon up and down, whole replies of about 40 kB in all: what four parts can carry."""
    done = benchmark("--json", str(tmp_path / "hook.json"))
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "hook.json").read_text("utf-8"))
    rows = document["series"]
    assert document["wrong"] == 0
    for mode in ("up", "down"):
        assert sum(rows[f"{mode}: SessionStart {part}"]["bytes"] for part in range(1, 5)) > 38_000
        assert rows[f"{mode}: PreCompact"]["runs"] == rows[f"{mode}: parts together"]["runs"] == 2


def test_a_wrong_reply_fails_the_run(tmp_path):
    """A hook that is fast because it says nothing does not pass."""
    silent = tmp_path / "hook.py"
    silent.write_text("pass\n", "utf-8")
    done = benchmark("--hook", str(silent), "--json", str(tmp_path / "hook.json"))
    assert done.returncode == 1
    assert "wrong answers" in done.stderr
