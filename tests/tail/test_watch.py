"""Hints, with the real inotify: whatever happens to a file, somebody says so in time."""

import errno
import logging
import os
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest
from watchdog.observers import Observer

from memd.tail import kernel, sweep, watch
from memd.tail.kernel import Watches
from memd.tail.watch import Watcher

OVERFLOWS = "watchdog.observers.inotify_c"  # the logger
OVERFLOW = "Inotify queue overflowed; filesystem events were lost"

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


def eventually(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)
    return result


class Running:
    """A watcher whose hints are kept."""

    def __init__(self, *roots, **options):
        self.hints = []
        self.watcher = Watcher(
            roots,
            lambda path: path.endswith(".jsonl"),
            lambda path: not path.endswith("/elsewhere"),
            lambda path: self.hints.append(Path(path)),
            **options,
        )

    def __enter__(self):
        self.watcher.start()
        eventually(lambda: not self.watcher._sweep_asked)
        self.settle()
        return self

    def __exit__(self, *_):
        self.watcher.stop()

    def settle(self):
        """Wait until it is quiet, then forget what was hinted."""
        while True:
            before = len(self.hints)
            time.sleep(0.1)
            if before == len(self.hints):
                break
        self.hints.clear()

    def hinted(self, path, seconds=10.0):
        eventually(lambda: path in self.hints, seconds)
        self.settle()


@pytest.fixture
def slow(monkeypatch):
    """No look at active files and no sweep by the clock: what is hinted, an event hinted."""
    monkeypatch.setattr(watch, "TICK", 1000.0)
    monkeypatch.setattr(watch, "due", lambda *_, **__: False)


@pytest.fixture
def deaf(monkeypatch):
    """No watches: what is hinted, a look or a sweep hinted."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.schedule", full)
    monkeypatch.setattr(watch, "TICK", 0.02)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "projects"
    (root / "a").mkdir(parents=True)
    (root / "a" / "old.jsonl").write_bytes(b"x\n")
    return root


def append(path, data=b"more\n"):
    with path.open("ab") as file:
        file.write(data)


def test_first_sweep(root):
    """What was there before the start is hinted."""
    hints = []
    watcher = Watcher(
        [root], lambda path: path.endswith(".jsonl"), lambda _: True, lambda path: hints.append(Path(path))
    )
    watcher.start()
    try:
        eventually(lambda: hints == [root / "a" / "old.jsonl"])
    finally:
        watcher.stop()


@linux
@pytest.mark.usefixtures("slow")
class TestEvents:
    @pytest.fixture
    def running(self, root):
        with Running(root) as running:
            eventually(lambda: running.watcher.watches() == (2, 2))
            yield running

    def test_append(self, root, running):
        append(root / "a" / "old.jsonl")
        running.hinted(root / "a" / "old.jsonl")

    def test_new_file(self, root, running):
        append(root / "a" / "new.jsonl")
        running.hinted(root / "a" / "new.jsonl")

    def test_unwanted(self, root, running):
        append(root / "a" / "notes.txt")
        append(root / "a" / "new.jsonl")
        running.hinted(root / "a" / "new.jsonl")
        assert root / "a" / "notes.txt" not in running.hints

    def test_replaced(self, root, running):
        """An atomic replace arrives as a move: its destination counts."""
        (root / "a" / "tmp").write_bytes(b"new\n")
        (root / "a" / "tmp").replace(root / "a" / "old.jsonl")
        running.hinted(root / "a" / "old.jsonl")

    def test_deleted(self, root, running):
        (root / "a" / "old.jsonl").unlink()
        running.hinted(root / "a" / "old.jsonl")

    def test_reading_is_no_event(self, root, running):
        """Our own reads do not wake us."""
        (root / "a" / "old.jsonl").read_bytes()
        append(root / "a" / "new.jsonl")
        eventually(lambda: root / "a" / "new.jsonl" in running.hints)
        assert root / "a" / "old.jsonl" not in running.hints

    @pytest.mark.parametrize("pause", [0, 0.05])
    def test_new_directories(self, root, running, pause):
        """A file in directories that were made this moment, and one made later in them."""
        deep = root / "2026" / "11" / "30"
        deep.mkdir(parents=True)
        time.sleep(pause)
        append(deep / "first.jsonl")
        running.hinted(deep / "first.jsonl")
        append(deep / "second.jsonl")
        running.hinted(deep / "second.jsonl")

    def test_directory_moved_in(self, root, running, tmp_path):
        (tmp_path / "elsewhere").mkdir()
        append(tmp_path / "elsewhere" / "moved.jsonl")
        (tmp_path / "elsewhere").rename(root / "here")
        running.hinted(root / "here" / "moved.jsonl")
        append(root / "here" / "moved.jsonl")
        running.hinted(root / "here" / "moved.jsonl")

    def test_many_directories_at_once(self, root, running, monkeypatch):
        """A whole tree that appears is swept, not taken in one by one."""
        monkeypatch.setattr(watch, "MOST_FRESH", 3)
        for number in range(10):
            (root / f"p{number}").mkdir()
            append(root / f"p{number}" / "new.jsonl")
        eventually(lambda: {root / f"p{number}" / "new.jsonl" for number in range(10)} <= set(running.hints))

    def test_overflow(self, root, running, tmp_path):
        """An overflow, of which only watchdog's logger hears, leads to a sweep."""
        (root / "b").mkdir()
        running.settle()
        running.watcher._kernel._handler._on_event = lambda _: None
        append(root / "b" / "lost.jsonl")
        time.sleep(0.1)
        assert running.hints == []
        logging.getLogger("watchdog.observers.inotify_c").warning(
            "Inotify queue overflowed; filesystem events were lost"
        )
        running.hinted(root / "b" / "lost.jsonl")

    def test_link_as_root(self, root, tmp_path):
        """A root that is a link is watched where it leads, and named as it was given."""
        (tmp_path / "link").symlink_to(root)
        with Running(tmp_path / "link") as running:
            append(tmp_path / "link" / "new.jsonl")
            running.hinted(tmp_path / "link" / "new.jsonl")


