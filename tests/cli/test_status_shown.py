"""`memd status` for eyes: what a terminal of any width shows, what a pipe gets, one session's story, and the live screen."""

import fcntl
import io
import os
import pty
import re
import select
import struct
import sys
import termios
import time

import pytest
from rich.console import Console
from transcript import Transcript

from memd import config
from memd.cli import status, status_lines, status_table
from memd.model.text import ago

from .conftest import MEMD

ONE = "5d1f0c1e-0000-4000-8000-000000000001"


@pytest.fixture
def transcript(tmp_path, call, home):
    transcript = Transcript(tmp_path / "projects" / f"{ONE}.jsonl", cwd=str(tmp_path), at=1_795_990_000)
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    return transcript


class Terminal:
    """A command at a terminal of a size of its own."""

    def __init__(self, columns, *arguments, **environ):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            time.sleep(0.1)  # until the size is set
            os.execve(sys.executable, [*MEMD, *arguments], {**os.environ, "TERM": "xterm-256color", **environ})
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.said = ""

    def until(self, text, seconds=30.0):
        """Read until a text was shown, or with None to the end."""
        end = time.monotonic() + seconds
        while text is None or text not in self.said:
            assert time.monotonic() < end, self.said
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    self.said += os.read(self.end, 2**16).decode()
                except OSError:
                    break
        return self.said

    def done(self):
        self.until(None)
        os.close(self.end)
        assert os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) == 0
        return self.said


def plain(said):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said).replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [40, 50, 60, 80, 120, 160])
def test_no_line_is_wider_than_the_terminal_and_all_say_the_same(transcript, columns):
    """Health, project, title, the bar with its mark and the delivery, whatever the width; the reason with its command."""
    shown = plain(Terminal(columns, "status").done())
    assert max(map(len, shown.splitlines())) <= columns
    for word in (
        "degraded",
        transcript.cwd.rpartition("/")[2][:8],
        "Make the",
        "━──",
        "│",
        "ready",
        "claude-code:",
        "→ memd install claude-code",
    ):
        assert word in shown


def test_a_terminal_has_colours_and_no_color_takes_them_away(transcript):
    assert "\x1b[3" in Terminal(120, "status").done()
    bare = Terminal(120, "status", NO_COLOR="1").done()
    assert re.findall(r"\x1b\[(?:\d+;)*3\d", bare) == []
    assert "━──" in bare


def test_a_pipe_gets_plain_columns_that_stay(call, transcript):
    """Whole ids, no cell but the last two with a blank, nothing cut: awk can take it apart."""
    _, out, _ = call("status")
    heads, row = out.splitlines()[2:4]
    assert heads.split() == list(status_lines.HEADS)
    cells = dict(zip(heads.split(), row.split(maxsplit=10), strict=True))
    assert cells.pop("MADE").endswith("Z")
    assert int(cells.pop("TOKENS")) > 0
    assert cells == {
        "SESSION": f"claude-code:{ONE}",
        "HEALTH": "degraded",
        "STATE": "idle",
        "CONTEXT": "9000/200000",
        "CHECKPOINT": "1",
        "WRITER": "extractive",
        "DELIVERY": "written",
        "DIRECTORY": transcript.cwd,
        "TITLE": "Make the gateway fast.",
    }


def test_a_pipe_gets_a_title_as_it_is(call, tmp_path):
    """Names between colons are words there, and none of rich's pictures or colours."""
    transcript = Transcript(tmp_path / "projects" / "p" / "5d1f0c1e.jsonl", cwd=str(tmp_path))
    transcript.turn("Mend :bug: 7 in [bold]red[/bold] 网关.")
    call("ingest", transcript.path)
    assert call("status")[1].splitlines()[3].endswith("  Mend :bug: 7 in [bold]red[/bold] 网关.")


def test_a_directory_with_a_line_end_stays_in_its_cell(call, tmp_path):
    place = tmp_path / "w\nclaude-code:forged  ok"
    place.mkdir()
    transcript = Transcript(tmp_path / "projects" / "p" / "5d1f0c1e.jsonl", cwd=str(place))
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    for _, out, _ in (call("status"), call("status", "5d1f")):
        assert f"{tmp_path}/w claude-code:forged ok" in out
        assert not [line for line in out.splitlines() if line.startswith("claude-code:forged")]


