"""Files that are made before they are needed: those of a number are none the worse for it, and it can do without."""

import os

import pytest

from memd.store.blanks import FILES, Blanks


@pytest.fixture
def place(tmp_path):
    return tmp_path / "blank"


@pytest.fixture
def blanks(place):
    return Blanks(place, "ready")


def inodes(folder):
    return {path.stat().st_ino for path in folder.rglob("*")}


def made(blanks, folder, files=2):
    """A folder as a number has one: its names and contents."""
    blanks.folder(folder)
    for number in range(files):
        blanks.file(folder / "ready" / f"f{number}", f"text {number}".encode())
    return {path.name: path.read_bytes() for path in (folder / "ready").iterdir()}


def test_what_lies_ready_is_taken(blanks, place, tmp_path):
    """No inode is made while somebody waits."""
    blanks.lay()
    before = inodes(place)
    assert made(blanks, tmp_path / "7") == {"f0": b"text 0", "f1": b"text 1"}
    assert {(tmp_path / "7").stat().st_ino, *inodes(tmp_path / "7")} <= before
    assert len(list(place.iterdir())) == FILES - 2


def test_it_is_private(blanks, place, tmp_path):
    old = os.umask(0)
    try:
        blanks.lay()
        made(blanks, tmp_path / "7")
    finally:
        os.umask(old)
    every = [place, tmp_path / "7", *place.rglob("*"), *(tmp_path / "7").rglob("*")]
    assert {(path.is_dir(), path.stat().st_mode & 0o777) for path in every} == {(True, 0o700), (False, 0o600)}


def test_what_is_missing_is_made(blanks, place, tmp_path):
    """More than there are, none at all, and what somebody took away."""
    assert len(made(blanks, tmp_path / "1")) == 2
    blanks.lay()
    assert len(made(blanks, tmp_path / "2", FILES + 2)) == FILES + 2
    blanks.lay()
    (place / "3").unlink()
    assert len(made(blanks, tmp_path / "3", FILES)) == FILES


def test_another_process_takes_what_one_left(blanks, place, tmp_path):
    """A crash may have left a part of them: the rest is made, and nothing twice."""
    blanks.lay()
    made(blanks, tmp_path / "1", 5)
    before, after = inodes(place), Blanks(place, "ready")
    after.lay()
    assert before < inodes(place)
    assert sorted(path.name for path in place.iterdir()) == sorted(["folder", *map(str, range(FILES))])
    assert len(made(after, tmp_path / "2", FILES)) == FILES


def test_a_place_that_cannot_be_made_is_no_trouble(blanks, place, tmp_path):
    place.write_text("somebody's file")
    blanks.lay()
    assert made(blanks, tmp_path / "7") == {"f0": b"text 0", "f1": b"text 1"}