class TestLooks:
    @pytest.mark.usefixtures("deaf")
    def test_active_file(self, root):
        """Without any event an active file is looked at each tick; so is one that does not exist yet."""
        with Running(root) as running:
            append(root / "a" / "old.jsonl")
            running.hinted(root / "a" / "old.jsonl")
            running.watcher.activate(root / "coming.jsonl")
            append(root / "coming.jsonl")
            running.hinted(root / "coming.jsonl")
            (root / "coming.jsonl").unlink()
            running.hinted(root / "coming.jsonl")

    @pytest.mark.usefixtures("deaf")
    def test_who_may_read_it(self, root):
        """A file whose permission comes back is one to look at, though nothing was written into it."""
        with Running(root) as running:
            (root / "a" / "old.jsonl").chmod(0o000)
            running.hinted(root / "a" / "old.jsonl")
            (root / "a" / "old.jsonl").chmod(0o600)
            running.hinted(root / "a" / "old.jsonl")

    @pytest.mark.usefixtures("deaf")
    def test_sweep(self, root, monkeypatch):
        """Without any event a new file is found by the next sweep, and a file that is gone is told."""
        with Running(root) as running:
            append(root / "a" / "new.jsonl")
            shutil.rmtree(root / "a")
            append(root / "other.jsonl")
            running.watcher._active.forget(str(root / "a" / "old.jsonl"))  # nobody looks at it any more
            running.watcher.sweep_soon()
            eventually(lambda: {root / "a" / "old.jsonl", root / "other.jsonl"} <= set(running.hints))

    @pytest.mark.usefixtures("deaf")
    def test_says_so(self, root):
        """Too few watches are told, with what to do, as long as it is so."""
        with Running(root) as running:
            eventually(lambda: running.watcher.watches() == (0, 2))
            assert running.watcher.problems() == ("too few inotify watches: raise fs.inotify.max_user_watches",)

    def test_no_instance(self, root, monkeypatch):
        """Too few inotify instances likewise; when there is one again, the watches come."""

        def full(*_, **__):
            raise OSError(errno.EMFILE, "inotify instance limit reached")

        monkeypatch.setattr(watch, "TICK", 0.02)
        monkeypatch.setattr("memd.tail.kernel.Observer", full)
        with Running(root) as running:
            eventually(lambda: running.watcher.watches() == (0, 2))
            assert "max_user_instances" in running.watcher.problems()[0]
            monkeypatch.setattr("memd.tail.kernel.Observer", Observer)
            eventually(lambda: running.watcher.watches() == (2, 2))
            assert running.watcher.problems() == ()

    def test_sleep(self, root, monkeypatch):
        """The machine slept: a sweep follows."""
        now = [1000.0]
        monkeypatch.setattr(watch, "clock", lambda: now[0])
        monkeypatch.setattr(watch, "TICK", 0.02)
        with Running(root) as running:
            running.watcher._kernel.keep = lambda _: []
            running.watcher._kernel._handler._on_event = lambda _: None
            append(root / "a" / "new.jsonl")
            time.sleep(0.1)
            assert running.hints == []
            now[0] += 6
            running.hinted(root / "a" / "new.jsonl")

    @pytest.mark.usefixtures("deaf")
    def test_after_sleep_as_after_a_start(self, root, monkeypatch):
        """A night of it: what is written where no events come is found within seconds, since whoever wakes a machine works."""
        now = [1000.0]
        monkeypatch.setattr(watch, "clock", lambda: now[0])
        with Running(root) as running:
            now[0] += 8 * 3600
            running.settle()
            append(root / "a" / "new.jsonl")
            for _ in range(3):
                time.sleep(0.1)
                now[0] += 4
            running.hinted(root / "a" / "new.jsonl")


