"""What the hook costs: its whole process, beside a bare start of the same interpreter.

Each round starts `python3 -I -S -c pass` once and the hook once for every case, through the same plumbing (payload in a
pipe, reply through a pipe, posix_spawn to waitpid), so that whatever the machine does meanwhile hits all alike. Every
reply is compared byte by byte with what was to come; a wrong one is counted and fails the run, none is left out.
The limits: 1.25 times a bare start, and for the four parts of a checkpoint at once 3 times one bare start; a machine
that cannot start four bare interpreters in that (`bare together`) is held to 1.25 times those.

All of it is real: a made-up session, its transcript read by `memd ingest`, a thousand others in the record, the hook as
`memd install` puts it, `memd run` to ask.

    python -m benchmarks hook [--runs 200] [--sessions 1000]
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import many, session
from benchmarks.home import Home
from benchmarks.outcome import Outcome, Row
from benchmarks.session import SESSION
from memd.daemon.setup.hook import refresh_hook, start_path
from memd.tools.claude_code.install import ENTRIES

TOOL = "claude-code"
PYTHON = os.path.realpath(sys._base_executable)  # noqa: SLF001 - nothing public tells it
LIMIT, TOGETHER_LIMIT = 1.25, 3.0
PARTS = ("SessionStart 1", "SessionStart 2", "SessionStart 3", "SessionStart 4")
OTHERS = tuple(dict.fromkeys(entry.event for entry in ENTRIES if entry.event != "SessionStart"))
MORE = {
    "SessionStart": {"source": "compact"},
    "PreCompact": {"trigger": "auto"},
    "UserPromptSubmit": {"prompt": "go on"},
    "PreToolUse": {"tool_name": "Read", "tool_input": {"file_path": "/home/user/work/other.py"}},
    "SessionEnd": {"reason": "other"},
}
"""What a payload has beside the fields of every event."""


@dataclass
class Series:
    """The times of one case in milliseconds, and how many of its replies were not the right one."""

    times: list[float] = field(default_factory=list)
    wrong: int = 0
    size: int = 0

    def row(self, bare: float) -> dict[str, float | int]:
        times = sorted(self.times)
        median = statistics.median(times)
        return {
            "runs": len(times),
            "wrong": self.wrong,
            "bytes": self.size,
            "median_ms": round(median, 3),
            "p95_ms": round(times[int(len(times) * 0.95)], 3),
            "min_ms": round(times[0], 3),
            "ratio": round(median / bare, 3),
        }


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=200, help="runs of each case (default 200)")
    parser.add_argument("--python", default=PYTHON, help="the base interpreter")
    parser.add_argument("--hook", type=Path, help="another script than the installed one")
    parser.add_argument("--turns", type=int, default=80, help="turns of the session, so that its checkpoint has 40 kB")
    parser.add_argument("--sessions", type=int, default=1_000, help="other sessions in the record")


def run(options: argparse.Namespace) -> Outcome:
    series: dict[str, dict[str, float | int]] = {}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        bench = Bench(options, Path(folder))
        for mode in ("up", "down"):
            series |= bench.measure(mode)
    wrong = sum(int(row["wrong"]) for row in series.values())
    document = {"interpreter": options.python, "sessions": options.sessions, "wrong": wrong, "series": series}
    return Outcome(document, table(series), judged(series, options.sessions))


def judged(series: dict[str, dict[str, float | int]], sessions: int) -> list[Row]:
    """The slowest event, and the parts together, with and without a daemon; and those beside as many bare interpreters."""
    rows = []
    for mode in ("up", "down"):
        bare, together = series[f"{mode}: bare"], series[f"{mode}: bare together"]
        slowest = max((*PARTS, *OTHERS), key=lambda case: series[f"{mode}: {case}"]["median_ms"])
        one, parts = series[f"{mode}: {slowest}"], series[f"{mode}: parts together"]
        what = f"hook, slowest event ({slowest}), {sessions:,} sessions, daemon {mode}"
        reference = f"python3 -I -S -c pass: {bare['median_ms']:.2f} ms"
        rows.append(Row(what, f"{one['median_ms']:.2f} ms", reference, float(one["ratio"]), LIMIT))
        what = f"four parts of SessionStart(compact) at once, daemon {mode}"
        beside = f"one bare: {bare['median_ms']:.2f} ms (four at once: {together['median_ms']:.2f} ms)"
        rows.append(Row(what, f"{parts['median_ms']:.2f} ms", beside, float(parts["ratio"]), TOGETHER_LIMIT))
    return rows


def table(series: dict[str, dict[str, float | int]]) -> list[str]:
    heads = list(next(iter(series.values())))
    lines = [f"{'':32}" + "".join(f"{head:>11}" for head in heads)]
    return lines + [f"{name:32}" + "".join(f"{row[head]:>11}" for head in heads) for name, row in series.items()]


class Bench:
    """A home with a real session, its checkpoint ready, the installed hook, a daemon to ask, and what is measured."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.home = Home(folder)
        self.up = False
        self.nowhere = folder / "nowhere"
        self.transcript = self.home.projects / "-home-user-work" / f"{SESSION}.jsonl"
        refresh_hook(self.home.paths)
        many.sessions(self.home, options.sessions)
        session.write(self.transcript, options.turns)
        self.home.memd("ingest", str(self.transcript))

    def measure(self, mode: str) -> dict[str, dict[str, float | int]]:
        with self.home.daemon() if mode == "up" else contextlib.nullcontext():
            self.up = mode == "up"
            time.sleep(5)  # the daemon's own start is another matter
            cases = {case: self.expected(case) for case in (*PARTS, *OTHERS)}
            series = {name: Series() for name in ("bare", *cases, "bare together", "parts together")}
            for _ in range(self.options.runs):
                self.round(cases, series)
        for case, text in cases.items():
            series[case].size = len(text)
        series["parts together"].size = sum(len(cases[part]) for part in PARTS)
        bare = statistics.median(series["bare"].times)
        return {f"{mode}: {name}": one.row(bare) for name, one in series.items()}

    def round(self, cases: dict[str, bytes], series: dict[str, Series]) -> None:
        self.once(series["bare"], {"": b""})
        for case, text in cases.items():
            self.once(series[case], {case: text})
        self.once(series["bare together"], dict.fromkeys((" " * n for n in range(4)), b""))
        self.once(series["parts together"], {part: cases[part] for part in PARTS})

    def once(self, series: Series, cases: dict[str, bytes]) -> None:
        """Starts all `cases` at once and notes the time until the last has ended."""
        prepared = [(self.command(case), self.payload(case), text) for case, text in cases.items()]
        begin = time.perf_counter_ns()
        started = [start(command, self.home.hook_environ, said) for command, said, _ in prepared]
        replies = [finish(*one) for one in started]
        series.times.append((time.perf_counter_ns() - begin) / 1e6)
        series.wrong += sum(reply != (0, text) for reply, (_, _, text) in zip(replies, prepared, strict=True))

    def command(self, case: str) -> list[str]:
        if not case.strip():
            return [self.options.python, "-I", "-S", "-c", "pass"]
        state = self.nowhere if self.up else self.home.state  # the disk's reply while the daemon is up is a wrong one
        return hook_command(self.home, case, state=state, script=self.options.hook, python=self.options.python)

    def payload(self, case: str) -> bytes:
        return payload(case, SESSION, self.transcript) if case.strip() else b""

    def expected(self, case: str) -> bytes:
        name = case.replace("SessionStart ", "SessionStart.compact.")
        path = self.home.state / "sessions" / TOOL / SESSION / "ready" / name
        return path.read_bytes() if path.exists() else b""


