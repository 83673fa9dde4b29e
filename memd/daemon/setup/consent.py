"""Trust in memd's hooks, where a tool asks for it: given on the person's word, or only looked at.

The tool's own program does both; here it is started, spoken to and ended. What it writes at our word into the tool's files is
noted in the ledger, so that uninstalling takes it back.
"""

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memd.config import Paths
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.settings import Planned
from memd.daemon.setup.trouble import refused
from memd.errors import Refused
from memd.tools.installing import Plan, Trust
from memd.tools.protocol import Tool

ASKED = frozenset({"untrusted", "modified", "skipped", "disabled"})
"""The faults on which the tool has the last word; with any other its answer would be about something else."""
PATIENCE = 20.0
"""Seconds for a whole dialogue; it takes less than one."""
_WRITING = b"\x00"
"""Nobody's content: what the ledger knows of a file while the tool writes it."""


def look(paths: Paths, trust: Trust, home: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What the tool says of our hooks, in the words of `Tool.installed`. Raises Refused where it cannot be asked."""
    return _converse(paths, trust, home, environ, grant=False)


def give(paths: Paths, tool: Tool, trust: Trust, home: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Make the tool trust our hooks; what it says of them afterwards. Raises Refused where it cannot be asked."""
    _program(trust, home, environ)
    written = tool.files(home)[1:]
    before = settings.read(tool.files(home))
    known = record = ledger.read(paths)
    modes = {path: settings.mode_of(path) for path in written}
    planned = Planned(tool, home, before, ())
    for path in written:
        record = settings.noted(planned, Plan(path, before[path], _WRITING, what=trust.what), record, modes[path])
    with refused(paths.state, "written"):
        ledger.write(paths, record)
    try:
        return _converse(paths, trust, home, environ, grant=True)
    finally:
        after = settings.read(written)
        for path in written:
            if after[path] != before[path]:
                entry = replace(record.files[str(path)], sha256=ledger.digest(after[path] or b""))
                known = known.with_file(path, entry)
        with refused(paths.state, "written"):
            ledger.write(paths, known)


def _converse(paths: Paths, trust: Trust, home: Path, environ: Mapping[str, str], *, grant: bool) -> tuple[str, ...]:
    talk = trust.talk(home, hook.command(paths), grant=grant)
    with _started(trust, home, environ) as peer:
        try:
            message = next(talk)
            while True:
                message = talk.send(peer.ask(message))
        except StopIteration as done:
            found: tuple[str, ...] | None = done.value
    if found is None:
        raise Refused(
            f"`{Path(trust.program(home, environ)[0][0]).name}` does not know the question: it may be too old"
        )
    return found


def _program(trust: Trust, home: Path, environ: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    argv, extra = trust.program(home, environ)
    program = shutil.which(argv[0], path=environ.get("PATH"))
    if program is None:
        raise Refused(f"`{argv[0]}` is not on the PATH")
    return [program, *argv[1:]], {**environ, **extra}


@contextmanager
def _started(trust: Trust, home: Path, environ: Mapping[str, str]) -> Iterator["_Peer"]:
    argv, env = _program(trust, home, environ)
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with refused(Path(argv[0]), "started"):
        process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=null, env=env, cwd=home, bufsize=0)
    with process:
        try:
            yield _Peer(process, Path(argv[0]).name, time.monotonic() + PATIENCE)
            if process.stdin:
                process.stdin.close()  # it ends by itself when nobody speaks any more
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
        finally:
            process.kill()


class _Peer:
    """The other side: a message a line, out and in."""

    def __init__(self, process: "subprocess.Popen[bytes]", name: str, end: float) -> None:
        self._process = process
        self._name = name
        self._end = end
        self._read = b""

    def ask(self, message: Mapping[str, Any]) -> Any:
        """Send it; the `result` of the answer where there will be one, None for an error. What else is told is passed over."""
        try:
            os.write(self._process.stdin.fileno(), json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
        except BrokenPipeError as error:
            raise self._silent() from error
        while "id" in message:
            answer = self._message()
            if answer.get("id") == message["id"] and "method" not in answer:
                return answer.get("result")
        return None

    def _message(self) -> dict[str, Any]:
        while b"\n" not in self._read:
            out = self._process.stdout.fileno()  # type: ignore[union-attr]
            ready, _, _ = select.select([out], [], [], max(self._end - time.monotonic(), 0.0))
            chunk = os.read(out, 2**16) if ready else b""
            if not chunk:
                raise self._silent()
            self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return message if isinstance(message, dict) else {}

    def _silent(self) -> Refused:
        return Refused(f"`{self._name}` gave no answer")
