"""The project's journal on disk: whole lines, once each, by whoever writes and however they end."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from memd.store.journals import CURRENT, JournalFile

NOW = 1_795_994_339_654
DAY = 86_400_000


def line(target, at=NOW, session="claude-code:one"):
    stamp = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"ts": stamp, "op": "edit", "target": target, "session": session}) + "\n"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "journal"


def targets(path):
    return [json.loads(row)["target"] for row in path.read_text("utf-8").splitlines()] if path.exists() else []


WRITER = """
import sys
from pathlib import Path
from memd.store.journals import JournalFile
file = JournalFile(Path(sys.argv[1]))
for n in range(200):
    file.append(['{"target":"%s-%d","filler":"%s"}\\n' % (sys.argv[2], n, "é" * 3000)] * 1)
"""


def test_two_processes_lose_and_tear_nothing(folder):
    """Both write at the same time, lines longer than a pipe's atomic write: each line is there once, whole."""
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(folder), name]) for name in "ab"]
    assert [process.wait(60) for process in running] == [0, 0]
    found = targets(folder / CURRENT)
    assert sorted(found) == sorted(f"{name}-{n}" for name in "ab" for n in range(200))
    assert [one for one in found if one.startswith("a")] == [f"a-{n}" for n in range(200)]


def test_half_a_line_of_a_killed_writer_is_cut_off(folder):
    """The next one writes at the end of the last whole line, and writes again what did not get in, and only that."""
    file = JournalFile(folder)
    file.append([line("one")])
    with (folder / CURRENT).open("ab") as torn:
        torn.write(line("two").encode() + line("three").encode()[:20])
    file.append([line("two"), line("three")], doubted=True)
    assert targets(folder / CURRENT) == ["one", "two", "three"]


def test_equal_lines_of_two_operations_both_stay(folder):
    """Only after a write that was cut short is a line looked for."""
    JournalFile(folder).append([line("one"), line("one")])
    assert targets(folder / CURRENT) == ["one", "one"]


def test_a_month_goes_to_its_own_file_after_thirty_days(folder):
    """What is younger stays; done twice, or cut short in between, it doubles nothing; foreign lines stay where they are."""
    file = JournalFile(folder)
    old, older = NOW - 31 * DAY, NOW - 65 * DAY
    file.append([line("old", old), "no JSON\n", line("older", older), line("new", NOW - 29 * DAY)])
    before = (folder / CURRENT).read_bytes()
    assert file.archive(NOW) == 2
    (folder / CURRENT).write_bytes(before)
    assert [file.archive(NOW), file.archive(NOW)] == [2, 0]
    assert targets(folder / "2026-10.jsonl") == ["old"]
    assert targets(folder / "2026-09.jsonl") == ["older"]
    assert (folder / CURRENT).read_text("utf-8") == "no JSON\n" + line("new", NOW - 29 * DAY)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_forgotten_sessions_lines_leave_all_files(folder):
    """Others stay."""
    file = JournalFile(folder)
    file.append([line("mine", NOW - 40 * DAY), line("mine"), line("other", session="claude-code:two")])
    file.archive(NOW)
    file.without(["claude-code:one"])
    assert [targets(path) for path in sorted(folder.glob("*.jsonl"))] == [[], ["other"]]


@pytest.mark.parametrize("name", ["journal", "journal/journal.jsonl"])
def test_a_link_in_its_place_is_not_written_through(tmp_path, folder, name):
    """Somebody who can put links into a repository could choose what is written otherwise."""
    victim = tmp_path / "victim"
    if name == "journal":
        victim.mkdir()
        folder.symlink_to(victim)
    else:
        victim.write_text("mine")
        folder.mkdir()
        (folder / CURRENT).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        JournalFile(folder).append([line("one")])
    assert list(victim.iterdir()) == [] if victim.is_dir() else victim.read_text() == "mine"