def test_old_sessions_are_summed_up(call, transcript, tmp_path, monkeypatch):
    """The newest are shown, the others counted by tool; --all shows them, --json always has them."""
    monkeypatch.setattr(status, "OLD", 1)
    other = Transcript(tmp_path / "projects" / f"{ONE[:-1]}2.jsonl", cwd=str(tmp_path), at=1_795_000_000)
    other.turn("Older.")
    call("ingest", other.path)
    _, out, _ = call("status")
    assert f"claude-code:{ONE}" in out
    assert f"claude-code:{ONE[:-1]}2" not in out
    assert "and 1 older sessions (1 claude-code): `memd status --all` shows them" in out
    assert f"claude-code:{ONE[:-1]}2" in call("status", "--all")[1]
    assert call("status", "--json")[1].count('"session":') == 2


def test_a_reason_that_many_share_is_told_once(transcript, call, tmp_path):
    """What one command mends is one line on a terminal, however many sessions it concerns."""
    other = Transcript(tmp_path / "projects" / f"{ONE[:-1]}2.jsonl", cwd=str(tmp_path), at=1_795_000_000)
    other.turn("Older.")
    call("ingest", other.path)
    shown = plain(Terminal(160, "status").done())
    assert "2 sessions: memd's hooks are not in claude-code's settings" in shown
    assert shown.count("→ memd install claude-code") == 1


def test_the_story_of_one_session(call, transcript):
    """All facts, and below them what happened, in the order in which it did."""
    transcript.compacts()
    transcript.turn("Go on.")
    call("ingest", transcript.path)
    for out in (call("status", ONE)[1], plain(Terminal(120, "status", ONE).done())):
        places = [
            out.index(word) for word in ("read to its end", "the session began", "compaction 1", "checkpoint 2 by")
        ]
        assert places == sorted(places)


def test_the_live_screen_follows_and_q_ends_it(call, transcript):
    """A screen of its own, given back at the end; what is recorded meanwhile appears."""
    live = Terminal(120, "status", "--watch")
    live.until("claude-code:5d1f0c1e")
    assert "\x1b[?1049h" in live.said
    other = Transcript(transcript.path.with_name(f"6{ONE[1:]}.jsonl"), cwd=transcript.cwd, at=1_795_995_000)
    other.turn("Another.")
    call("ingest", other.path)
    live.until("claude-code:6d1f0c1e")
    os.write(live.end, b"q")
    assert "\x1b[?1049l" in live.done()


def test_the_live_screen_is_for_terminals(call):
    code, _, err = call("status", "--watch")
    assert code == 2
    assert "memd status --json" in err


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "just now"), (10, "10 s ago"), (60, "1 min ago"), (3_600, "1 h ago"), (9e5, "1 wk ago")]
)
def test_ages(seconds, said):
    """In the largest unit; a clock that goes wrong is no negative age."""
    assert ago(1_000_000, 1_000_000 + int(seconds * 1000)) == said
    assert ago(1_000_000, 0) == "just now"


def test_the_live_screen_shows_as_many_as_fit_and_counts_the_rest(call, transcript):
    """What is wrong and how many there are beside stays on a small screen; nothing is cut off below it."""
    for number in range(12):
        other = Transcript(
            transcript.path.with_name(f"{number:x}{ONE[1:]}.jsonl"), cwd=transcript.cwd, at=1_795_991_000
        )
        other.turn("Another.")
    call("ingest", transcript.path.parent)
    settings, places = config.load(os.environ)
    view = status.look(settings, places, status.Asked(None, everything=False, limit=20))
    screen = Console(width=80, file=io.StringIO())
    screen.print(status_table.page(view, 80, 24))
    lines = screen.file.getvalue().splitlines()
    shown = sum("claude-code:" in line and "Another" in line for line in lines)
    assert len(lines) <= 24
    assert 0 < shown < 12
    assert f"and {12 - shown} older sessions" in "\n".join(lines)
    assert "→ memd install claude-code" in "\n".join(lines)
