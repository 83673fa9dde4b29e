"""Under load: five thousand events a second for a minute, a transcript of 5 GB, lines of 100 MB; what the daemon takes of it.

One daemon with 10,000 sessions in its record and 50,000 files below its roots goes through all of it, one after the other. For
each: the daemon's memory at most, its descriptors and threads, how far it was behind at the end, how long it took to catch up,
and whether it rests afterwards. The transcript of 5 GB is read to its end; it is deleted at once, as all the rest.

    python -m benchmarks load [--sessions 10000] [--files 50000] [--rate 5000] [--seconds 60] [--gigabytes 5]
"""

import argparse
import json
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks import made, many
from benchmarks.home import Home, Process, rest
from benchmarks.latency import Feed
from benchmarks.outcome import Outcome, Row, markdown

MEMORY, DESCRIPTORS, THREADS = 150.0, 400, 300
LINE = 100_000_000
HEADS = ("part", "bytes", "took s", "bytes behind", "caught up s", "MB at most", "descriptors", "threads", "left")
Figures = dict[str, Any]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--live", type=int, default=200)
    parser.add_argument("--rate", type=float, default=5_000.0, help="events a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--lines", type=int, default=3, help="of 100 MB")
    parser.add_argument("--rest", type=float, default=60.0, help="seconds to look at the daemon afterwards")


def run(chosen: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        many.sessions(home, chosen.sessions)
        many.old_files(home, chosen.files - chosen.sessions)
        feed = Feed(home, chosen.live)
        with home.daemon() as daemon:
            load = Load(home, daemon)
            parts = {
                "start": load.part(dict),
                f"{chosen.rate:,.0f} events/s": load.part(lambda: stormed(feed, chosen.rate, chosen.seconds)),
                f"{chosen.lines} lines of 100 MB": load.part(lambda: long_lines(home, chosen.lines)),
                f"{chosen.gigabytes:g} GB": load.part(lambda: huge(home, int(chosen.gigabytes * 1e9))),
            }
            before = daemon.cpu()
            time.sleep(chosen.rest)
            idle = round(100 * (daemon.cpu() - before) / chosen.rest, 2)
            document = {"parts": parts, "idle_cpu_percent": idle, "rss_mb": round(daemon.memory(), 1)}
    cells = [(name, *(str(value) for value in part.values())) for name, part in parts.items()]
    lines = [
        *markdown(HEADS, cells),
        "",
        f"afterwards {idle} % of a core over {chosen.rest:.0f} s, {document['rss_mb']} MB resident",
    ]
    return Outcome(document, lines, judged(parts, idle))


def judged(parts: dict[str, Figures], idle: float) -> list[Row]:
    def most(name: str) -> float:
        return max(float(part[name]) for part in parts.values())

    return [
        Row("memory at most", f"{most('peak_mb'):.0f} MB", "", most("peak_mb"), MEMORY, "MB"),
        Row("lag once it rests", f"{most('left'):.0f} bytes", "", most("left"), 0, "bytes"),
        Row("descriptors at most", f"{most('descriptors'):.0f}", "", most("descriptors"), DESCRIPTORS, ""),
        Row("threads at most", f"{most('threads'):.0f}", "", most("threads"), THREADS, ""),
        Row("processor afterwards", f"{idle} %", "", idle, 0.5, "%"),
    ]


class Load:
    """One daemon, looked at twenty times a second."""

    def __init__(self, home: Home, daemon: Process) -> None:
        self._home, self._daemon = home, daemon

    def part(self, work: Callable[[], dict[str, int]]) -> Figures:
        """Do something to the daemon, and see how it takes it; `work` gives sizes by path."""
        over, most = threading.Event(), {"peak_mb": 0.0, "descriptors": 0.0, "threads": 0.0}

        def look() -> None:
            while not over.wait(0.05):
                found = self._daemon.memory(), self._daemon.descriptors(), self._daemon.threads()
                for name, value in zip(most, found, strict=True):
                    most[name] = max(most[name], value)

        looking = threading.Thread(target=look)
        looking.start()
        begin = time.monotonic()
        sizes = work()
        took, behind = time.monotonic() - begin, self._behind(sizes)
        caught_up = rest(self._daemon, most=3_600)
        left = self._behind(sizes)
        over.set()
        looking.join()
        for path in sizes if left == 0 else ():
            if os.path.getsize(path) > LINE:
                os.unlink(path)
        figures: Figures = {"bytes": sum(sizes.values()), "took_s": round(took, 1), "behind": behind}
        figures |= {"caught_up_s": round(caught_up, 1), **{k: round(v, 1) for k, v in most.items()}, "left": left}
        print(figures, flush=True)
        return figures

    def _behind(self, sizes: dict[str, int]) -> int:
        """Bytes that are on the disk and not yet read."""
        with closing(sqlite3.connect(f"file:{self._home.state / 'memd.db'}?mode=ro", uri=True)) as sql:
            read = dict(sql.execute("SELECT path, offset FROM source"))
        return sum(max(0, size - read.get(path, 0)) for path, size in sizes.items())


def stormed(feed: Feed, rate: float, seconds: float) -> dict[str, int]:
    feed.run(rate, seconds)
    return {str(path): path.stat().st_size for path in feed.paths}


def long_lines(home: Home, count: int) -> dict[str, int]:
    """A session in which tools answer with a hundred million characters."""
    session = made.Session(77)
    path = home.projects / "-home-user-long" / f"{session.id}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    for _ in range(count):
        made.take_turn(session, path)
        row = next(row for row in session.turn() if row["type"] == "user" and "toolUseResult" in row)
        row["message"]["content"][0]["content"] = made.corpus()[:1_000] * (LINE // 1_000)
        with path.open("ab") as file:
            file.write(json.dumps(row).encode() + b"\n")
    return {str(path): path.stat().st_size}


def huge(home: Home, size: int) -> dict[str, int]:
    """One session of that many bytes, moved below the root when it is whole."""
    session = made.Session(78)
    path = home.projects / "-home-user-huge" / f"{session.id}.jsonl"
    whole = made.grow(session, home.state.parent / "huge.jsonl", size)
    path.parent.mkdir(exist_ok=True)
    whole.rename(path)
    return {str(path): path.stat().st_size}
