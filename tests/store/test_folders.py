"""The checkpoint's files: what hooks read is always whole and of one number."""

import os
import threading
import time

import pytest

from memd.model import Checkpoint, Parts, marks
from memd.store.folders import Folders, Replies


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


@pytest.fixture
def folder(folders):
    return folders.session("claude-code", "5d1f0c1e")


def made(number, text="é\n"):
    parts = Parts(f"mind {number}\n", f"memo {number}\n".encode(), text)
    return Checkpoint("claude-code:5d1f0c1e", number, 0, "extractive", "turn", 1, "AAAAAA", parts)


def put(folders, folder, number, **replies):
    ready = {name.replace("_", "."): text for name, text in replies.items()} or {"PreCompact": b"x"}
    folders.write(folder, made(number), text(number), ready)
    folders.publish(folder, number)
    folders.copy(folder)


def text(number):
    return f"{marks.opening(number, 1, 1)}text\n"


def test_a_number_lies_where_the_design_says(folders, folder, tmp_path):
    """The shape on disk, which hooks and people know."""
    put(folders, folder, 7, SessionStart_compact_1=b"one", PreCompact=b"pre")
    place = tmp_path / "sessions" / "claude-code" / "5d1f0c1e"
    assert folder == place
    listed = sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())
    top = ["checkpoint.md", "memo.md", "mind.md", "scene.md"]
    ready = ["history/0007/ready/PreCompact", "history/0007/ready/SessionStart.compact.1"]
    assert listed == sorted([*top, *(f"history/0007/{name}" for name in top), *ready])
    assert os.readlink(place / "ready") == "history/0007/ready"
    assert (place / "scene.md").read_text() == "é\n"
    assert (place / "ready" / "PreCompact").read_bytes() == b"pre"
    modes = {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {path.stat().st_mode & 0o777 for path in [place, *place.rglob("*")] if path.is_dir()} == {0o700}


def test_nothing_is_current_before_it_is_published(folders, folder):
    put(folders, folder, 1, PreCompact=b"one")
    folders.write(folder, made(2), text(2), {"PreCompact": b"two"})
    assert (folders.published(folder), folders.replies(folder)) == (1, Replies(1, {"PreCompact": b"one"}))
    assert (folder / "mind.md").read_text() == "mind 1\n"
    folders.publish(folder, 2)
    assert (folders.published(folder), folders.replies(folder).get("PreCompact")) == (2, b"two")


def test_copies_are_those_of_the_number_that_hooks_find(folders, folder):
    """They come after it, and until then it counts as unfinished."""
    put(folders, folder, 1)
    folders.write(folder, made(2), text(2), {"PreCompact": b"two"})
    folders.publish(folder, 2)
    assert ((folder / "mind.md").read_text(), folders.copied(folder), folders.sound(folder, 2)) == (
        "mind 1\n",
        1,
        False,
    )
    folders.copy(folder)
    assert ((folder / "mind.md").read_text(), folders.copied(folder), folders.sound(folder, 2)) == ("mind 2\n", 2, True)


def test_where_there_is_none_the_replies_are_empty(folders, folder):
    assert (folders.replies(folder).number, folders.replies(folder).get("PreCompact")) == (0, b"")
    assert folders.published(folder) == 0
    assert folders.text(folder, 1) is None


@pytest.mark.parametrize("left", [".0002.new", "0002"])
def test_what_a_crash_left_of_a_number_is_written_over(folders, folder, left):
    """Killed while writing, or before the record's row: the number is written again, whole."""
    put(folders, folder, 1)
    rubbish = folder / "history" / left
    (rubbish / "ready").mkdir(parents=True)
    (rubbish / "ready" / "SessionStart.compact.4").write_bytes(b"old")
    (rubbish / "mind.md").write_bytes(b"half")
    put(folders, folder, 2, PreCompact=b"two")
    assert folders.replies(folder) == Replies(2, {"PreCompact": b"two"})
    assert sorted(path.name for path in (folder / "history").iterdir()) == ["0001", "0002"]


def test_copies_that_a_crash_left_behind_are_made_again(folders, folder):
    put(folders, folder, 1)
    folders.write(folder, made(2), text(2), {"PreCompact": b"two"})
    (folder / "mind.md").write_bytes(b"mind 2\n")  # the first copy was made, then the power went
    folders.publish(folder, 2)
    folders.copy(folder)
    assert [(folder / name).read_text() for name in ("mind.md", "memo.md")] == ["mind 2\n", "memo 2\n"]


@pytest.mark.parametrize("left", [b"", b"\0\0\0\0\0\0\0"], ids=["nothing", "zeros"])
@pytest.mark.parametrize("name", ["mind.md", "history/0001/memo.md", "ready/PreCompact"])
def test_what_a_power_cut_left_of_a_file_is_seen(folders, folder, name, left):
    """Its name is there and its bytes are not: nothing waits for the disk when a number is written. A reply may be empty."""
    put(folders, folder, 1)
    assert folders.sound(folder, 1)
    (folder / name).write_bytes(left)
    assert folders.sound(folder, 1) == (name == "ready/PreCompact" and not left)


def test_a_link_in_a_copys_place_is_not_written_through(folders, folder, tmp_path):
    """What it leads to stays as it is."""
    put(folders, folder, 1)
    other = tmp_path / "other"
    other.write_bytes(b"mine")
    for name in ("mind.md", "recent.md"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(other)
    put(folders, folder, 2)
    folders.lay_beside(folder, {"recent.md": "newest"})
    assert other.read_bytes() == b"mine"
    assert ((folder / "mind.md").read_text(), (folder / "recent.md").read_text()) == ("mind 2\n", "newest")


def test_a_link_for_hooks_that_leads_to_itself_gives_way(folders, folder):
    """It is a link that leads nowhere, and neither a defect nor what keeps others' sessions from being caught up with."""
    put(folders, folder, 1)
    for lay in (lambda: folders.replace_replies(folder, 1, {"PreCompact": b"x"}), lambda: put(folders, folder, 2)):
        (folder / "ready").unlink()
        (folder / "ready").symlink_to("ready")
        assert (folders.published(folder), folders.sound(folder, 1)) == (0, False)
        lay()
    assert (folders.published(folder), folders.sound(folder, 2)) == (2, True)


def test_other_replies_replace_all_of_the_old(folders, folder):
    """Four parts, then the short form's one, then four again: nothing of the one stays beside the other."""
    put(folders, folder, 3, **{f"SessionStart_compact_{k}": b"long" for k in range(1, 5)})
    for _ in range(2):
        folders.replace_replies(folder, 3, {"SessionStart.compact.1": b"short"})
        assert folders.replies(folder) == Replies(3, {"SessionStart.compact.1": b"short"})
        folders.replace_replies(folder, 3, {f"SessionStart.compact.{k}": b"long" for k in range(1, 5)})
        assert len(folders.replies(folder).by_name) == 4
    assert folders.published(folder) == 3
    folders.publish(folder, 3)
    assert len(folders.replies(folder).by_name) == 4


def test_a_reader_never_meets_half_of_an_exchange(folders, folder):
    """Replies are exchanged a thousand times while they are read: always all of one kind."""
    kinds = [{f"SessionStart.compact.{k}": kind for k in range(1, 5)} for kind in (b"a", b"b")]
    put(folders, folder, 1)
    folders.replace_replies(folder, 1, kinds[0])
    over = threading.Event()

    def exchange():
        for turn in range(300):
            folders.replace_replies(folder, 1, kinds[turn % 2])
        over.set()

    writer = threading.Thread(target=exchange)
    writer.start()
    seen = set()
    while not over.is_set():
        replies = folders.replies(folder)
        seen.add((replies.number, len(replies.by_name), len(set(replies.by_name.values()))))
    writer.join()
    assert seen == {(1, 4, 1)}


def test_dropped_numbers_leave_nothing(folders, folder):
    for number in (1, 2, 3):
        put(folders, folder, number)
    folders.drop(folder, [1, 2, 9])
    assert [path.name for path in (folder / "history").iterdir()] == ["0003"]
    assert folders.text(folder, 3) == text(3)


def test_a_reply_that_was_deleted_is_missed(folders, folder):
    """By the folder's own time: nobody keeps a list. What was written last, though empty, is whole."""
    put(folders, folder, 3, SessionStart_compact_1=b"one", SessionStart_compact_2=b"two", PreCompact=b"")
    assert (folders.ready(folder, 3), folders.sound(folder, 3)) == (True, True)
    assert folders.ready(folder, 2) is False
    time.sleep(0.05)
    (folder / "ready" / "SessionStart.compact.2").unlink()
    assert (folders.ready(folder, 3), folders.sound(folder, 3)) == (False, False)
    folders.replace_replies(folder, 3, {"PreCompact": b"x"})
    assert (folders.ready(folder, 3), folders.sound(folder, 3)) == (True, True)


def test_a_copy_of_the_replies_in_the_links_place_gives_way(folders, folder):
    """A backup that follows links leaves a folder there."""
    put(folders, folder, 3)
    (folder / "ready").unlink()
    (folder / "ready").mkdir()
    (folder / "ready" / "PreCompact").write_bytes(b"old")
    folders.publish(folder, 3)
    assert folders.replies(folder) == Replies(3, {"PreCompact": b"x"})
