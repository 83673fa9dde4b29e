"""The second process as its parent has it: started, spoken to, ended."""

import fcntl
import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import Self

from msgspec import msgpack

from memd import __version__
from memd.daemon.second import PATIENCE, Answer, Hello, Request, framed, length

_PROGRAM = """
import gc, sys
gc.disable()
sys.path[:] = sys.argv[1:]
sys.modules["typing_extensions"] = None  # not to be found: msgspec takes what it needs from there or from typing
sys.modules["_hashlib"] = None  # nor this: hashlib has its hashes without OpenSSL
try:
    from hashlib import blake2b, sha256
    blake2b(), sha256()
except (ImportError, ValueError):  # but where Python was built without them
    del sys.modules["hashlib"], sys.modules["_hashlib"]
from memd.daemon.second import main
gc.freeze()
gc.enable()
main()
"""
"""Importing `typing_extensions` takes 6 ms, half a step: what tells of Python's own code comes with it. OpenSSL takes 1.5 ms,
and to look for garbage among what stays for ever 2."""
_HEAD = 4
_SLACK = 5.0
"""Seconds more than the child has by its own clock, which does not run while it is stopped."""
_READ, _LEAST = 1 << 20, 1 << 18
"""With most answers the length comes in one: between two reads the thread waits for the interpreter."""
_GRACE = 1.0
"""Seconds for the child to see that its input ended."""
_HELLO: msgpack.Decoder[Hello] = msgpack.Decoder(Hello)
_ANSWER: msgpack.Decoder[Answer] = msgpack.Decoder(Answer)


class Child:
    """One process, from its start to its end; its owner is one thread, but for `kill`.

    It is started without an environment and with no descriptors but its two pipes, and finds its modules where this process
    finds them. All errors (OSError, EOFError, ValueError, msgspec's) mean that it is of no use any more.
    """

    def __init__(self) -> None:
        path = [entry or os.getcwd() for entry in sys.path]  # noqa: PTH109 - a text is needed
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _PROGRAM, *path]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            bufsize=0,
        )
        assert self._child.stdin is not None  # noqa: S101 - for the type checker
        assert self._child.stdout is not None  # noqa: S101
        self._to, self._from = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._to, False)
        _widen(self._from)
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self._came = bytearray()
        self._greeted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Its input ends, and so does it; a moment later at the latest."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        self._ended()

    def _why(self) -> str:
        return f"it has ended ({self._ended()})"

    def _ended(self) -> int:
        """Its exit code, soon."""
        try:
            return self._child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()

    @property
    def pid(self) -> int:
        return self._child.pid

    def kill(self) -> None:
        """From any thread."""
        self._child.kill()

    def send(self, request: Request) -> None:
        """Ask for a step; what it answers meanwhile is taken in, so that neither waits for the other."""
        data, end = memoryview(framed(request)), time.monotonic() + PATIENCE + _SLACK
        try:
            while data:
                if self._wait(end, writing=True):
                    data = data[os.write(self._to, data) :]
        except BrokenPipeError:
            raise EOFError(self._why()) from None

    def receive(self) -> tuple[Answer, int]:
        """The next answer, and its bytes."""
        if not self._greeted:
            self._greeted, hello = True, _HELLO.decode(self._message())
            if hello.version != __version__:
                raise ValueError(
                    f"it is memd {hello.version}, this one is {__version__}: the daemon has to be started again"
                )
        data = self._message()
        return _ANSWER.decode(data), len(data)

    def _message(self) -> bytes:
        end = time.monotonic() + PATIENCE + _SLACK
        size = length(self._bytes(_HEAD, end))
        return self._bytes(size, end)

    def _bytes(self, count: int, end: float) -> bytes:
        while (missing := count - len(self._came)) > 0:
            self._wait(end, missing)
        with memoryview(self._came) as came:
            data = bytes(came[:count])
        del self._came[:count]
        return data

    def _wait(self, end: float, missing: int = _READ, *, writing: bool = False) -> bool:
        """Wait for bytes, and take them in, or for room to write: whether there is."""
        if writing:
            self._poll.register(self._to, select.POLLOUT)
        ready = dict(self._poll.poll(max(0.0, end - time.monotonic()) * 1000))
        if writing:
            self._poll.unregister(self._to)
        if not ready:
            raise TimeoutError(f"it has not answered within {PATIENCE + _SLACK:.0f} s")
        if self._from in ready:
            data = os.read(self._from, max(missing, _LEAST))
            if not data:
                raise EOFError(self._why())
            self._came += data
        return self._to in ready


def _widen(pipe: int) -> None:
    """Have room for whole answers, where the system has such a call: the child goes on while nobody looks."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # what a user's pipes may hold together is bounded
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _READ)
