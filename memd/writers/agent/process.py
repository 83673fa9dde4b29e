"""A child that cannot outlive its time: a group of its own, killed as a whole, its output in files.

Output goes to files and not to pipes: a grandchild that keeps a pipe open would keep us waiting when the child itself is gone.
"""

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from msgspec import Struct

MOST = 4 << 20
"""Bytes of output that are read, from its end."""
GRACE = 3.0
"""Seconds between the request to end and the end."""


class Ended(Struct, frozen=True):
    """How it ended; `code` is None where its time was over."""

    code: int | None
    out: bytes
    err: bytes


class Children:
    """The children that run now, so that all can be ended at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def run(self, command: Sequence[str], environ: Mapping[str, str], cwd: Path, stdin: bytes, seconds: float) -> Ended:
        """Run a command to its end, or to the end of its time.

        Raises:
            OSError: it cannot be started; InterruptedError: all were ended.
        """
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            child = self._start(command, environ, cwd, (given, out, err))
            try:
                code: int | None = child.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(child)
                with self._lock:
                    self._running.discard(child)
            return Ended(code, _tail(out), _tail(err))

    def _start(
        self, command: Sequence[str], environ: Mapping[str, str], cwd: Path, files: tuple[IO[bytes], ...]
    ) -> subprocess.Popen[bytes]:
        given, out, err = files
        with self._lock:
            if self._closed:
                raise InterruptedError("memd is ending")
            child = subprocess.Popen(
                command, env=environ, cwd=cwd, stdin=given, stdout=out, stderr=err, start_new_session=True
            )
            self._running.add(child)
            return child

    def close(self) -> None:
        """End all that run, and start none any more."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for child in running:
            _signal(child, signal.SIGKILL)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End what is left of a group: ask, wait a moment, kill; what the child started goes with it."""
    if child.poll() is None:
        _signal(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
    _signal(child, signal.SIGKILL)
    child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _tail(file: IO[bytes]) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - MOST))
    return file.read()
