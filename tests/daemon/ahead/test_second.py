"""The second process itself: what it inherits and imports, and when it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memd.daemon import child, life
from memd.daemon.parsing import Ask, Parsed
from memd.daemon.second import Ended, GoOn


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_dies_with_its_parent():
    """Also where the parent is killed: its input ends."""
    program = "import sys, time; from memd.daemon.child import Child; one = Child(); print(one.pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        parent.kill()
    end = time.monotonic() + 10
    while running(pid):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_step_without_end_ends_it(monkeypatch):
    """By its own clock, whether anybody waits for it or not."""
    program = (
        "import sys; sys.path[:] = sys.argv[1:]; from memd.daemon import second; second.PATIENCE = 0.2;"
        "second.parse = lambda ask: [None for _ in iter(int, 1)]; second.main()"
    )
    monkeypatch.setattr(child, "_PROGRAM", program)
    with child.Child() as one:
        one.send(Ask("claude-code", "/nowhere", "/nowhere"))
        with pytest.raises(EOFError, match=f"-{signal.SIGALRM.value}"):
            one.receive()


def test_it_has_no_environment_and_no_descriptors(tmp_path):
    """It inherits no socket, no open record and no variable."""
    with open(tmp_path / "held", "wb"), child.Child() as one:
        one.send(GoOn())
        one.receive()
        held = {os.readlink(f"/proc/{one.pid}/fd/{name}") for name in os.listdir(f"/proc/{one.pid}/fd")}
        assert {name.partition(":")[0] for name in held} == {"pipe", "/dev/null"}
        assert Path(f"/proc/{one.pid}/environ").read_bytes() == b""


def test_it_imports_only_what_reading_needs():
    """No database, no tokenizer, no log: memory is what it costs."""
    program = child._PROGRAM.replace("main()", "print(*(name for name, module in sys.modules.items() if module))")
    command = [sys.executable, "-I", "-S", "-c", program, *sys.path]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "memd.daemon.second" in loaded
    assert not {"sqlite3", "tiktoken", "structlog", "asyncio", "click", "pydantic", "socket", "subprocess"} & {*loaded}
    assert not {"typing_extensions", "inspect", "ast", "tokenize"} & {*loaded}  # half a step's time


def test_a_python_that_has_its_hashes_from_openssl_alone_will_do(monkeypatch):
    """As enterprise systems build it (`--with-builtin-hashlib-hashes=blake2`): to start without OpenSSL only saves time."""
    missing = (
        "import sys; sys.modules.update(dict.fromkeys(('_md5', '_sha1', '_sha2', '_sha256', '_sha512', '_sha3')))\n"
    )
    monkeypatch.setattr(child, "_PROGRAM", missing + child._PROGRAM)
    with child.Child() as one:
        one.send(GoOn())
        assert one.receive()[0] == Ended()


def test_a_large_request_and_a_large_answer_do_not_wait_for_each_other(transcript):
    """Both sides write more than a pipe holds."""
    ask = Ask("claude-code", str(transcript.path), "/nowhere", limit=1 << 20, places={"x" * 100_000: "y" * 3_000_000})
    with child.Child() as one:
        for _ in range(4):
            one.send(ask)
        answers = [one.receive()[0] for _ in range(4)]
    assert [len([e for e in a.events if hasattr(e, "text")]) for a in answers if isinstance(a, Parsed)] == [120] * 4


def test_it_ends_when_nothing_is_to_be_done(owner, transcript, monkeypatch):
    """An idle daemon has no child."""
    monkeypatch.setattr(life, "IDLE", 0.05)
    owner.give(transcript.path)
    second = owner.ahead._second
    owner.settle(transcript.path)
    second.join(10)
    assert (second.is_alive(), second._child._child.returncode) == (False, 0)
