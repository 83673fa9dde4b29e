"""Bars while something takes long: on a terminal only, and gone afterwards."""

import json
import subprocess
import sys
import threading

from fake_daemon import fake_daemon
from played import EXAMPLE

from memd import config
from memd.cli import progress

from .conftest import MEMD, at_a_terminal


def test_a_long_read_shows_a_bar_on_a_terminal_and_nothing_in_a_pipe(home):
    """The sessions are printed as ever; stderr is empty where nobody looks."""
    folder = home / "old"
    folder.mkdir()
    for number in range(3):
        (folder / f"s{number}.jsonl").write_text(
            EXAMPLE.read_text("utf-8").replace('"example"', f'"s{number}"'), "utf-8"
        )
    code, said = at_a_terminal([], "ingest", str(folder))
    assert code == 0
    assert "reading transcripts" in said
    assert "/3" in said
    assert said.count("claude-code:s") == 3
    done = subprocess.run([*MEMD, "ingest", folder], capture_output=True, text=True, check=True)
    assert (done.stdout.count("claude-code:s"), done.stderr) == (3, "")


def answer(value):
    content = json.dumps(value).encode()
    return b"text %d\n" % len(content) + content


def test_the_daemons_progress_is_told(monkeypatch, home):
    """While the command waits for its answer."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    places, told, seen = config.paths({}), [], threading.Event()

    def tell(done, total):
        told.append((done, total))
        seen.set()

    with fake_daemon(places.socket, {"progress": answer({"done": 2, "total": 7})}), progress.of_daemon(places, tell):
        assert seen.wait(20)
    assert set(told) == {(2, 7)}


def test_the_backfill_is_watched_until_nothing_waits(home):
    """And where no daemon answers any more it is over too."""
    places = config.paths({})
    with fake_daemon(places.socket, {"status": answer({"queue": 0})}) as daemon:
        assert progress.backfill(places)
    assert len(daemon.payloads("status")) > 1
    assert progress.backfill(places)
