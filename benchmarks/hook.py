"""What the hook costs: its whole process, beside a bare start of the same interpreter.

Each round starts `python3 -I -S -c pass` once and the hook once for every case, through the same plumbing (payload in a
pipe, reply through a pipe, posix_spawn to waitpid), so that whatever the machine does meanwhile hits all alike. Every
reply is compared byte by byte with what was to come; a wrong one is counted and fails the run, none is left out.
The limits: 1.25 times a bare start, and for the four parts of a checkpoint at once 3 times one bare start; a machine
that cannot start four bare interpreters in that (`bare together`) is held to 1.25 times those.

All of it is real: a made-up session, its transcript read by `memd ingest`, the hook as `memd install` puts it, `memd run` to ask.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import session
from benchmarks.session import SESSION
from memd.config import paths
from memd.daemon.setup.hook import refresh_hook, start_path

REPOSITORY = Path(__file__).parents[1]
TOOL = "claude-code"
LIMIT, TOGETHER_LIMIT = 1.25, 3.0
PARTS = ("SessionStart 1", "SessionStart 2", "SessionStart 3", "SessionStart 4")


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
    parser.add_argument("--python", default=os.path.realpath(sys._base_executable), help="the base interpreter")  # noqa: SLF001 - nothing public tells it
    parser.add_argument("--hook", type=Path, help="another script than the installed one")
    parser.add_argument("--turns", type=int, default=80, help="turns of the session, so that its checkpoint has 40 kB")


def run(options: argparse.Namespace) -> tuple[dict[str, object], list[str], list[str]]:
    rows: dict[str, dict[str, float | int]] = {}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        bench = Bench(options, Path(folder))
        for mode in ("up", "down"):
            rows |= bench.measure(mode)
    over = [
        f"{name}: {row['ratio']} > {limit(name, rows)}"
        for name, row in rows.items()
        if row["ratio"] > limit(name, rows)
    ]
    wrong = sum(int(row["wrong"]) for row in rows.values())
    document = {"benchmark": "hook", "python": options.python, "wrong": wrong, "rows": rows}
    return document, table(rows), over + ([f"{wrong} wrong replies"] if wrong else [])


def limit(name: str, rows: dict[str, dict[str, float | int]]) -> float:
    mode, _, case = name.partition(": ")
    if case == "bare together":
        return float("inf")  # the machine's own measure
    return max(TOGETHER_LIMIT, LIMIT * rows[f"{mode}: bare together"]["ratio"]) if "together" in case else LIMIT


def table(rows: dict[str, dict[str, float | int]]) -> list[str]:
    heads = list(next(iter(rows.values())))
    lines = [f"{'':32}" + "".join(f"{head:>11}" for head in heads)]
    return lines + [f"{name:32}" + "".join(f"{row[head]:>11}" for head in heads) for name, row in rows.items()]


class Bench:
    """A home with a real session, its checkpoint ready, the installed hook, a daemon to ask, and what is measured."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.home, self.state, self.socket = folder / "home", folder / "state", folder / "memd.sock"
        self.up = False
        self.nowhere = folder / "nowhere"
        self.transcript = self.home / ".claude" / "projects" / "-home-user-work" / f"{SESSION}.jsonl"
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith(("MEMD_", "XDG_", "CLAUDE"))}
        self.environ |= {"HOME": str(self.home)}
        places = paths({"MEMD_STATE_DIR": str(self.state), "MEMD_SOCKET": str(self.socket)})
        self.paths = replace(places, data=folder / "data")
        refresh_hook(self.paths)
        session.write(self.transcript, options.turns)
        self.memd("ingest", str(self.transcript))

    def memd(self, *words: str) -> None:
        subprocess.run([sys.executable, "-m", "memd", *words], env=self.own(), cwd=REPOSITORY, check=True)

    def own(self) -> dict[str, str]:
        """The environment of memd's own commands: the hook's has nothing of it, its arguments say all."""
        return self.environ | {"MEMD_SOCKET": str(self.socket), "MEMD_STATE_DIR": str(self.state)}

    def measure(self, mode: str) -> dict[str, dict[str, float | int]]:
        with self.daemon() if mode == "up" else contextlib.nullcontext():
            time.sleep(1)  # the daemon's own start is another matter
            cases = {case: self.expected(case) for case in (*PARTS, "PreCompact")}
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
        self.once(series["bare together"], dict.fromkeys(" " * n for n in range(4)))
        self.once(series["parts together"], {part: cases[part] for part in PARTS})

    def once(self, series: Series, cases: dict[str, bytes | None]) -> None:
        """Starts all `cases` at once and notes the time until the last has ended."""
        prepared = [(self.command(case), self.payload(case), text or b"") for case, text in cases.items()]
        begin = time.perf_counter_ns()
        started = [start(command, self.environ, payload) for command, payload, _ in prepared]
        replies = [finish(*one) for one in started]
        series.times.append((time.perf_counter_ns() - begin) / 1e6)
        series.wrong += sum(reply != (0, text) for reply, (_, _, text) in zip(replies, prepared, strict=True))

    def command(self, case: str) -> list[str]:
        python = [self.options.python, "-I", "-S"]
        if not case.strip():
            return [*python, "-c", "pass"]
        state = self.nowhere if self.up else self.state  # a reply from the disk while the daemon is up is a wrong one
        where = ["--socket", str(self.socket), "--state", str(state)]
        script = self.options.hook or start_path(self.paths)
        return [*python, str(script), TOOL, *case.split(), *where]

    def payload(self, case: str) -> bytes:
        event = {
            "session_id": SESSION,
            "transcript_path": str(self.transcript),
            "cwd": "/home/user/work",
            "hook_event_name": case.partition(" ")[0],
        }
        more = {"source": "compact"} if case.startswith("SessionStart") else {"trigger": "auto"}
        return json.dumps(event | more, separators=(",", ":")).encode()

    def expected(self, case: str) -> bytes:
        name = case.replace("SessionStart ", "SessionStart.compact.")
        path = self.state / "sessions" / TOOL / SESSION / "ready" / name
        return path.read_bytes() if path.exists() else b""

    @contextlib.contextmanager
    def daemon(self) -> Iterator[None]:
        self.up = True
        with subprocess.Popen([sys.executable, "-m", "memd", "run"], env=self.own(), cwd=REPOSITORY) as process:
            try:
                wait_for(self.socket, process)
                yield
            finally:
                process.terminate()
                self.up = False


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


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(OSError):
            peer.connect(str(path))
            return
        time.sleep(0.02)
    raise SystemExit(f"no daemon listens at {path} (its exit code: {process.poll()})")
