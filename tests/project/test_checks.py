"""What is remembered is held against the tree, and nothing outside of it is ever looked into."""

import os
import subprocess
import sys
import time

import pytest

from memd.model.anchors import Anchor
from memd.project import checks, git
from memd.project.identity import find

from .test_identity import git as run_git


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_text("def load():\n    pass\n\nLIMIT = 3\n")
    return folder


def test_names_are_looked_for_in_their_files(root):
    """A function or key that is not there any more is known; part of a longer name is no find."""
    known = {name: checks.holds(root, Anchor("a.py", name, "function", 0)) for name in ("", "load", "loa", "x.LIMIT")}
    assert known == {"": True, "load": True, "loa": False, "x.LIMIT": True}
    assert not checks.holds(root, Anchor("b.py", "", "file", 0))


def test_nothing_outside_is_read(root, tmp_path):
    """A link out, `..`, an absolute path, a FIFO, a file that is too large."""
    (tmp_path / "secret").write_text("secret")
    (root / "out").symlink_to(tmp_path / "secret")
    os.mkfifo(root / "fifo")
    (root / "large").write_bytes(b"x" * (checks.LARGEST + 1))
    (root / "folder").mkdir()
    for name in ("out", "../secret", str(tmp_path / "secret"), "fifo", "large", "folder"):
        assert checks.text(root, name) is None
    assert not checks.there(root, "out")


def test_a_file_that_replaces_itself_while_it_is_checked_shows_nothing_from_outside(root, tmp_path):
    """A folder, and a file, that turn into links out and back again all the time."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "f").write_text("secret")
    (root / "real").mkdir()
    (root / "real" / "f").write_text("mine")
    swap = (
        "import os, sys\nos.chdir(sys.argv[1])\nwhile True:\n"
        "    for goal in ('real', '../out'):\n        os.symlink(goal, 'next')\n        os.rename('next', 'turning')\n"
        "    for goal in ('real/f', '../out/f'):\n        os.symlink(goal, 'next')\n        os.rename('next', 'file')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", swap, str(root)])
    try:
        end = time.monotonic() + 1.5
        found = set()
        while time.monotonic() < end:
            found |= {checks.text(root, "turning/f"), checks.text(root, "file")}
    finally:
        process.kill()
        process.wait(10)
    assert found <= {None, "mine"}


def test_three_paths_and_two_names_are_looked_for_and_all_in_turn(root):
    """The choice moves on, so that each has its turn."""
    anchors = [Anchor(f"f{n}.py", "", "file", 0) for n in range(7)] + [
        Anchor("a.py", f"n{n}", "function", 0) for n in range(5)
    ]
    found = checks.spot(root, anchors, 0)
    assert [bool(one.name) for one in found] == [False] * 3 + [True] * 2
    assert all(one.stale for one in found)
    assert {one.shown for turn in range(4) for one in checks.spot(root, anchors, turn)} == {
        one.shown for one in anchors
    }


def test_branch_and_commit_are_gits(root):
    """From its files: a fresh repository, a commit, packed references, no branch, a work tree."""
    assert git.head(find(str(root))) is None
    run_git(root, "init")
    assert (git.head(find(str(root))).branch, git.head(find(str(root))).commit) == ("main", None)
    run_git(root, "commit", "--allow-empty", "-m", "x")
    first = git.head(find(str(root)))
    run_git(root, "pack-refs", "--all")
    assert git.head(find(str(root))) == first
    assert len(first.commit) == 40
    run_git(root, "worktree", "add", "../tree", "-b", "feature/größe")
    assert git.head(find(str(root.parent / "tree"))) == git.Head("feature/größe", first.commit)
    run_git(root, "checkout", "--detach")
    assert git.head(find(str(root))) == git.Head(None, first.commit)