@linux
class TestRoots:
    def test_made_anew(self, root, monkeypatch):
        """A root that is deleted and made anew is watched again, and what came before the watch is found."""
        monkeypatch.setattr(watch, "TICK", 0.02)
        monkeypatch.setattr(watch, "due", lambda *_, **__: False)
        with Running(root) as running:
            shutil.rmtree(root)
            eventually(lambda: running.watcher.watches() == (0, 0))
            root.mkdir()
            append(root / "new.jsonl")
            running.hinted(root / "new.jsonl")
            eventually(lambda: running.watcher.watches() == (1, 1))
            append(root / "newer.jsonl")
            running.hinted(root / "newer.jsonl")

    def replaced_between_two_ticks(self, root, replace):
        with Running(root) as running:
            replace()
            root.mkdir()
            append(root / "new.jsonl")
            running.hinted(root / "new.jsonl")
            running.watcher._active.forget(str(root / "new.jsonl"))
            append(root / "newer.jsonl")
            running.hinted(root / "newer.jsonl")

    def test_moved_away(self, root, monkeypatch):
        """The same, when nobody saw that the root was away: its inode tells."""
        monkeypatch.setattr(watch, "TICK", 0.1)
        monkeypatch.setattr(watch, "due", lambda *_, **__: False)
        self.replaced_between_two_ticks(root, lambda: root.rename(root.with_name("away")))

    def test_same_inode(self, root, monkeypatch):
        """The same, when the new root got the inode of the old one, as ext4 likes to give it."""
        monkeypatch.setattr(watch, "TICK", 0.1)
        monkeypatch.setattr(watch, "due", lambda *_, **__: False)
        monkeypatch.setattr(kernel, "_identity", lambda path: (1, len(path)) if os.path.isdir(path) else None)
        self.replaced_between_two_ticks(root, lambda: shutil.rmtree(root))

    def test_comes_later(self, tmp_path, monkeypatch):
        """A tool that is installed while memd runs is noticed."""
        monkeypatch.setattr(watch, "TICK", 0.02)
        with Running(tmp_path / "later") as running:
            (tmp_path / "later").mkdir()
            append(tmp_path / "later" / "new.jsonl")
            running.hinted(tmp_path / "later" / "new.jsonl")


