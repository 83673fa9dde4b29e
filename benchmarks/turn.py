"""What a turn costs in a long session, and a compaction whose checkpoint is behind.

`refresh`: a turn is appended to a session of 1 MB and to one of 50 MB, read, and the checkpoint refreshed, in turns; medians
of the refresh. Its cost should follow what is new and not what is there.

`behind`: PreCompact and SessionStart(compact), each the whole process of the installed hook, once for a session whose
checkpoint is current and once for one that a turn was appended to the moment before. A daemon that has just started
answers, so that nothing is loaded or kept from before; each round has new sessions, since a compaction that follows
another closely gets the short form.

    python -m benchmarks turn [--large 50] [--rounds 15]
"""

import argparse
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home
from benchmarks.hook import finish, hook_command, payload, start
from benchmarks.outcome import Outcome, Row
from memd.config import Config
from memd.daemon.pipeline import Pipeline
from memd.daemon.setup.hook import refresh_hook
from memd.tools.claude_code import ClaudeCode

REFRESH, BEHIND = 1.5, 2.0
SMALL = 1_000_000
EVENTS = ("PreCompact", "SessionStart 1")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--large", type=int, default=50, help="megabytes of the large session (default 50)")
    parser.add_argument("--rounds", type=int, default=15)


def run(options: argparse.Namespace) -> Outcome:
    document = refreshed(options.large * 1_000_000, options.rounds) | behind(options.rounds)
    large, small = document["large_ms"], document["small_ms"]
    late, fresh = document["behind_ms"], document["fresh_ms"]
    rows = (
        Row(
            f"refresh after a turn, session of {options.large} MB",
            f"{large:.1f} ms",
            f"session of 1 MB: {small:.1f} ms",
            large / small,
            REFRESH,
        ),
        Row(
            "PreCompact, then SessionStart(compact), a turn behind",
            f"{late:.1f} ms",
            f"with a current checkpoint: {fresh:.1f} ms",
            late / fresh,
            BEHIND,
        ),
    )
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], rows)


def refreshed(large: int, rounds: int) -> dict[str, float]:
    """Medians in milliseconds."""
    times: dict[str, list[float]] = {"small_ms": [], "large_ms": []}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home, tool = Home(Path(folder)), ClaudeCode()
        with closing(Pipeline(Config(), home.paths, environ=home.environ())) as pipeline:
            cases = []
            for seed, (name, size) in enumerate((("small_ms", SMALL), ("large_ms", large))):
                session = made.Session(seed)
                path = made.grow(session, home.projects / "-home-user-work" / f"{session.id}.jsonl", size)
                recorded = pipeline.read_whole(tool, path) or ""
                pipeline.refresh(recorded, "turn")
                cases.append((name, session, path, recorded))
            for _ in range(rounds):
                for name, session, path, recorded in cases:
                    made.take_turn(session, path)
                    pipeline.read_whole(tool, path)
                    begin = time.perf_counter()
                    pipeline.refresh(recorded, "turn")
                    times[name].append((time.perf_counter() - begin) * 1000)
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def behind(rounds: int) -> dict[str, float]:
    """Medians in milliseconds of both hooks together."""
    times: dict[str, list[float]] = {"fresh_ms": [], "behind_ms": []}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        refresh_hook(home.paths)
        cases = [made.Session(seed) for seed in range(2 * rounds)]
        paths = [home.projects / "-home-user-work" / f"{session.id}.jsonl" for session in cases]
        for session, path in zip(cases, paths, strict=True):
            made.grow(session, path, SMALL)
        home.memd("ingest", str(home.projects))
        for number, (session, path) in enumerate(zip(cases, paths, strict=True)):
            with home.daemon():
                time.sleep(2)  # its own start is another matter
                if number % 2:
                    made.take_turn(session, path)
                times["behind_ms" if number % 2 else "fresh_ms"].append(compaction(home, session.id, path))
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def compaction(home: Home, session: str, path: Path) -> float:
    """Milliseconds of the hooks of a compaction, one after the other."""
    taken = 0.0
    for case in EVENTS:
        command, said = hook_command(home, case), payload(case, session, path)
        begin = time.perf_counter()
        _, reply = finish(*start(command, home.hook_environ, said))
        taken += (time.perf_counter() - begin) * 1000
        if not reply:
            raise SystemExit(f"{case}: no reply")
    return taken
