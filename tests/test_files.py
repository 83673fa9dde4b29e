"""memd/files.py on real files: permissions, links, locks and full disks are what it is about."""

import fcntl
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from devices import made_device

from memd import files
from memd.errors import Refused
from memd.files import Lock


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


class TestWriteAtomic:
    def test_content_and_mode(self, tmp_path):
        """The file has the bytes and exactly the mode that were asked for, whatever the umask says."""
        before = os.umask(0o077)
        try:
            files.write_atomic(tmp_path / "f", b"one\r\n\x00", 0o644)
        finally:
            os.umask(before)
        assert (tmp_path / "f").read_bytes() == b"one\r\n\x00"
        assert mode(tmp_path / "f") == 0o644

    def test_private_by_default(self, tmp_path):
        """Without a word about it a file is for this user alone, even where it replaces one that was not."""
        (tmp_path / "f").write_bytes(b"old")
        (tmp_path / "f").chmod(0o666)
        files.write_atomic(tmp_path / "f", b"new")
        assert mode(tmp_path / "f") == 0o600

    def test_a_link_that_leads_to_itself_is_refused_as_the_system_does(self, tmp_path):
        """It is no defect of memd's, and says which link."""
        link = tmp_path / "link"
        link.symlink_to(link)
        with pytest.raises(OSError, match="Too many levels") as refused:
            files.write_atomic(link, b"x")
        assert (refused.value.filename, list(tmp_path.iterdir())) == (str(link), [link])

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
    def test_what_a_link_leads_to_and_is_no_plain_file_stays(self, tmp_path, make):
        """People link settings to `/dev/null`; where memd runs as root it could put a file in its place."""
        end, link = tmp_path / "end", tmp_path / "link"
        make(end)
        link.symlink_to(end)
        before = end.lstat()
        with pytest.raises(OSError, match="no plain file"):
            files.write_atomic(link, b"x")
        assert (end.lstat().st_ino, end.lstat().st_mode) == (before.st_ino, before.st_mode)
        assert sorted(tmp_path.iterdir()) == [end, link]

    def test_a_device_stays_a_device(self, tmp_path):
        """`MEMD_CONFIG=/dev/null` is a way to say that there are no settings."""
        device = tmp_path / "null"
        made_device(device)
        with pytest.raises(OSError, match="It is a device") as refused:
            files.write_atomic(device, b"x")
        assert (refused.value.filename, device.is_char_device(), list(tmp_path.iterdir())) == (
            str(device),
            True,
            [device],
        )

    def test_a_link_stays_a_link(self, tmp_path):
        """Settings that are linked from a repository of dot files are replaced there, and the link stays."""
        (tmp_path / "dotfiles").mkdir()
        real = tmp_path / "dotfiles" / "settings.json"
        real.write_bytes(b"old")
        link = tmp_path / "settings.json"
        link.symlink_to("dotfiles/settings.json")
        files.write_atomic(link, b"new")
        assert link.is_symlink()
        assert real.read_bytes() == b"new"
        assert [p.name for p in sorted(tmp_path.rglob("*"))] == ["dotfiles", "settings.json", "settings.json"]

    def test_readers_see_old_or_new(self, tmp_path):
        """Who has the old file open goes on reading the old file: it is replaced, not written over."""
        path = tmp_path / "f"
        path.write_bytes(b"old")
        with path.open("rb") as reader:
            files.write_atomic(path, b"new")
            assert reader.read() == b"old"
        assert path.read_bytes() == b"new"

    @pytest.mark.parametrize("step", ["fchmod", "fsync"])
    def test_failure_changes_nothing(self, tmp_path, monkeypatch, step):
        """When a step fails, as on a full disk, the old file is as it was and nothing lies beside it."""
        path = tmp_path / "f"
        path.write_bytes(b"old")

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, step, full)
        with pytest.raises(OSError, match="No space left"):
            files.write_atomic(path, b"new")
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("write", [files.write_atomic, files.write_new])
    def test_what_is_in_the_way_of_the_bytes_is_told_with_the_files_name(self, tmp_path, monkeypatch, write):
        """A full disk is met where a descriptor is written, which has no name; the person asks which disk."""
        monkeypatch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space left") as refused:
            write(tmp_path / "f", b"new")
        assert refused.value.filename == str(tmp_path / "f")

    def test_interruption_changes_nothing(self, tmp_path, monkeypatch):
        """Control-C counts as a failure too."""

        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            files.write_atomic(tmp_path / "f", b"new")
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_is_not_replaced(self, tmp_path):
        """A folder in the file's place is an error, and nothing is left beside it."""
        (tmp_path / "f").mkdir()
        with pytest.raises(IsADirectoryError):
            files.write_atomic(tmp_path / "f", b"new")
        assert list(tmp_path.iterdir()) == [tmp_path / "f"]

    def test_long_names(self, tmp_path):
        """A name as long as the file system allows leaves room for the temporary file."""
        path = tmp_path / ("n" * 255)
        files.write_atomic(path, b"new")
        assert path.read_bytes() == b"new"

    @pytest.mark.parametrize(("durable", "synced"), [(True, ["file", "folder"]), (False, [])])
    def test_durable(self, tmp_path, monkeypatch, durable, synced):
        """Durable means: the bytes are on disk before the name is theirs, and the name after that."""
        seen = []

        def fsync(descriptor):
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            assert (tmp_path / "f").exists() == is_folder
            seen.append("folder" if is_folder else "file")

        monkeypatch.setattr(os, "fsync", fsync)
        files.write_atomic(tmp_path / "f", b"new", durable=durable)
        assert seen == synced


