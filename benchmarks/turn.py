"""What a turn costs in a long session, and a compaction whose checkpoint is behind.

`refresh`: a turn is appended to a session of 1 MB and to one of 50 MB, read, and the checkpoint refreshed, in turns; medians
of the refresh. Its cost should follow what is new and not what is there.

`behind`: PreCompact and SessionStart(compact), each the whole process of the installed hook, once for a session whose
checkpoint is current and once for one that a turn was appended to the moment before, in turns. It is asked of two daemons:
one that has just started, about the session that was at work when it did (all that was written until then is recorded and in the
checkpoint), and one at work, which followed the session through the turn before: that is recorded and in it too. Each time
a session of its own, since a compaction that follows another closely gets the short form.

    python -m benchmarks turn [--large 50] [--rounds 25]
"""

import argparse
import statistics
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home
from benchmarks.hook import finish, hook_command, payload, start
from benchmarks.outcome import Outcome, Row
from memd.config import Config
from memd.daemon.pipeline import Pipeline
from memd.daemon.setup.hook import refresh_hook
from memd.store import Store
from memd.tools.claude_code import ClaudeCode

REFRESH, BEHIND = 1.5, 2.0
SMALL = 1_000_000
DAEMONS = {"started": "a daemon that has just started", "at_work": "a daemon at work"}
"""What is asked, the later after the earlier: one that has just started knows nothing yet."""
EVENTS = ("PreCompact", "SessionStart 1")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--large", type=int, default=50, help="megabytes of the large session (default 50)")
    parser.add_argument("--rounds", type=int, default=25)


def run(options: argparse.Namespace) -> Outcome:
    document = refreshed(options.large * 1_000_000, options.rounds) | behind(options.rounds)
    large, small = document["large_ms"], document["small_ms"]
    rows = (
        Row(
            f"refresh after a turn, session of {options.large} MB",
            f"{large:.1f} ms",
            f"session of 1 MB: {small:.1f} ms",
            large / small,
            REFRESH,
        ),
        *(_late(daemon, document) for daemon in DAEMONS),
    )
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], rows)


def _late(daemon: str, document: dict[str, float]) -> Row:
    late, current = document[f"{daemon}_behind_ms"], document[f"{daemon}_current_ms"]
    return Row(
        f"PreCompact, then SessionStart(compact), a turn behind, {DAEMONS[daemon]}",
        f"{late:.1f} ms",
        f"with a current checkpoint: {current:.1f} ms",
        late / current,
        BEHIND,
    )


def refreshed(large: int, rounds: int) -> dict[str, float]:
    """Medians in milliseconds."""
    times: dict[str, list[float]] = {"small_ms": [], "large_ms": []}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home, tool = Home(Path(folder)), ClaudeCode()
        with closing(Pipeline(Config(), home.paths, environ=home.environ())) as pipeline:
            cases = []
            for seed, (name, size) in enumerate((("small_ms", SMALL), ("large_ms", large))):
                session = made.Session(seed)
                path = made.grow(session, _path(home, session), size)
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
    times = {f"{daemon}_{case}_ms": list[float]() for daemon in DAEMONS for case in ("current", "behind")}
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        refresh_hook(home.paths)
        sessions = [made.Session(seed) for seed in range(len(times) * rounds)]
        for session in sessions:
            made.grow(session, _path(home, session), SMALL)
        home.memd("ingest", str(home.projects))
        following = iter(sessions)
        for case in ("current", "behind") * rounds:
            before = next(following)
            before.goes_on(datetime.now(UTC))  # a daemon that starts knows by that which sessions are at work
            made.take_turn(before, _path(home, before))
            home.memd("ingest", str(_path(home, before)))
            with home.daemon():
                time.sleep(2)  # its own start is another matter
                for daemon, session in zip(DAEMONS, (before, next(following)), strict=True):
                    if daemon == "at_work":
                        made.take_turn(session, _path(home, session))
                        _until_current(home, session)
                    if case == "behind":
                        made.take_turn(session, _path(home, session))
                    times[f"{daemon}_{case}_ms"].append(compaction(home, session.id, _path(home, session)))
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def _path(home: Home, session: made.Session) -> Path:
    return home.projects / "-home-user-work" / f"{session.id}.jsonl"


def _until_current(home: Home, session: made.Session) -> None:
    """Wait until all of a transcript is recorded and in its session's checkpoint."""
    path, name, end = _path(home, session), f"claude-code:{session.id}", time.monotonic() + 60
    with Store.open(home.state / "memd.db", readonly=True) as store:
        while time.monotonic() < end:
            known, made_of = store.session(name), store.checkpoints.current(name)
            read = store.sources.offsets("claude-code").get(str(path)) == path.stat().st_size
            if read and known is not None and made_of is not None and made_of.upto >= known.messages:
                return
            time.sleep(0.1)
    raise SystemExit(f"{name}: its checkpoint has not become current")


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