@linux
class TestKernel:
    @pytest.fixture
    def watches(self):
        watches = Watches(lambda _: None, lambda: None)
        watches.start()
        yield watches
        watches.stop()

    def test_a_file_that_took_a_directorys_name_is_no_watch_too_few(self, watches, tmp_path):
        """Nobody would find more watches by raising the system's limit."""
        (tmp_path / "gone").write_bytes(b"x")
        watches.keep([str(tmp_path), str(tmp_path / "gone")])
        assert (watches.count(), watches.problems()) == ((1, 1), ())

    def test_refused_in_silence(self, watches, tmp_path, monkeypatch):
        """A watch that is not there, although nobody complained, is counted as missing."""
        monkeypatch.setattr("watchdog.observers.inotify_c.inotify_add_watch", lambda *_: 77)
        monkeypatch.setattr("watchdog.observers.inotify_c.inotify_rm_watch", lambda *_: 0)
        watches.keep([str(tmp_path)])
        assert watches.count() == (0, 1)
        assert watches.problems() == ("only 0 of 1 directories are watched",)

    def test_limit(self, watches, tmp_path, monkeypatch):
        """When the kernel is out of watches, the first directories have theirs, and nobody insists."""
        inotify_c = pytest.importorskip("watchdog.observers.inotify_c")
        real, calls = inotify_c.inotify_add_watch, []

        def limited(*args):
            calls.append(args)
            if len(calls) > 1:
                inotify_c.ctypes.set_errno(errno.ENOSPC)
                return -1
            return real(*args)

        monkeypatch.setattr(inotify_c, "inotify_add_watch", limited)
        names = [str(tmp_path / name) for name in "abc"]
        for name in names:
            os.mkdir(name)
        assert watches.keep(names) == names[:1]
        assert watches.count() == (1, 3)
        assert watches.problems() == ("too few inotify watches: raise fs.inotify.max_user_watches",)
        assert len(calls) == 2

    def test_dropped(self, watches, tmp_path):
        """What is no longer active costs nothing."""
        before = threading.active_count()
        (tmp_path / "a").mkdir()
        watches.keep([str(tmp_path), str(tmp_path / "a")])
        watches.keep([str(tmp_path)])
        assert watches.count() == (1, 1)
        watches.stop()
        assert threading.active_count() == before

    def test_quiet_log(self, watches, monkeypatch):
        """Overflows are heard however quiet the log is."""
        heard = []
        logger = logging.getLogger(OVERFLOWS)
        monkeypatch.setattr(logger, "level", logging.NOTSET)
        logging.getLogger().setLevel(logging.ERROR)
        logger.manager._clear_cache()
        watches = Watches(lambda _: None, lambda: heard.append(1))
        watches.start()
        logger.warning(OVERFLOW)
        logger.warning("something else")
        watches.stop()
        logging.getLogger().setLevel(logging.WARNING)
        assert heard == [1]


@linux
def test_a_directory_that_nobody_enters_is_not_watched(tmp_path):
    """What a client makes beside its transcripts while it works (a snapshot of the whole tree) costs no watch."""
    with Running(tmp_path) as running:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "a.jsonl").touch()
        (tmp_path / "here").mkdir()
        (tmp_path / "here" / "b.jsonl").touch()
        running.hinted(tmp_path / "here" / "b.jsonl")

        assert running.watcher._seen[str(tmp_path / "elsewhere" / "a.jsonl")] == 0
        assert running.watcher.watches()[0] == 2


