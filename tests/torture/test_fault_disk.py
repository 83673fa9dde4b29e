"""What machines do to a daemon, done for real: full, closed and slow disks, too few descriptors."""

import resource
import signal
import subprocess
import time

import pytest
from faults import AGAIN, codes, recorded, small_disk, texts
from process import Home, eventually

from memd.store.folders import Folders


@pytest.fixture
def home():
    return Home()


@pytest.mark.parametrize("options", ["size=8m,mode=0700", "size=64m,nr_inodes=120,mode=0700"], ids=["bytes", "files"])
def test_a_full_disk_loses_nothing(home, options):
    """No room for bytes, or for files: told in the status, what is there is still given back, and all of it comes later."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a1")
    transcript.turn("Before.")
    with small_disk(home.state, options), home.daemon() as child:
        recorded(home, transcript, 2)
        eventually(
            lambda: Folders(home.state).published(Folders(home.state).session("claude-code", transcript.session))
        )
        answer = home.hook("SessionStart", transcript, 1, source="compact")
        fill(home.state)
        transcript.turn("While full. " + "x" * 100_000)
        time.sleep(1.5)
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert child.poll() is None
        if "nr_inodes" not in options:
            assert "store-trouble" in codes(home)
        for path in home.state.glob("filler*"):
            path.unlink()
        transcript.turn("After.")
        recorded(home, transcript, 6, AGAIN)
        assert [text[:11] for text in texts(home, transcript)] == [
            "Before.", "Done.", "While full.", "Done.", "After.", "Done.",
        ]  # fmt: skip


def fill(folder):
    """Until not a byte, or not a file, fits."""
    for size in (1 << 20, 4_096, 1):
        try:
            for number in range(10_000):
                with (folder / f"filler{size}-{number}").open("wb") as file:
                    file.write(b"x" * size)
        except OSError:
            continue


def test_a_state_that_turns_read_only_is_told_and_passes(home):
    """The disk is mounted read-only under the daemon: hooks get what is there, and all is recorded when it can be again."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a2")
    transcript.turn("Before.")
    with small_disk(home.state, "size=32m,mode=0700"), home.daemon() as child:
        recorded(home, transcript, 2)
        subprocess.run(["mount", "-o", "remount,ro", home.state], check=False)
        transcript.turn("Meanwhile.")
        time.sleep(1)
        assert child.poll() is None
        subprocess.run(["mount", "-o", "remount,rw", home.state], check=True)
        transcript.turn("After.")
        recorded(home, transcript, 6, AGAIN)


def test_no_descriptors_left(home):
    """The limit falls below what is open: nothing ends, and nothing is lost when there are some again."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000a3")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        before = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        transcript.turn("Without.")
        time.sleep(2.5)
        assert child.poll() is None
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, before)
        transcript.turn("With.")
        recorded(home, transcript, 6, AGAIN)
        assert home.asks(child)["running"] is True


def test_a_hook_is_not_held_up_by_a_slow_disk(home):
    """Reading takes for ever (the daemon stands still): the hook gives back what is on disk within its second."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b7")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
        answer = home.hook("SessionStart", transcript, 1, source="compact")
        child.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert time.monotonic() - start < 8
        child.send_signal(signal.SIGCONT)
        transcript.turn("After the sleep.")
        recorded(home, transcript, 4)


SLOW = """
import os, time
opened = os.open
def slowly(path, *rest, **options):
    if "-srv-slow" in os.fspath(path):
        time.sleep(4)
    return opened(path, *rest, **options)
os.open = slowly
"""


def test_slow_reads_hold_up_no_hook_and_end(home, tmp_path):
    """A mount on which opening a transcript takes seconds: hooks of others answer within theirs, and all is read in the end."""
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b9")
    transcript.turn("Before.")
    with home.daemon(PYTHONPATH=str(tmp_path)):
        answer = eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
        slow = home.transcript("5d1f0c1e-0000-4000-8000-0000000000ba", folder="-srv-slow")
        slow.turn("Far away.")
        time.sleep(0.5)
        start = time.monotonic()
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert time.monotonic() - start < 3
        transcript.turn("Meanwhile.")
        recorded(home, transcript, 4, 30)
        recorded(home, slow, 2, 30)


def test_copies_that_cannot_be_written_are_told_as_such(home):
    """A folder has the name of scene.md: the checkpoint is made and given, who asked for it is told, and so is the status."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000b8")
    transcript.turn("Before.")
    assert home.run("ingest", transcript.path).returncode == 0
    folder = Folders(home.state).session("claude-code", transcript.session)
    (folder / "scene.md").unlink()
    (folder / "scene.md" / "mine").mkdir(parents=True)
    transcript.turn("Use the cache.")
    done = home.run("ingest", transcript.path)
    assert (done.returncode, transcript.id in done.stdout, "copies: cannot be written" in done.stderr) == (
        1,
        True,
        True,
    )
    done = home.run("checkpoint", transcript.id)
    assert (done.returncode, "copies: cannot be written" in done.stderr) == (0, True)
    with home.daemon():
        transcript.turn("Drop the queue.")
        eventually(lambda: b"Drop the queue." in home.hook("SessionStart", transcript, 1, source="compact"))
        told = eventually(lambda: (found := codes(home)) & {"copies-unwritten"} and found)
        assert not told & {"checkpoint-failed", "no-checkpoint", "behind"}
        done = home.run("checkpoint", transcript.id)
        assert (done.returncode, "copies: cannot be written" in done.stderr) == (0, True)
        (folder / "scene.md" / "mine").rmdir()
        (folder / "scene.md").rmdir()
        assert home.run("checkpoint", transcript.id).stderr == ""
        transcript.turn("Thanks.")
        eventually(lambda: "copies-unwritten" not in codes(home), AGAIN)
        assert (folder / "scene.md").is_file()
