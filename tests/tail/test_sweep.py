"""Sweeps: every file once, whatever the links; and when the next one is due."""

import os
from itertools import groupby
from pathlib import Path

import pytest

from memd.tail.sweep import ACTIVE, AT_WORK, IDLE, Found, due, sweep


def wanted(path):
    return path.endswith(".jsonl")


def paths(*roots, on_error=lambda _: None):
    return sorted(Path(found.path) for found in sweep(map(str, roots), wanted, on_error=on_error))


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "projects"
    (root / "a" / "deep" / "er").mkdir(parents=True)
    for name in ("one.jsonl", "a/two.jsonl", "a/deep/er/three.jsonl", "a/notes.txt"):
        (root / name).write_bytes(b"x\n")
    return root


class TestSweep:
    def test_found(self, root):
        """A file is found with what tells whether it is as it was."""
        path = root / "one.jsonl"
        found = next(found for found in sweep([str(root)], wanted) if found.path == str(path))
        assert Found(str(path), path.stat()) == found

    def test_all(self, root):
        assert paths(root) == [root / "a/deep/er/three.jsonl", root / "a/two.jsonl", root / "one.jsonl"]

    def test_each_once(self, root, tmp_path):
        """By its real path, however many links and roots lead to it."""
        farm = tmp_path / "farm"
        farm.mkdir()
        (farm / "projects").symlink_to(root)
        (farm / "one.jsonl").symlink_to(root / "one.jsonl")
        os.link(root / "one.jsonl", root / "hard.jsonl")
        expected = paths(root)
        assert len(expected) == 3
        assert paths(farm, root, root / "a") == expected

    def test_through_links(self, root, tmp_path):
        """A link is followed where it alone leads to a file."""
        (tmp_path / "farm").mkdir()
        (tmp_path / "farm" / "projects").symlink_to(root / "a" / "deep")
        (tmp_path / "farm" / "one.jsonl").symlink_to(root / "one.jsonl")
        farm = tmp_path / "farm"
        assert paths(farm) == [farm / "one.jsonl", farm / "projects/er/three.jsonl"]

    def test_two_links_to_one_file(self, root, tmp_path):
        """A file outside is counted once; one whose own name is not wanted is found through the link that is."""
        farm, notes = tmp_path / "farm", root / "a" / "notes.txt"
        farm.mkdir()
        (tmp_path / "outside.jsonl").touch()
        (farm / "first.jsonl").symlink_to(tmp_path / "outside.jsonl")
        (farm / "second.jsonl").symlink_to(tmp_path / "outside.jsonl")
        (farm / "notes.jsonl").symlink_to(notes)
        found = paths(farm, root)
        assert len({farm / "first.jsonl", farm / "second.jsonl"} & set(found)) == 1
        assert [farm / "notes.jsonl"] == [path for path in found if path.samefile(notes)]

    def test_together(self, root):
        """The files of one directory come one after the other."""
        for number in range(3):
            (root / "a" / f"more{number}.jsonl").touch()
            (root / "a" / "deep" / f"more{number}.jsonl").touch()
        folders = [os.path.dirname(found.path) for found in sweep([str(root)], wanted)]
        assert len(set(folders)) == len([folder for folder, _ in groupby(folders)])

    def test_links_together(self, tmp_path):
        """Those that links of one directory lead to come one after the other too, and what linked directories hold later."""
        (tmp_path / "farm").mkdir()
        for number in range(6):
            (tmp_path / f"out{number}").mkdir()
            for name in ("in", "alone"):
                (tmp_path / f"out{number}" / f"{name}.jsonl").touch()
            (tmp_path / f"file{number}").touch()
            (tmp_path / "farm" / f"{number}.jsonl").symlink_to(tmp_path / f"file{number}")
            (tmp_path / "farm" / f"folder{number}").symlink_to(tmp_path / f"out{number}")
        folders = [os.path.dirname(found.path) for found in sweep([str(tmp_path / "farm")], wanted)]
        assert len(folders) == 18
        assert len(set(folders)) == len([folder for folder, _ in groupby(folders)]) == 7

    def test_loops(self, root):
        """Links that lead back, to themselves or to nowhere end nothing."""
        expected = paths(root)
        (root / "a" / "deep" / "up").symlink_to(root)
        (root / "self.jsonl").symlink_to(root / "self.jsonl")
        (root / "nowhere.jsonl").symlink_to(root / "nothing")
        os.mkfifo(root / "fifo.jsonl")
        errors, asked = [], []
        found = sweep([str(root)], lambda path: asked.append(path) or wanted(path), on_error=errors.append)
        assert sorted(Path(found.path) for found in found) == expected
        assert errors == []
        assert len(asked) == 4  # nothing was walked through twice

    def test_missing_root(self, root, tmp_path):
        """A tool that was never used is not an error."""
        errors = []
        assert len(paths(tmp_path / "never", root, on_error=errors.append)) == 3
        assert errors == []

    def test_unreadable(self, root, monkeypatch):
        """What cannot be read is told, and the rest is found."""
        real = os.scandir

        def denied(path):
            if str(path).endswith("deep"):
                raise PermissionError(13, "Permission denied", path)
            return real(path)

        monkeypatch.setattr(os, "scandir", denied)
        errors = []
        assert paths(root, on_error=errors.append) == [root / "a/two.jsonl", root / "one.jsonl"]
        assert [Path(error.filename) for error in errors] == [root / "a/deep"]


class TestDue:
    @pytest.mark.parametrize(
        ("quiet", "cost", "interval"),
        [
            (0, 0.0, ACTIVE),
            (600, 0.0, ACTIVE),
            (3600, 0.0, 60),
            (5 * 3600, 0.0, IDLE),
            (10**9, 0.0, IDLE),
            (0, 0.3, ACTIVE),
            (AT_WORK - 1, 0.3, ACTIVE),
            (AT_WORK, 0.05, 50),
            (AT_WORK, 0.3, IDLE),
            (AT_WORK, 100.0, IDLE),
            (3600, 0.05, 60),
        ],
    )
    def test_interval(self, quiet, cost, interval):
        """At least every 10 s while a client is active, whatever it costs; then a thousandth of a core, at least every 5 min."""
        now = 2e9
        assert not due(now, now - quiet, now - interval + 0.1, now - 1, began=0, cost=cost)
        assert due(now, now - quiet, now - interval, now - 1, began=0, cost=cost)

    def test_after_the_start(self):
        """No client is known yet, and one may start where nothing watches: often where it costs nothing, else not."""
        never, now = float("-inf"), 2e9
        assert due(now, never, now - ACTIVE, now - 1, began=now - 600, cost=0.01)
        assert not due(now, never, now - IDLE + 1, now - 1, began=now - 600, cost=0.3)

    def test_after_sleep(self):
        """A gap between two ticks leads to a sweep."""
        assert not due(100, 100, 99, 99, began=0, cost=0)
        assert due(100, 100, 99, 42, began=0, cost=0)


def test_a_directory_that_nobody_enters_costs_nothing(tmp_path):
    """What a client keeps beside its transcripts (snapshots of whole trees) is not even listed."""
    for folder in ("in", "out"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / "a.jsonl").touch()
    (tmp_path / "link").symlink_to(tmp_path / "out")
    asked = []

    found = list(sweep([str(tmp_path)], lambda path: asked.append(path) or wanted(path), lambda path: "/in" in path))

    assert [tmp_path / "in" / "deep" / "a.jsonl"] == [Path(one.path) for one in found]
    assert not [path for path in asked if "/out/" in path]