def test_where_sweeps_cost_much_it_sweeps_often_for_a_client_only(tmp_path, monkeypatch):
    """Tens of thousands of files: often while something changes, then not for minutes; to delete a file is no client's work."""
    monkeypatch.setattr(sweep, "ACTIVE", 0.05)
    monkeypatch.setattr(sweep, "AT_WORK", 0.5)
    monkeypatch.setattr(sweep, "SHARE", 1e9)
    sweeps, once = [], Watcher._sweep
    monkeypatch.setattr(Watcher, "_sweep", lambda watcher: (sweeps.append(1), once(watcher)))

    def swept(running):
        before = len(sweeps)
        for _ in range(20):
            running.watcher._wake.set()
            time.sleep(0.02)
        return len(sweeps) - before

    with Running(tmp_path) as running:
        assert swept(running) == 0
        append(tmp_path / "new.jsonl")
        assert swept(running) > 2
        time.sleep(0.5)
        assert swept(running) == 0
        (tmp_path / "new.jsonl").unlink()
        running.hinted(tmp_path / "new.jsonl")
        assert swept(running) == 0


def test_a_link_that_leads_to_itself_ends_no_watching(root, monkeypatch):
    """Beside a file that is active, whose directory is listed again and again."""
    monkeypatch.setattr(watch, "TICK", 0.02)
    (root / "a" / "loop.jsonl").symlink_to("loop.jsonl")
    with Running(root) as running:
        append(root / "a" / "new.jsonl")
        running.hinted(root / "a" / "new.jsonl")
        assert running.watcher.problems() == () or "ended" not in running.watcher.problems()[0]


@pytest.mark.usefixtures("deaf")
def test_a_long_sweep_holds_up_neither_what_is_active_nor_the_end(root, monkeypatch):
    """A link to a large tree, a slow mount: what was found by then is followed, and the daemon can be ended."""

    def endless(*asked):
        yield from sweep.sweep(*asked)
        while asked[-1]():
            time.sleep(0.01)

    monkeypatch.setattr(watch, "sweep", endless)
    with Running(root) as running:
        append(root / "a" / "old.jsonl")
        running.hinted(root / "a" / "old.jsonl")
        before = time.monotonic()
    assert time.monotonic() - before < 2


def test_after_its_start_it_sweeps_often(tmp_path, monkeypatch):
    """A client may start in a directory that was empty before: nothing watches it, and no one waits five minutes."""
    monkeypatch.setattr(sweep, "ACTIVE", 0.2)
    there = tmp_path / "project"
    there.mkdir()
    with Running(tmp_path) as running:
        append(there / "new.jsonl")
        eventually(lambda: running.hints)


@pytest.mark.usefixtures("deaf")
def test_a_farm_of_links_is_swept_in_one_go(tmp_path, monkeypatch):
    """Each file of a folder of links is looked at once a sweep, not once for each other, however links to folders lie between."""
    real, farm, folders, looked = tmp_path / "real", tmp_path / "farm", [], []
    real.mkdir()
    farm.mkdir()
    for number in range(300):
        (real / f"{number}.jsonl").touch()
        (real / f"{number}").mkdir()
        (farm / f"{number}.jsonl").symlink_to(real / f"{number}.jsonl")
        (farm / f"{number}").symlink_to(real / f"{number}")
    hints = []
    watcher = Watcher([farm], lambda path: path.endswith(".jsonl"), lambda _: True, hints.append)
    update, state = watcher._seen.update, watch._state
    monkeypatch.setattr(watcher._seen, "update", lambda folder, found: folders.append(folder) or update(folder, found))
    monkeypatch.setattr(watch, "_state", lambda path: looked.append(path) or state(path))
    monkeypatch.setattr(watch, "TICK", 1000.0)
    watcher._looked = watch.clock()
    watcher._sweep()
    (farm / "7.jsonl").unlink()
    watcher._sweep()
    assert sorted(hints) == sorted([*(str(farm / f"{number}.jsonl") for number in range(300)), str(farm / "7.jsonl")])
    assert (len(folders), looked) == (4, [str(farm / "7.jsonl")])
