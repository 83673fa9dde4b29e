"""What the hook costs: its whole process, beside a bare start of the same interpreter.

Each round starts `python3 -I -S -c pass` once and the hook once for every case, through the same plumbing (payload in a
pipe, reply through a pipe, posix_spawn to waitpid), so that whatever the machine does meanwhile hits all alike. Every
reply is compared byte by byte with what was to come; a wrong one is counted and fails the run, none is left out.
The limits: 1.25 times a bare start, and for the four parts of a checkpoint at once 3 times one bare start; a machine
that cannot start four bare interpreters in that (`bare together`) is held to 1.25 times those.

By default a stand-in serves a made-up session: `--daemon` starts another command instead (with MEMD_SOCKET and
MEMD_STATE_DIR set), `--state` and `--session` point at a session that it knows; the first reply is then the measure.
"""

import argparse
import contextlib
import json
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HOOK = Path(__file__).parents[1] / "hooks" / "memd_hook.py"
LIMIT, TOGETHER_LIMIT = 1.25, 3.0
BYTES = 40_000
SESSION = "0b3c5a52-5a0e-4d0c-9a53-6b8f3a3f7c11"
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
    parser.add_argument("--hook", type=Path, default=HOOK, help="another script than the one in hooks/")
    parser.add_argument("--tool", default="claude-code")
    parser.add_argument("--daemon", help="a command that serves instead of the stand-in")
    parser.add_argument("--state", type=Path, help="a state directory that is there already")
    parser.add_argument("--session", default=SESSION, help="a session in it")


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
    document = {"benchmark": "hook", "python": options.python, "session": options.session, "wrong": wrong, "rows": rows}
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
    """A state directory with ready replies, a daemon to ask, and the processes that are measured."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.state = options.state or folder / "state"
        self.socket = folder / "memd.sock"
        self.served = folder / "served"
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith("MEMD_")}
        if options.state is None:
            make_texts(self.state, options.tool, options.session, self.served)

    def measure(self, mode: str) -> dict[str, dict[str, float | int]]:
        with self.daemon() if mode == "up" else contextlib.nullcontext():
            cases = {case: self.expected(case, mode) for case in (*PARTS, "PreCompact")}
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
        where = ["--socket", str(self.socket), "--state", str(self.state)]
        return [*python, str(self.options.hook), self.options.tool, *case.split(), *where]

    def payload(self, case: str) -> bytes:
        event = {
            "session_id": self.options.session,
            "transcript_path": f"/home/user/.claude/projects/-home-user-work/{self.options.session}.jsonl",
            "cwd": "/home/user/work",
            "hook_event_name": case.partition(" ")[0],
        }
        more = {"source": "compact"} if case.startswith("SessionStart") else {"trigger": "auto"}
        return json.dumps(event | more, separators=(",", ":")).encode()

    def expected(self, case: str, mode: str) -> bytes:
        if self.options.state:  # a real session: its first reply is what every later one has to be
            return finish(*start(self.command(case), self.environ, self.payload(case)))[1]
        name = case.replace("SessionStart ", "SessionStart.compact.")
        if mode == "up":
            return (self.served / f"{self.options.session}.{name}").read_bytes()
        return (ready(self.state, self.options.tool, self.options.session) / name).read_bytes()

    @contextlib.contextmanager
    def daemon(self) -> Iterator[None]:
        default = [sys.executable, "-m", "benchmarks.standin", str(self.served)]
        command = shlex.split(self.options.daemon) if self.options.daemon else default
        environ = os.environ | {"MEMD_SOCKET": str(self.socket), "MEMD_STATE_DIR": str(self.state)}
        with subprocess.Popen(command, env=environ, cwd=HOOK.parents[1]) as process:
            try:
                wait_for(self.socket, process)
                yield
            finally:
                process.terminate()
        self.socket.unlink(missing_ok=True)


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


def ready(state: Path, tool: str, session: str) -> Path:
    return state / "sessions" / tool / session / "ready"


def make_texts(state: Path, tool: str, session: str, served: Path) -> None:
    """Two checkpoints of 40 kB in four parts, one ready on disk and one for the daemon to serve."""
    disk = ready(state, tool, session)
    for folder, prefix, opening in ((disk, "", "disk"), (served, f"{session}.", "served")):
        folder.mkdir(parents=True)
        for number in range(1, 5):
            text = checkpoint_part(f"memd checkpoint 7, part {number} of 4 ({opening})\n", BYTES // 4)
            (folder / f"{prefix}SessionStart.compact.{number}").write_bytes(text)
        (folder / f"{prefix}PreCompact").write_bytes(checkpoint_part(f"Keep ({opening}): the mission.\n", 600))


def checkpoint_part(opening: str, size: int) -> bytes:
    """Text of exactly `size` bytes as a checkpoint has it: prose, paths, quoted words, some of them not in Latin."""
    line = "- [x] #{0} 2026-11-29 22:{1:02}Z human.typed | keep `src/app/{0}.py` as it is; 不要改动配置文件 (#{0}) 🌱\n"
    text, number = opening.encode(), 0
    while len(text) < size - 200:
        number += 1
        text += line.format(number, number % 60).encode()
    return text + b"." * (size - len(text) - 1) + b"\n"
