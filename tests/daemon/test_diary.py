"""What the daemon says of itself: a line of fields for a service's log, a sentence for who started it in a terminal."""

import os
import pty
import subprocess
import sys

import pytest

from memd.daemon import diary

SAY = """
import structlog
from memd.config import Config
from memd.daemon import diary
diary.begin(Config())
log = structlog.get_logger()
log.debug("not said")
log.info("running", version="1", pid=7, watching={"codex": ["/c"], "opencode": ["/o"]})
log.warning("odd", where="here")
"""


def test_a_log_gets_fields():
    """Time, level and event first; what is under the level is left out."""
    done = subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, check=True)
    first, second = done.stderr.splitlines()
    assert first.startswith("timestamp='")
    assert "level='info' event='running' version='1' pid=7 watching={'codex': ['/c'], 'opencode': ['/o']}" in first
    assert second.endswith("level='warning' event='odd' where='here'")


def test_a_person_gets_sentences():
    """What runs, what it watches, how it ends and what to do next; an event without a sentence keeps its fields."""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", SAY], stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 10_000).decode().splitlines()
    os.close(ours)
    assert said == [
        "memd 1 runs (pid 7) and watches codex, opencode.",
        "Ctrl-C ends it. In another terminal `memd status` shows what is kept.",
        "odd: where=here",
    ]


@pytest.mark.parametrize("event", ["trouble", "renewed"])
def test_a_name_does_not_act_on_the_terminal(event):
    """A transcript's path is somebody else's; in a log it is quoted, here it is told."""
    said = diary._sentence(None, "", {"event": event, "what": "/x/\x1b[31m\u202e"})
    assert said.endswith("/x/\\x1b[31m\\x202e")
