"""Reading transcripts into the record, beside `json.loads` of the same lines, and how large the record is beside them.

From opening a transcript to the commit: parsing, who spoke, entries, calls, full text, in two processes as the backfill and
`memd ingest` read them (`memd.daemon.ahead`), by the clock, the second one's start included; beside it the processor time of
both, and the clock where the second runs already. Each round reads all of a tool's
transcripts into a new record, once as it is and once without the full text index, and decodes the same lines with
`json.loads`, in turns; medians. The size is that of a record made by `memd ingest`, vacuumed, beside the bytes that were read;
the checkpoint folders are counted apart.

    python -m benchmarks reading [FOLDER]      any folder of transcripts; without one, made-up ones of two tools
"""

import argparse
import json
import queue
import resource
import sqlite3
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home
from benchmarks.outcome import Outcome, Row
from memd.daemon.ahead import LEAST, Ahead
from memd.daemon.life import Came
from memd.daemon.reader import Reader
from memd.daemon.transcripts import find
from memd.daemon.worker import TOGETHER
from memd.store import Store, search
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS

TIME, SHARE = 2.5, 18.0
Source = tuple[Tool, Path]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, nargs="?", help="transcripts (default: made-up ones)")
    parser.add_argument("--megabytes", type=int, default=40, help="of made-up transcripts (default 40)")
    parser.add_argument("--rounds", type=int, default=5)


def run(options: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="memd-") as scratch:
        folder = options.folder or made.folder(Path(scratch) / "made", options.megabytes)
        found = by_tool(folder.absolute())
        figures = {name: measured(sources, options.rounds) | size(sources) for name, sources in found.items()}
    rows = [row for name, figure in figures.items() for row in judged(name, figure)]
    lines = [f"{name}: " + ", ".join(f"{key} {value}" for key, value in f.items()) for name, f in figures.items()]
    wrong = [name for name, figure in figures.items() if not figure["messages"]]
    return Outcome({"folder": "given" if options.folder else "made up", "tools": figures, "wrong": wrong}, lines, rows)


def judged(name: str, figure: dict[str, float]) -> Iterator[Row]:
    memd = (
        f"{figure['memd_s']:.2f} s in two processes ({figure['own_cpu_s']:.2f} and {figure['second_cpu_s']:.2f} s of processor "
        f"time; {figure['warm_s']:.2f} s where the second runs already), {figure['index_s']:.2f} s of it full text"
    )
    reference = f"json.loads of the same {figure['megabytes']:.0f} MB: {figure['loads_s']:.3f} s"
    yield Row(f"reading transcripts, {name}", memd, reference, figure["memd_s"] / figure["loads_s"], TIME)
    share = 100 * figure["record_mb"] / figure["megabytes"]
    beside = f"{figure['record_mb']:.1f} MB, beside it {figure['folders_mb']:.1f} MB of checkpoints"
    yield Row(f"record after vacuum, {name}", beside, f"{figure['megabytes']:.1f} MB read", share, SHARE, "%")


def by_tool(folder: Path) -> dict[str, list[Source]]:
    """The transcripts of each tool, one of each session (a session's copies would be read as nothing new)."""
    found: dict[str, dict[str, Source]] = {}
    for tool, path in find([folder], None).transcripts:
        found.setdefault(tool.name, {}).setdefault(path.name, (tool, path))
    return {name: list(sources.values()) for name, sources in sorted(found.items())}


def measured(sources: list[Source], rounds: int) -> dict[str, float]:
    """Medians in seconds, and what was read."""
    lines = [line for tool, path in sources for line in rows_of(tool, path)]
    times: dict[str, list[float]] = {}
    messages = 0
    for _ in range(rounds):
        found, messages = recorded(sources)
        found |= {"loads_s": decoded(lines), "warm_s": recorded(sources, warm=True)[0]["memd_s"]}
        with without_index():
            found["plain_s"] = recorded(sources)[0]["memd_s"]
        for name, value in found.items():
            times.setdefault(name, []).append(value)
    middle = {name: round(statistics.median(values), 4) for name, values in times.items()}
    middle["index_s"] = round(middle["memd_s"] - middle.pop("plain_s"), 4)
    size = sum(len(line) + 1 for line in lines) / 1e6
    return middle | {"megabytes": round(size, 3), "rows": len(lines), "transcripts": len(sources), "messages": messages}


