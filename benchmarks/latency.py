"""From an append to the record: 100 events a second over 200 live sessions, beside watchdog's callback alone.

A row is appended to one of the sessions each hundredth of a second. A second process looks every two milliseconds how far the
record has read, a third does nothing but take watchdog's callbacks for the same folder. The clock is the machine's.

    python -m benchmarks latency [--seconds 60] [--rate 100] [--live 200]
"""

import argparse
import itertools
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from benchmarks import made
from benchmarks.home import REPOSITORY, Home, rest
from benchmarks.outcome import Outcome, Row

MEDIAN, TAIL = 20.0, 100.0
LOOK = 0.002
CALLBACKS = """
import sys, time
from watchdog.events import FileModifiedEvent, FileSystemEventHandler
from watchdog.observers import Observer
class Told(FileSystemEventHandler):
    def on_modified(self, event):
        if not event.is_directory:
            sys.stdout.write(f"{time.monotonic_ns()} {event.src_path}\\n")
observer = Observer()
observer.schedule(Told(), sys.argv[1], recursive=True, event_filter=[FileModifiedEvent])
observer.start()
print("ready", flush=True)
sys.stdin.read()
observer.stop(); observer.join(); sys.stdout.flush()
"""
_OFFSETS = "SELECT path, offset FROM source WHERE path IN (SELECT value FROM json_each(?))"
Appended = list[tuple[int, str, int]]
"""Each event: nanoseconds when it was appended, its path, the size of the file behind it."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=100.0, help="events a second (default 100)")
    parser.add_argument("--live", type=int, default=200, help="sessions (default 200)")


def run(options: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        feed = Feed(home, options.live)
        with home.daemon() as daemon:
            rest(daemon)
            before = daemon.cpu()
            seen = Recorded(home.state / "memd.db", feed.paths)
            with Callbacks(home.projects) as heard:
                feed.run(options.rate, options.seconds)
                time.sleep(5)
            seen.stop()
            document = figures(feed.events, seen.times(feed.events), heard.times(feed.events))
            document |= {"daemon_cpu_percent": round(100 * (daemon.cpu() - before) / (options.seconds + 5), 1)}
    rows = [row(document, place, target, options) for place, target in (("p50", MEDIAN), ("p99", TAIL))]
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], rows)


def row(document: dict[str, float], place: str, target: float, options: argparse.Namespace) -> Row:
    memd, watchdog = document[f"memd_{place}_ms"], document[f"watchdog_{place}_ms"]
    what = f"append to record, {options.rate:.0f} events/s over {options.live} sessions, {place}"
    return Row(what, f"{memd:.1f} ms", f"watchdog's callback: {watchdog:.1f} ms", memd - watchdog, target, "ms more")


class Feed:
    """Live sessions, each with a turn to begin with."""

    def __init__(self, home: Home, count: int) -> None:
        self.sessions = [made.Session(seed) for seed in range(count)]
        self.paths = [home.projects / f"-home-user-{n % 20}" / f"{s.id}.jsonl" for n, s in enumerate(self.sessions)]
        for session, path in zip(self.sessions, self.paths, strict=True):
            path.parent.mkdir(exist_ok=True)
            made.take_turn(session, path)
        self._lines = [session.lines() for session in self.sessions]
        self._chance = random.Random(1)
        self.events: Appended = []

    def append(self, at: int) -> None:
        """One row of a session."""
        line = next(self._lines[at])
        with self.paths[at].open("ab") as file:
            now = time.monotonic_ns()  # before it: the callback may come before the writing returns
            file.write(line)
            file.flush()
            self.events.append((now, str(self.paths[at]), file.tell()))

    def run(self, rate: float, seconds: float) -> None:
        """Rows at a steady rate; who is late catches up."""
        start = time.monotonic()
        for number in itertools.count():
            due = number / rate
            if due >= seconds:
                return
            if (wait := start + due - time.monotonic()) > 0:
                time.sleep(wait)
            self.append(self._chance.randrange(len(self.paths)))


class Recorded(threading.Thread):
    """Notes when the record has read each of these transcripts how far.

    It looks at no others: a look at a thousand with each commit is work for the processors that are measured.
    """

    def __init__(self, record: Path, paths: Iterable[Path]) -> None:
        super().__init__(daemon=True)
        self._record = record
        self._paths = json.dumps([str(path) for path in paths])
        self._over = threading.Event()
        self._seen: list[tuple[int, str, int]] = []
        self.start()

    def run(self) -> None:
        sql = sqlite3.connect(f"file:{self._record}?mode=ro", uri=True)
        version, known = -1, dict[str, int]()
        while not self._over.wait(LOOK):
            now = sql.execute("PRAGMA data_version").fetchone()[0]
            if now == version:
                continue
            version, at = now, time.monotonic_ns()
            for path, offset in sql.execute(_OFFSETS, (self._paths,)):
                if known.get(path) != offset:
                    known[path] = offset
                    self._seen.append((at, path, offset))
        sql.close()

    def stop(self) -> None:
        self._over.set()
        self.join()

    def times(self, events: Appended) -> list[float]:
        """Milliseconds from each append until it was recorded; infinite where it never was."""
        return _first(events, self._seen)


class Callbacks:
    """Watchdog alone, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._heard: list[tuple[int, str, int]] = []

    def __enter__(self) -> Self:
        command = [sys.executable, "-c", CALLBACKS, str(self._folder)]
        self._said = tempfile.TemporaryFile("w+")
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self._said, cwd=REPOSITORY)
        time.sleep(2)
        return self

    def __exit__(self, *_: object) -> None:
        self._child.communicate()
        self._said.seek(0)
        for line in self._said.read().splitlines()[1:]:
            at, _, path = line.partition(" ")
            self._heard.append((int(at), path, 0))
        self._said.close()

    def times(self, events: Appended) -> list[float]:
        """Milliseconds from each append to the first callback for its file behind it."""
        return _first([(at, path, 0) for at, path, _ in events], self._heard)


def _first(events: Appended, told: list[tuple[int, str, int]]) -> list[float]:
    """Milliseconds from each event to the first word of its file that is later and reaches as far."""
    by_path: dict[str, list[tuple[int, int]]] = {}
    for at, path, size in told:
        by_path.setdefault(path, []).append((at, size))
    found, start = [], dict[str, int]()
    for at, path, size in events:
        words = by_path.get(path, [])
        place = start.get(path, 0)
        while place < len(words) and (words[place][0] < at or words[place][1] < size):
            place += 1
        start[path] = place
        found.append((words[place][0] - at) / 1e6 if place < len(words) else float("inf"))
    return found


def figures(events: Appended, memd: list[float], watchdog: list[float]) -> dict[str, float]:
    """How long it took, at the middle and at the end of the line."""
    document: dict[str, float] = {"events": len(events), "wrong": sum(value == float("inf") for value in memd)}
    for name, values in (("memd", sorted(memd)), ("watchdog", sorted(watchdog))):
        places = {"p50": len(values) // 2, "p99": int(len(values) * 0.99), "max": len(values) - 1}
        document |= {f"{name}_{place}_ms": round(values[at], 3) for place, at in places.items()}
    return document