class TestReadBytesOrNone:
    def test_content(self, tmp_path):
        """What is there is read, an empty file as empty."""
        (tmp_path / "f").write_bytes(b"")
        assert files.read_bytes_or_none(tmp_path / "f") == b""

    def test_nothing_there(self, tmp_path):
        """No file, no folder for it, or a file where the folder should be: None."""
        (tmp_path / "f").write_bytes(b"x")
        for missing in ("g", "g/h", "f/h"):
            assert files.read_bytes_or_none(tmp_path / missing) is None

    def test_unreadable_is_not_missing(self, tmp_path):
        """What cannot be read is not taken for absent: somebody might write it anew."""
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(OSError, match="symbolic links"):
            files.read_bytes_or_none(tmp_path / "loop")

    @pytest.mark.parametrize("there", ["pipe", "/dev/zero"])
    def test_what_has_no_end(self, tmp_path, there):
        """A pipe, or a link to a device (a repository can have one), is refused at once; `/dev/null` is an empty file."""
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "f").symlink_to(there)
        for look in (files.read_bytes_or_none, lambda path: files.holds(path, b"x")):
            with pytest.raises(OSError, match="plain file"):
                look(tmp_path / "f")
        (tmp_path / "none").symlink_to("/dev/null")
        assert files.read_bytes_or_none(tmp_path / "none") == b""


class TestHolds:
    @pytest.mark.parametrize("size", [0, 1, files._AT_ONCE, files._AT_ONCE + 1])
    def test_the_same_bytes(self, tmp_path, size):
        """A file holds its content and nothing that is longer, shorter or otherwise another."""
        content = b"x" * size
        (tmp_path / "f").write_bytes(content)
        assert files.holds(tmp_path / "f", content)
        assert [
            files.holds(tmp_path / "f", other) for other in (content + b"x", b"y" + content[1:], content[:-1] + b"y")
        ] == ([False] * 3)

    def test_nothing_there(self, tmp_path):
        """No file holds nothing, not even an empty text."""
        assert not files.holds(tmp_path / "f", b"")


class TestPrivateDir:
    def test_made_with_parents(self, tmp_path):
        """The folder and those above it that were missing are for this user alone; those that were there stay."""
        tmp_path.chmod(0o755)
        assert files.private_dir(tmp_path / "a" / "b") == tmp_path / "a" / "b"
        assert [mode(tmp_path / p) for p in ("a/b", "a", ".")] == [0o700, 0o700, 0o755]

    def test_tightened(self, tmp_path):
        """One that others may read is closed to them, and what is in it stays."""
        (tmp_path / "a").mkdir(0o755)
        (tmp_path / "a" / "f").touch()
        files.private_dir(tmp_path / "a")
        assert mode(tmp_path / "a") == 0o700
        assert (tmp_path / "a" / "f").exists()

    def test_a_shared_folder_is_refused(self, tmp_path):
        """A folder like /tmp is never closed to the others, even where we could."""
        tmp_path.chmod(0o1777)
        with pytest.raises(Refused, match="MEMD_STATE_DIR"):
            files.private_dir(tmp_path)
        assert mode(tmp_path) == 0o1777

    def test_another_users_folder_is_refused(self, tmp_path, monkeypatch):
        """Whoever was first to make a folder with our name in /tmp gets nothing to read."""
        (tmp_path / "memd-1").mkdir(0o777)
        monkeypatch.setattr(os, "geteuid", lambda: (tmp_path.stat().st_uid or 1000) + 1)
        with pytest.raises(Refused, match="not this user's alone"):
            files.private_dir(tmp_path / "memd-1")

    def test_a_file_in_its_place(self, tmp_path):
        """A file in its place is an error, and stays."""
        (tmp_path / "f").touch()
        with pytest.raises(FileExistsError):
            files.private_dir(tmp_path / "f")
        assert (tmp_path / "f").is_file()


