"""Programs of others that read the same transcripts, beside memd and `json.loads`: each as its users start it.

Those that can be installed here by name are measured: `ccusage` (npm) and `claude-code-log` (PyPI), each pinned, in a folder of
their own that is used again. The whole process is measured, start included, and memd's `ingest` likewise, which makes the
checkpoints too. docs/performance.md quotes those that were measured elsewhere.

    python -m benchmarks others [FOLDER]      a folder of Claude Code's transcripts; without one, made-up ones
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home
from benchmarks.outcome import Outcome, markdown

CCUSAGE, LOG = "18.0.11", "1.7.0"
TOOLS = (Path(__file__).parents[1] / ".clients" / "readers").resolve()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", help="a folder of Claude Code's transcripts (default: made-up ones)"
    )
    parser.add_argument("--megabytes", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)


def run(chosen: argparse.Namespace) -> Outcome:
    commands = {"ccusage " + CCUSAGE: ccusage(), "claude-code-log " + LOG: claude_code_log()}
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="memd-") as scratch:
        source = chosen.folder or made.folder(Path(scratch) / "made", chosen.megabytes * 2) / "claude-code"
        sizes = 0
        for number in range(chosen.rounds):
            home = Home(Path(scratch) / f"{number}")
            sizes = laid_out(source, home)
            memd = [sys.executable, "-m", "memd", "ingest", str(home.projects)]
            bare = [sys.executable, "-c", LOADS, str(home.projects)]
            for name, command in {"json.loads": bare, "memd ingest": memd, **commands}.items():
                if command:
                    times.setdefault(name, []).append(timed(command, home))
    middle = {name: round(statistics.median(values), 3) for name, values in times.items()}
    cells = [(name, f"{value:.2f} s", f"{value / middle['json.loads']:.1f}") for name, value in middle.items()]
    missing = [name for name, command in commands.items() if not command]
    document = {"megabytes": round(sizes / 1e6, 1), "seconds": middle, "missing": missing}
    lines = markdown(("program", "whole process", "times json.loads"), cells)
    return Outcome(document, [*lines, *(f"{name}: cannot be installed here" for name in missing)])


LOADS = """
import json, sys
from pathlib import Path
for path in Path(sys.argv[1]).rglob("*.jsonl"):
    for line in path.read_bytes().splitlines():
        json.loads(line)
"""


def laid_out(source: Path, home: Home) -> int:
    """The transcripts as the client has them, each once; their bytes."""
    found = {path.name: path for path in sorted(source.rglob("*.jsonl"))}
    for path in found.values():
        place = home.projects / path.parent.name / path.name
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, place)
    return sum(path.stat().st_size for path in found.values())


def timed(command: list[str], home: Home) -> float:
    begin = time.perf_counter()
    environ = home.environ() | {"CLAUDE_CONFIG_DIR": str(home.projects.parent)}
    subprocess.run(command, env=environ, cwd=Path(__file__).parents[1], check=True, capture_output=True)
    return time.perf_counter() - begin


def ccusage() -> list[str]:
    """The command, installed first if need be; nothing where it cannot be."""
    place = TOOLS / f"ccusage-{CCUSAGE}"
    command = place / "node_modules" / ".bin" / "ccusage"
    if not command.exists() and shutil.which("npm"):
        options = ["--prefix", str(place), "--no-audit", "--no-fund", "--no-save", "--no-package-lock"]
        subprocess.run(
            ["npm", "install", "--ignore-scripts", *options, f"ccusage@{CCUSAGE}"], check=False, capture_output=True
        )
    return [str(command), "daily", "--offline", "--json"] if command.exists() else []


def claude_code_log() -> list[str]:
    place = TOOLS / f"claude-code-log-{LOG}"
    command = place / "bin" / "claude-code-log"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=False, capture_output=True)
        pip = [str(place / "bin" / "pip"), "-q", "install", f"claude-code-log=={LOG}"]
        subprocess.run(pip, check=False, capture_output=True)
    return [str(command), "--all-projects", "--no-cache"] if command.exists() else []
