"""The installed hook, really run once: what a tool will run, with an event that means nothing.

The command is the one in the tool's settings, but for its safety net (`2>/dev/null || :`), which would hide what is
wrong. The hook also asks the daemon for a sign of life, on the way that every event takes.
"""

import json
import subprocess
import time
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memd.config import Paths
from memd.daemon.setup import hook
from memd.tools.installing import HookEntry

PATIENCE = 10.0
NO_EVENT = b"{}"


class Proof(Struct, frozen=True):
    """How the run went."""

    exit_code: int
    said: str
    """Its last line on stderr, where it failed."""
    seconds: float


def prove(paths: Paths, tool: str, entry: HookEntry, environ: Mapping[str, str]) -> Proof:
    """Run the hook for one of the tool's entries."""
    words = [tool, entry.event, *([] if entry.part is None else [str(entry.part)])]
    start = time.monotonic()
    done = _run(paths, words, environ)
    seconds = time.monotonic() - start
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Proof(done.returncode, said[-1] if said else "", seconds)


def ping(paths: Paths, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The daemon's answer through the hook; None when there is none."""
    try:
        answer = json.loads(_run(paths, ["memd", "ping"], environ).stdout)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _run(paths: Paths, words: list[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    command = hook.command(paths)
    arguments = [*command[:4], *words, *command[4:]]
    try:
        return subprocess.run(
            arguments, input=NO_EVENT, env=dict(environ), capture_output=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 127, b"", str(error).encode())
