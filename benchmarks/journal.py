"""What one operation costs in the project's journal, with 100,000 lines and 10,000 anchors behind it as with none.

Each measured operation is what the daemon does for one tool call: the commit of its two rows, the journal's line and the
anchors in the record, the line in the project's file forced to disk, and the questions that the guard asks before the next
call. In between operations are taken 500 at a time.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.outcome import Outcome, Row
from memd.daemon.journalling import Journalling
from memd.model import Event, Facts, Kind, Operation, State
from memd.project import identity
from memd.store import Seed, Store

START = 1_795_994_339_654
MEASURED, WARM = 1_000, 200
LIMIT = 1.2


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=5_000, help="each gives two anchors: the file and a key in it")


def run(chosen: argparse.Namespace) -> Outcome:
    """The median of the first and of the last thousand operations, and how they compare."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "state" / "memd.db") as store:
        work = Path(folder) / "work"
        work.mkdir()
        bench = Bench(store, Path(folder), work, chosen.files)
        bench.together(range(WARM), 1)
        first = bench.each(range(WARM, WARM + MEASURED))
        bench.together(range(WARM + MEASURED, chosen.operations - MEASURED), 500)
        last = bench.each(range(chosen.operations - MEASURED, chosen.operations))
        found = bench.counted()
    ratio = statistics.median(last) / statistics.median(first)
    document = {
        "operations": chosen.operations,
        **found,
        "first_ms": round(statistics.median(first) * 1000, 4),
        "last_ms": round(statistics.median(last) * 1000, 4),
        "ratio": round(ratio, 3),
        "wrong": found["lines"] != chosen.operations or found["entries"] != chosen.operations,
    }
    row = Row(
        f"journal, operation {chosen.operations:,}",
        f"{document['last_ms']:.2f} ms",
        f"the first: {document['first_ms']:.2f} ms",
        ratio,
        LIMIT,
    )
    return Outcome(document, [f"{name:12} {value}" for name, value in document.items()], (row,))


class Bench:
    """One session that changes one value after another."""

    def __init__(self, store: Store, folder: Path, work: Path, files: int) -> None:
        self._store, self._work, self._files = store, work, files
        self._state = folder / "state"
        self._journalling = Journalling(store, self._state, lambda: START)
        self._seed = Seed("claude-code:bench", "claude-code", "bench", None, str(folder / "bench.jsonl"))
        self._store.commit(self._seed, "0", "", [Facts(cwd=str(work))], size=1, now=START)
        found = identity.find(str(work))
        assert found is not None
        self._project = found.id

    def together(self, numbers: range, size: int) -> None:
        for start in range(numbers.start, numbers.stop, size):
            batch = range(start, min(start + size, numbers.stop))
            self._take([event for number in batch for event in self._events(number)])

    def each(self, numbers: range) -> list[float]:
        """Seconds for each operation."""
        return [self._one(number) for number in numbers]

    def _one(self, number: int) -> float:
        events, target = list(self._events(number)), f"src/file{number % self._files}.toml:key"
        start = time.perf_counter()
        self._take(events)
        self._store.projects.about(self._project, target)
        self._store.projects.named(self._project, f"file{number % self._files}.toml")
        self._store.projects.touches(self._seed.session, {f"{self._work}/src/file{number % self._files}.toml"})
        self._store.projects.anchors(self._project, 120)
        return time.perf_counter() - start

    def _events(self, number: int) -> Iterator[Event]:
        path, at = f"{self._work}/src/file{number % self._files}.toml", START + number
        detail = {"old": f"key = {number}", "new": f"key = {number + 1}"}
        for state in (State.RUNNING, State.DONE):
            yield Operation(f"c{number}", Kind.EDIT, "Edit", at, state, path, detail)

    def _take(self, events: list[Event]) -> None:
        self._store.commit(self._seed, "0", "", events, size=1, now=START)
        self._journalling.step(self._seed.session)

    def counted(self) -> dict[str, int]:
        (file,) = (self._state / "projects").glob("*/journal/journal.jsonl")
        with file.open("rb") as lines:
            count = sum(1 for _ in lines)
        entries = len(self._store.projects.journal(self._project, 10**9))
        return {"lines": count, "entries": entries, "anchors": len(self._store.projects.anchors(self._project, 10**9))}
