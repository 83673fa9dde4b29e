"""A kill at any point leaves all of a commit or nothing of it."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memd.store import Store
from memd.store.keys import hashed

from .writer import SEED

LINES = 1_000_000  # more than any run gets to


def run_and_kill(path, seconds, together):
    """Let a writer work for a while and kill it; returns the last cursor that it was told is committed."""
    program = [sys.executable, Path(__file__).with_name("writer.py"), path, str(LINES), str(together)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as child:
        first = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        told = [first, *child.stdout]
    assert child.returncode == -signal.SIGKILL
    return int([line for line in told if line.endswith("\n")][-1])


def check(path, told):
    with Store.open(path) as store:
        source, session = store.sources.of(SEED.path), store.session(SEED.session)
        lines = int(source.cursor)
        assert lines >= told
        assert source.reader == f"reader {lines}"
        assert (source.offset, source.number) == (lines, lines)
        assert [one.key for one in store.messages(SEED.session)] == [hashed(f"m{line}") for line in range(lines)]
        assert [one.number for one in store.messages(SEED.session)] == list(range(1, lines + 1))
        assert [one.call for one in store.operations(SEED.session)] == [f"c{line}" for line in range(lines)]
        assert [one.number for one in store.operations(SEED.session)] == list(range(1, lines + 1))
        assert store.glances.gaps(SEED.session) == {("malformed", ""): lines}
        assert (session.messages, session.tokens, session.title) == (lines, lines, str(lines - 1))


@pytest.mark.parametrize("together", [1, 5])
def test_cursor_and_records_agree_after_every_kill(path, together):
    """Killed in the middle of many commits, again and again: each line is there exactly once, up to the cursor."""
    chance = random.Random(7)
    for _ in range(12):
        check(path, run_and_kill(path, chance.uniform(0, 0.08), together))