class TestRemoveTree:
    def test_folder(self, tmp_path):
        """A folder goes with all that is in it."""
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "b" / "f").touch()
        files.remove_tree(tmp_path / "a")
        assert list(tmp_path.iterdir()) == []

    def test_links_are_not_followed(self, tmp_path):
        """A link goes, at the top or inside; what it leads to stays."""
        (tmp_path / "keep").mkdir()
        (tmp_path / "keep" / "f").touch()
        (tmp_path / "link").symlink_to("keep")
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "link").symlink_to("../keep")
        files.remove_tree(tmp_path / "link")
        files.remove_tree(tmp_path / "a")
        assert sorted(tmp_path.rglob("*")) == [tmp_path / "keep", tmp_path / "keep" / "f"]

    def test_file_or_nothing(self, tmp_path):
        """A file goes too; nothing there is no error."""
        (tmp_path / "f").touch()
        files.remove_tree(tmp_path / "f")
        files.remove_tree(tmp_path / "f")
        assert list(tmp_path.iterdir()) == []


HOLD = """
import sys
from pathlib import Path
from memd.files import Lock

lock = Lock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"True\n"
        yield process
        process.kill()


class TestLock:
    def test_a_pipe_in_its_place_is_not_waited_for(self, tmp_path):
        """Whether it is held is asked before anything is done, and has an answer."""
        os.mkfifo(tmp_path / "lock")
        assert not Lock(tmp_path / "lock").held()

    def test_one_holder(self, tmp_path, other):
        """While another process has it, `acquire` says no at once, and the holder's process id can be read."""
        lock = Lock(tmp_path / "lock")
        assert not lock.acquire()
        assert lock.holder() == other.pid

    def test_it_ends_with_its_holder(self, tmp_path, other):
        """A killed holder leaves no stale lock."""
        other.kill()
        other.wait()
        assert Lock(tmp_path / "lock").acquire()

    def test_waiting(self, tmp_path, other):
        """As a context manager it waits for the holder to go, and releases at the end."""
        threading.Timer(0.2, other.kill).start()
        with Lock(tmp_path / "lock") as lock:
            assert other.wait() != 0
            assert lock.holder() == os.getpid()
            assert not Lock(tmp_path / "lock").acquire()
        assert Lock(tmp_path / "lock").acquire()

    def test_twice_is_once(self, tmp_path):
        """To acquire what one holds is no deadlock; one release ends it."""
        lock = Lock(tmp_path / "lock")
        assert lock.acquire(blocking=True)
        assert lock.acquire(blocking=True)
        lock.release()
        lock.release()
        assert Lock(tmp_path / "lock").acquire()

    def test_the_file_is_private_and_stays(self, tmp_path):
        """The file is for this user alone and is not removed: another process may be waiting at it."""
        with Lock(tmp_path / "lock"):
            assert mode(tmp_path / "lock") == 0o600
        assert (tmp_path / "lock").exists()

    def test_a_removed_file_is_not_locked(self, tmp_path, monkeypatch):
        """Who waited at a file that is gone by then takes the lock of the name, not of the dead file."""
        path = tmp_path / "lock"
        flock = fcntl.flock

        def removed_meanwhile(descriptor, how):
            monkeypatch.setattr(fcntl, "flock", flock)
            flock(descriptor, how)
            path.unlink()

        monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
        first = Lock(path)
        assert first.acquire()
        assert not Lock(path).acquire()
        first.release()

    def test_nonsense_inside_says_nothing(self, tmp_path):
        """The process id is for information: an empty, foreign or missing file has no holder."""
        lock = Lock(tmp_path / "lock")
        assert lock.holder() is None
        for content in (b"", b"-3", b"somebody\n", b"\xb2"):
            lock.path.write_bytes(content)
            assert lock.holder() is None


def test_a_new_file_is_private_and_takes_nobodys_place(tmp_path):
    """Whatever the umask; where there is one already it stays as it was."""
    before = os.umask(0)
    try:
        files.write_new(tmp_path / "a", b"whole")
    finally:
        os.umask(before)
    with pytest.raises(FileExistsError):
        files.write_new(tmp_path / "a", b"other")
    assert ((tmp_path / "a").read_bytes(), stat.S_IMODE((tmp_path / "a").stat().st_mode)) == (b"whole", 0o600)
