"""What one event costs, with little behind it and with much: 10 and 10,000 sessions, a session of 1 MB and one of 1 GB.

An event is one row: appended, read from the cursor, committed with its full text, noted in the journal. Windows of a thousand
events one after another have the index's merges in them, as often as they come. Five windows each, in turns; the medians'
cost of one event.

    python -m benchmarks growth [--sessions 10000] [--megabytes 1000]
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import made, many
from benchmarks.home import Home
from benchmarks.outcome import Outcome, Row
from memd.config import Config
from memd.daemon.pipeline import Pipeline
from memd.tools.claude_code import ClaudeCode

LIMIT = 1.3
WINDOWS = 5


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=1_000, help="in one window (default 1000)")


def run(options: argparse.Namespace) -> Outcome:
    few, crowd = together([prepared(10, 1), prepared(options.sessions, 1)], options.events)
    small, large = together([prepared(1, 1), prepared(1, options.megabytes)], options.events)
    document = {"few_us": few, "many_us": crowd, "small_us": small, "large_us": large}
    rows = (
        Row(
            f"an event with {options.sessions:,} sessions",
            f"{crowd:.0f} µs",
            f"with 10: {few:.0f} µs",
            crowd / few,
            LIMIT,
        ),
        Row(
            f"an event in a session of {options.megabytes:,} MB",
            f"{large:.0f} µs",
            f"in one of 1 MB: {small:.0f} µs",
            large / small,
            LIMIT,
        ),
    )
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], rows)


class Case:
    """A record and one live session in it."""

    def __init__(self, home: Home, megabytes: int) -> None:
        self._session = made.Session(1)
        self._path = home.projects / "-home-user-live" / f"{self._session.id}.jsonl"
        made.grow(self._session, self._path, megabytes * 1_000_000)
        self._lines = self._session.lines()
        self.pipeline = Pipeline(Config(), home.paths, environ=home.environ())
        self.pipeline.read_whole(ClaudeCode(), self._path)

    def window(self, events: int) -> float:
        """Microseconds of an event."""
        taken = 0.0
        for _ in range(events):
            with self._path.open("ab") as file:
                file.write(next(self._lines))
            begin = time.perf_counter()
            self.pipeline.step(ClaudeCode(), self._path)
            taken += time.perf_counter() - begin
        return taken / events * 1e6


@contextmanager
def prepared(sessions: int, megabytes: int) -> Iterator[Case]:
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        many.sessions(home, sessions - 1)
        case = Case(home, megabytes)
        try:
            yield case
        finally:
            case.pipeline.close()


def together(cases: list, events: int) -> list[float]:
    """The median window of each, in turns."""
    with ExitStack() as stack:
        opened = [stack.enter_context(case) for case in cases]
        windows = [[case.window(events) for case in opened] for _ in range(WINDOWS)]
    return [round(statistics.median(column), 1) for column in zip(*windows, strict=True)]
