"""The first start over years of work: 1 GB in 1,000 sessions, while live sessions go on.

The transcripts are an hour old when the daemon starts, so they are its backfill. Meanwhile rows are appended to twenty live
sessions, ten a second. Measured: the time until all of it is recorded, beside `json.loads` of the same lines; how long live
rows took; the memory of the daemon and of the process that reads for it; and when the last checkpoint was made.

    python -m benchmarks backfill [--megabytes 1000] [--sessions 1000]
"""

import argparse
import os
import sqlite3
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home, Process, at_most, rest
from benchmarks.latency import Feed, Recorded
from benchmarks.outcome import Outcome, Row
from benchmarks.reading import decoded

LIMIT = 3.0
LIVE, RATE = 20, 10.0
AGE = 3_600


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--sessions", type=int, default=1_000)


def run(options: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        feed = Feed(home, LIVE)
        sizes = transcripts(home, options.sessions, options.megabytes * 1_000_000)
        loads = sum(decoded(Path(path).read_bytes().splitlines()) for path in sizes)
        document = {
            "megabytes": round(sum(sizes.values()) / 1e6, 1),
            "sessions": len(sizes),
            "loads_s": round(loads, 2),
        }
        began = time.monotonic()
        with home.daemon() as daemon:
            document |= served(home, daemon, feed, sizes, began)
    ratio = document["recorded_s"] / document["loads_s"]
    row = Row(
        f"backfill of {document['megabytes']:,.0f} MB in {document['sessions']:,} sessions, live ones served",
        f"{document['recorded_s']:.0f} s, at most {document['peak_mb']:.0f} MB resident, "
        f"live rows p50 {document['live_p50_ms']:.0f} ms, p99 {document['live_p99_ms']:.0f} ms",
        f"json.loads of the same lines: {document['loads_s']:.1f} s",
        ratio,
        LIMIT,
    )
    return Outcome(document, [f"{name}: {value}" for name, value in document.items()], (row,))


def transcripts(home: Home, count: int, size: int) -> dict[str, int]:
    """Sessions of the same size, an hour old; their sizes by path."""
    then, sizes = time.time() - AGE, dict[str, int]()
    for number in range(count):
        session = made.Session(50_000 + number)
        path = home.projects / f"-home-user-old{number % 50}" / f"{session.id}.jsonl"
        made.grow(session, path, size // count)
        os.utime(path, (then, then))
        sizes[str(path)] = path.stat().st_size
    return sizes


def served(home: Home, daemon: Process, feed: Feed, sizes: dict[str, int], began: float) -> dict[str, float]:
    """Live rows until all is read, then until the daemon rests."""
    over, seen = threading.Event(), Recorded(home.state / "memd.db", feed.paths)

    def live() -> None:
        while not over.is_set():
            feed.run(RATE, 1.0)

    appending = threading.Thread(target=live)
    appending.start()
    with at_most(daemon) as most:
        try:
            recorded, taken = until_read(home, sizes) - began, daemon.cpu()
        finally:
            over.set()
            appending.join()
        time.sleep(3)
        seen.stop()
        waited = sorted(seen.times(feed.events))
        rest(daemon, most=3_600)
    return {
        "recorded_s": round(recorded, 2),
        "recorded_cpu_s": round(taken, 2),
        "all_checkpoints_s": round(time.monotonic() - began, 1),
        "all_checkpoints_cpu_s": round(daemon.cpu(), 2),
        "peak_mb": round(most["peak_mb"], 1),
        "live_rows": len(waited),
        "live_p50_ms": round(waited[len(waited) // 2], 1),
        "live_p99_ms": round(waited[int(len(waited) * 0.99)], 1),
    }


def until_read(home: Home, sizes: dict[str, int]) -> float:
    """When the last transcript was read to its end; all are looked at when as many bytes are, since that takes processor time."""
    size = sum(sizes.values())
    with closing(sqlite3.connect(f"file:{home.state / 'memd.db'}?mode=ro", uri=True)) as sql:
        while True:
            if sql.execute("SELECT total(offset) FROM source").fetchone()[0] >= size:
                read = dict(sql.execute("SELECT path, offset FROM source"))
                if all(read.get(path, 0) >= size for path, size in sizes.items()):
                    return time.monotonic()
            time.sleep(0.1)
