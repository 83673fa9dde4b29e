"""What machines allow a daemon: too few watches, descriptors and bytes, by limits that are the kernel's own."""

import os
import pty
import resource
import subprocess

import pytest
from faults import AGAIN, codes, recorded, texts
from process import MEMD, Home, eventually


@pytest.fixture
def home():
    return Home()


def test_a_quota_that_is_reached_loses_nothing(home):
    """No file may grow, the log neither: told in the status, what lies ready is given back, and all of it comes later."""
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000d1")
    transcript.turn("Before.")
    with home.daemon() as child:
        recorded(home, transcript, 2)
        answer = eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
        before = resource.prlimit(child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (1, before[1]))
        transcript.turn("Meanwhile.")
        eventually(lambda: "store-trouble" in codes(home), AGAIN)
        assert home.hook("SessionStart", transcript, 1, source="compact") == answer
        assert (child.poll(), len(texts(home, transcript))) == (None, 2)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, before)
        transcript.turn("After.")
        recorded(home, transcript, 6, AGAIN)
        eventually(lambda: "store-trouble" not in codes(home), AGAIN)


def test_it_ends_with_its_terminal(home):
    """Who closes the window of `memd run` ends it, although the signal for that is the one for fresh settings."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(MEMD[0], [*MEMD, "run"], os.environ)
    eventually((home.state / "memd.sock").exists)
    os.close(terminal)
    _, status = eventually(lambda: (found := os.waitpid(pid, os.WNOHANG))[0] and found)
    assert (os.waitstatus_to_exitcode(status), (home.state / "memd.sock").exists()) == (0, False)


FEW = 'echo %s > /proc/sys/user/max_inotify_%s && exec "$@"'


@pytest.mark.parametrize(
    ("what", "most", "said"), [("watches", 2, "too few inotify watches"), ("instances", 0, "inotify")]
)
def test_too_few_watches_are_told_and_nothing_is_missed(home, what, most, said):
    """The kernel's own limit, in a user namespace: status says so, and what is appended is read within two seconds."""
    transcripts = [home.transcript(f"5d1f0c1e-0000-4000-8000-0000000000e{n}", folder=f"-srv-{n}") for n in range(4)]
    for one in transcripts:
        one.turn("Before.")
    words = ["unshare", "-Ur", "sh", "-c", FEW % (most, what), "sh", *MEMD, "run"]
    with home.log.open("ab") as log:
        child = subprocess.Popen(words, env=os.environ, cwd=home.home, stdout=log, stderr=log)
    try:
        if child.poll() is not None or not eventually(lambda: home.asks(child) or child.poll() is not None):
            pytest.skip(f"no namespace can be made here: {home.log.read_text()}")
        for one in transcripts:
            recorded(home, one, 2)
        daemon = eventually(lambda: (found := home.asks(child))["watches"]["have"] < found["watches"]["want"] and found)
        assert [line for line in daemon["errors"] if said in line]
        for one in transcripts:
            one.turn("After.")
            recorded(home, one, 4, 10)
        assert "watches-short" in codes(home)
    finally:
        child.kill()
        child.wait(10)
