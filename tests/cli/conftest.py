"""The command line as a person has it: a process of its own, in the test's own home."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from memd import cli

MEMD = [sys.executable, "-m", "memd"]


def at_a_terminal(answers, *arguments):
    """Runs a command at a terminal where somebody types these lines; its exit code and what it printed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*MEMD, *arguments])
    os.write(terminal, "".join(f"{answer}\n" for answer in answers).encode())
    said = b""
    while True:
        try:
            chunk = os.read(terminal, 2**16)
        except OSError:
            chunk = b""
        if not chunk:
            break
        said += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


@pytest.fixture
def home():
    """The test's own home, with Claude Code and a person's settings in it."""
    place = Path(os.environ["HOME"])
    (place / ".claude").mkdir()
    settings = place / ".claude" / "settings.json"
    settings.write_bytes(b'{\n   "model": "opus"\n}')
    settings.chmod(0o640)
    return place


@pytest.fixture
def memd(home):
    """Runs one command to its end, without a terminal."""

    def run(*arguments, **environ):
        return subprocess.run(
            [*MEMD, *arguments],
            env={**os.environ, **environ},
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def call(monkeypatch, capfdbinary, tmp_path):
    """Runs one command in this process, which is as the command is but ten times faster: its exit code and output."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["memd", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capfdbinary.readouterr()
        return end.value.code, out.decode(), err.decode()

    return run