def hook_command(
    home: Home, case: str, *, state: Path | None = None, script: Path | None = None, python: str = PYTHON
) -> list[str]:
    """The installed hook for an event, as `EVENT` or `EVENT PART`."""
    where = ["--socket", str(home.socket), "--state", str(state or home.state)]
    return [python, "-I", "-S", str(script or start_path(home.paths)), TOOL, *case.split(), *where]


def payload(case: str, native: str, transcript: Path) -> bytes:
    """What the client writes to a hook of that event."""
    name = case.partition(" ")[0]
    event = {
        "session_id": native,
        "transcript_path": str(transcript),
        "cwd": "/home/user/work",
        "hook_event_name": name,
    }
    return json.dumps(event | MORE[name], separators=(",", ":")).encode()


def start(command: list[str], environ: dict[str, str], payload: bytes) -> tuple[int, int]:
    """Gives (process id, descriptor of its output); the payload fits a pipe's buffer and is there from the start."""
    stdin, payload_end = os.pipe()
    output, stdout = os.pipe()
    os.write(payload_end, payload)
    os.close(payload_end)
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)]
    pid = os.posix_spawn(command[0], command, environ, file_actions=actions)
    os.close(stdin)
    os.close(stdout)
    return pid, output


def finish(pid: int, output: int) -> tuple[int, bytes]:
    """Gives (wait status, whole output)."""
    chunks = []
    while chunk := os.read(output, 2**16):
        chunks.append(chunk)
    os.close(output)
    return os.waitpid(pid, 0)[1], b"".join(chunks)
