"""A daemon at rest over months of sessions, and `memd status` over them: processor, memory, time.

The daemon has 10,000 sessions in its record and 50,000 files below the roots that it watches. Once it has come to rest it is
looked at for a minute, beside an asyncio loop that does nothing and has the same modules imported: those that the daemon's own
interpreter names until then (`-X importtime`). `memd status` is started in turns with `python3 -c "import click, rich"` of the
same interpreter, both with their output in a pipe.

    python -m benchmarks idle [--sessions 10000] [--files 50000] [--seconds 60]
    python -m benchmarks idle --sessions 1000 --files 1000 --seconds 1      # memd status alone, nearly
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import many
from benchmarks.home import REPOSITORY, Home, Process, rest
from benchmarks.outcome import Outcome, Row

CPU, MEMORY, STATUS = 0.2, 1.5, 3.0
LOOP = """
import asyncio, contextlib, importlib, sys
for name in sys.argv[1:]:
    with contextlib.suppress(Exception):
        importlib.import_module(name)
asyncio.run(asyncio.sleep(100_000))
"""
IMPORTED = re.compile(r"^import time: .*\| +([\w.]+)$", re.MULTILINE)
BARE = [sys.executable, "-c", "import click, rich"]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=15, help="of memd status")


def run(options: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        many.sessions(home, options.sessions)
        many.old_files(home, options.files - options.sessions)
        document = {"sessions": options.sessions, "files": many.files_below(home.projects)}
        with home.daemon("-X", "importtime") as daemon:
            document |= {"settled_s": round(rest(daemon), 1)}
            modules = IMPORTED.findall(home.log.read_text("utf-8"))
            document |= {"modules": len(modules)} | at_rest(daemon, modules, options.seconds)
            document |= asked(home, options.runs)
    cpu = document["cpu_percent"] - document["loop_cpu_percent"]
    rows = (
        Row(
            f"idle daemon, {options.sessions:,} sessions, {options.files:,} files: processor",
            f"{document['cpu_percent']:.2f} % of a core over {options.seconds:.0f} s",
            f"an asyncio loop, the same imports: {document['loop_cpu_percent']:.2f} %",
            cpu,
            CPU,
            "% more",
        ),
        Row(
            "the same: memory",
            f"{document['rss_mb']:.0f} MB (at most {document['peak_mb']:.0f} at the start)",
            f"the same loop: {document['loop_rss_mb']:.0f} MB",
            document["rss_mb"] / document["loop_rss_mb"],
            MEMORY,
        ),
        Row(
            f"memd status, {options.sessions:,} sessions",
            f"{document['status_ms']:.0f} ms",
            f'python3 -c "import click, rich": {document["bare_ms"]:.0f} ms',
            document["status_ms"] / document["bare_ms"],
            STATUS,
        ),
    )
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], rows)


def at_rest(daemon: Process, modules: list[str], seconds: float) -> dict[str, float]:
    """The daemon and the bare loop with the modules over the same time."""
    with subprocess.Popen([sys.executable, "-c", LOOP, *modules], cwd=REPOSITORY) as child:
        try:
            loop = Process(child.pid)
            rest(loop)
            before = daemon.cpu(), loop.cpu()
            time.sleep(seconds)
            after = daemon.cpu(), loop.cpu()
            return {
                "cpu_percent": round(100 * (after[0] - before[0]) / seconds, 3),
                "loop_cpu_percent": round(100 * (after[1] - before[1]) / seconds, 3),
                "rss_mb": round(daemon.memory(), 1),
                "peak_mb": round(daemon.memory("VmHWM"), 1),
                "loop_rss_mb": round(loop.memory(), 1),
                "descriptors": daemon.descriptors(),
                "threads": daemon.threads(),
            }
        finally:
            child.terminate()


def asked(home: Home, runs: int) -> dict[str, float]:
    """`memd status` and the bare imports, in turns; medians in milliseconds."""
    status = [str(Path(sys.executable).parent / "memd"), "status"]
    times: dict[str, list[float]] = {"status_ms": [], "bare_ms": []}
    for _ in range(runs):
        for name, command in (("bare_ms", BARE), ("status_ms", status)):
            start = time.perf_counter()
            subprocess.run(command, env=home.environ(), cwd=home.home, check=True, stdout=subprocess.PIPE)
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: round(statistics.median(values), 1) for name, values in times.items()}
