"""The script that fills a status line, as a client runs it: a real process, and never a word on stderr."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_daemon import fake_daemon, text

SCRIPT = Path(__file__).parents[2] / "hooks" / "memd_statusline.py"
PYTHON = [os.path.realpath(sys._base_executable), "-I", "-S"]
PAYLOAD = b'{"session_id": "s"}'
GREEN, DIM, RED, END = "\x1b[32m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


@pytest.fixture
def line(tmp_path):
    """Runs the script beside a daemon that gives this answer (None: it stays silent); what it printed."""

    def run(answer, *theirs, **env):
        socket = tmp_path / "memd.sock"
        command = [*PYTHON, SCRIPT, "claude-code", "--socket", socket, "--state", tmp_path, *theirs]
        with fake_daemon(socket, {"StatusLine": answer}):
            done = subprocess.run(command, input=PAYLOAD, env=env, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    return run


@pytest.mark.parametrize(
    ("said", "colour"), [("● 42% 3m ok", GREEN), ("● 42% 3m failing", RED), ("○ 1% new", DIM), ("● 1% …", DIM)]
)
def test_the_daemons_line_in_the_colour_of_its_health(line, said, colour):
    """One line, coloured by its last word."""
    assert line(text(said)) == f"{colour}{said}{END}\n"


def test_no_color_takes_the_colours_away(line):
    assert line(text("● 42% 3m ok"), NO_COLOR="1") == "● 42% 3m ok\n"


@pytest.mark.parametrize("theirs", ["cat; echo", "cat"])
def test_a_persons_line_comes_first_and_gets_the_same_bytes(line, theirs):
    """Memd's part is put behind its last line, whether it ended that or not."""
    printed = line(text("● 42% 3m ok"), "--", f"echo one; {theirs}", NO_COLOR="1", PATH=os.environ["PATH"])
    assert printed == f"one\n{PAYLOAD.decode()}  ● 42% 3m ok\n"


@pytest.mark.parametrize("theirs", ["exit 3", "no-such-program-of-anybodys 2>/dev/null", "true"])
def test_a_persons_line_that_fails_leaves_ours(line, theirs):
    assert line(text("● 42% 3m ok"), "--", theirs, NO_COLOR="1", PATH=os.environ["PATH"]) == "● 42% 3m ok\n"


def test_it_says_when_nobody_answers(line, tmp_path):
    """A daemon that is too late, or has nothing to say, is busy; without one that is said. The person's line is there."""
    start = time.monotonic()
    assert line(None, "--", "echo mine", NO_COLOR="1") == "mine  ○ memd busy\n"
    assert time.monotonic() - start < 20
    assert line(b"disk 0\n", NO_COLOR="1") == "○ memd busy\n"
    command = [*PYTHON, SCRIPT, "claude-code", "--socket", tmp_path / "nobody", "--state", tmp_path]
    done = subprocess.run(command, input=PAYLOAD, env={"NO_COLOR": "1"}, capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "○ memd not running\n", b"")