def rows_of(tool: Tool, path: Path) -> Iterator[bytes]:
    """A transcript's rows, as its tool reads them."""
    cursor, more = None, True
    while more:
        batch = tool.read(path, cursor, 8 << 20, Path("/nowhere"))
        yield from (line.data for line in batch.lines)
        cursor, more = batch.cursor.dumps(), bool(batch.lines) and batch.cursor.offset < batch.size


def decoded(lines: list[bytes]) -> float:
    start = time.perf_counter()
    for line in lines:
        with suppress(ValueError):
            json.loads(line)
    return time.perf_counter() - start


def recorded(sources: list[Source], *, warm: bool = False) -> tuple[dict[str, float], int]:
    """Seconds by the clock and of either process, and how many entries were made; `warm`: the second runs already."""
    with tempfile.TemporaryDirectory(prefix="memd-") as folder, Store.open(Path(folder) / "memd.db") as store:
        desk = Desk(store, Path(folder), sum(path.stat().st_size for _, path in sources))
        if warm:
            other = made.Session(1)
            desk.read([(TOOLS["claude-code"], made.grow(other, Path(folder) / f"{other.id}.jsonl", 2 * LEAST))])
        before = sum(one.messages for one in store.sessions(children=True))
        own, second = time.process_time(), _children()
        start = time.perf_counter()
        desk.read(sources)
        seconds, own = time.perf_counter() - start, time.process_time() - own
        desk.ahead.stop()
        messages = sum(one.messages for one in store.sessions(children=True)) - before
        return {"memd_s": seconds, "own_cpu_s": own, "second_cpu_s": _children() - second}, messages


class Desk:
    """One record and the second process, used as the daemon's worker does: that is fed, then answers, then what is left to it.

    What is there without waiting is recorded together.
    """

    def __init__(self, store: Store, folder: Path, behind: int) -> None:
        self.store = store
        self.reader = Reader(store, folder / "sessions", lambda: int(time.time() * 1000))
        self.came = queue.SimpleQueue[Came]()
        self.ahead = Ahead(self.came.put, print, behind)

    def read(self, sources: list[Source]) -> None:
        waiting = deque(sources)
        while waiting or self.ahead.in_hand:
            end = time.monotonic() + TOGETHER
            with self.store.together():
                self._next(waiting)
                while (waiting or not self.came.empty()) and time.monotonic() < end:
                    self._next(waiting)

    def _next(self, waiting: deque[Source]) -> None:
        if waiting and (self.came.empty() or self.ahead.hungry()):
            self._read(waiting)
        elif self.came.empty() and (idle := self.ahead.take_back()) is not None:
            waiting.append((idle.tool, Path(idle.path)))
        else:
            self._settle(self.came.get(), waiting)

    def _read(self, waiting: deque[Source]) -> None:
        tool, path = waiting.popleft()
        if not self.ahead.offer(self.reader, tool, path, (0, 0.0), patient=True) and self.reader.step(tool, path).more:
            waiting.appendleft((tool, path))

    def _settle(self, came: Came, waiting: deque[Source]) -> None:
        self.ahead.settle(self.reader, came)
        if came.chain.over:
            waiting.append((came.chain.tool, Path(came.chain.path)))


def _children() -> float:
    """Seconds of processor time of what this process started and what has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def without_index() -> Iterator[None]:
    """The record without full text."""
    add = search.add
    search.add = lambda *_: None  # type: ignore[assignment]  # for one measurement
    try:
        yield
    finally:
        search.add = add


def size(sources: list[Source]) -> dict[str, float]:
    """Megabytes of the record and of the checkpoint folders that `memd ingest` makes of them."""
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        home = Home(Path(folder))
        for start in range(0, len(sources), 100):
            home.memd("ingest", *(str(path) for _, path in sources[start : start + 100]))
        record = home.state / "memd.db"
        with sqlite3.connect(record) as sql:
            sql.execute("VACUUM")
        sql.close()
        beside = sum(file.lstat().st_size for file in (home.state / "sessions").rglob("*") if file.is_file())
        return {"record_mb": round(record.stat().st_size / 1e6, 3), "folders_mb": round(beside / 1e6, 3)}
