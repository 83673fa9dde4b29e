"""The status line that the daemon gives a client, and what it learns from the asking."""

import json
import subprocess
import sys

import pytest
from process import Home, eventually

from memd import assets
from memd.daemon import statusline

LONGEST = 20


@pytest.mark.parametrize("health", ["ok", "stale", "degraded", "failing"])
@pytest.mark.parametrize("age", [None, 1_000, 59_000, 59 * 60_000, 23 * 3_600_000, 6 * 86_400_000, 99 * 604_800_000])
def test_it_has_room_for_the_worst(health, age):
    """Twenty characters, however full, old and sick."""
    assert len(statusline.text(1.0, age, health)) <= LONGEST


def drawn(home, transcript, **context):
    """One run of the shipped script for a session, as its client would."""
    usage = {"input_tokens": 84_000, "cache_read_input_tokens": 0}
    window = {"context_window": {"context_window_size": 200_000, "current_usage": usage} | context}
    payload = {"session_id": transcript.session, "transcript_path": str(transcript.path), "cwd": "/srv/work", **window}
    script = assets.path("hooks", "memd_statusline.py")
    command = [sys.executable, "-I", "-S", script, "claude-code", "--state", home.state]
    done = subprocess.run(
        command, input=json.dumps(payload), env={"NO_COLOR": "1"}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_it_tells_fill_age_and_health_and_records_the_window():
    """Before anything is recorded it says so; then all three, and `memd status` has the window that the client told."""
    home = Home()
    transcript = home.transcript("5d1f0c1e-7b1a-4b7e-9a52-000000000001")
    home.home.joinpath(".claude").mkdir(exist_ok=True)
    assert home.run("install", "--yes").returncode == 0
    with home.daemon():
        assert drawn(home, transcript) == "○ 42% new"
        transcript.now().turn("Make the gateway fast.")
        line = eventually(lambda: (found := drawn(home, transcript)).endswith("ok") and found)
        assert line.startswith("● 42% ")
        assert len(line) <= LONGEST
        drawn(home, transcript, context_window_size=123_000)
        eventually(lambda: home.status()["sessions"][0]["context"]["window"] == 123_000)
