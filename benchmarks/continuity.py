"""How much of what agents needed after real compactions memd gives back: every compaction in a folder of transcripts.

    python -m benchmarks continuity FOLDER --tokens 1000 2000 4000 8000

Each transcript is read once whole, to see what came after its compactions. Then it is cut before each of them, and memd makes
its checkpoint from that prefix alone, in a fresh home, by its own commands. What counts as needed is `memd report`'s measure
(docs/continuity.md); docs/quality.md says what the figures mean. Beside memd stand the client's own summary and a plain list
of the same size.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import exp
from pathlib import Path

from benchmarks import purpose
from benchmarks.outcome import Outcome
from memd import tokens
from memd.config import Config, paths
from memd.daemon.hindsight import Hindsight
from memd.daemon.transcripts import find
from memd.model import Boundary
from memd.report import needs, past
from memd.report.past import Past
from memd.report.told import Count, summary_of
from memd.store import Store
from memd.tools.registry import TOOLS

REPOSITORY = Path(__file__).parents[1]
LEAST = 5
"""Needs below which a compaction tells nothing."""
OWN = 0
"""The size that memd chooses itself."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="a folder of transcripts")
    parser.add_argument(
        "--tokens", type=int, nargs="*", default=[1_000, 2_000, 4_000, 8_000], help="sizes beside memd's own"
    )


def run(options: argparse.Namespace) -> Outcome:
    rows, faults, seen = [], list[str](), set[str]()
    for transcript in find([options.folder.absolute()], None).transcripts:
        path = transcript[1]
        try:
            for name, session, boundary, prefix in cases(path):
                case = past.case(session, boundary)
                if name in seen or len(case.words) + len(case.commands) < LEAST:
                    continue
                seen.add(name)
                summary = summary_of(session, boundary)
                listed = ranked(session, boundary)
                rows += [row | {"case": name} for row in measured(path, case, listed, prefix, summary, options.tokens)]
        except (OSError, subprocess.CalledProcessError) as error:
            faults.append(f"{path.name}: {error}")
    return Outcome({"rows": rows, "wrong": len(faults), "failed": faults}, [*table(rows), *faults])


def memd(home: Path, *words: str) -> str:
    """A command of memd's in a home of its own."""
    environ = {
        k: v for k, v in os.environ.items() if not k.startswith(("MEMD_", "XDG_", "CLAUDE", "CODEX", "OPENCODE"))
    }
    environ |= {"HOME": str(home), "MEMD_STATE_DIR": str(home / "state"), "MEMD_SOCKET": str(home / "memd.sock")}
    command = [sys.executable, "-m", "memd", *words]
    return subprocess.run(command, env=environ, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout


def cases(path: Path) -> Iterator[tuple[str, Past, Boundary, bytes]]:
    """Of each compaction: its name, the session, the compaction, the transcript before it."""
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        session = memd(Path(folder), "ingest", str(path)).split()[0]
        places = paths({"HOME": folder, "MEMD_STATE_DIR": str(Path(folder, "state"))})
        with Store.open(places.state / "memd.db", readonly=True) as store:
            known = store.session(session)
            seen = Hindsight(store, Config(), places).past(known) if known else None
    rows = path.read_bytes()
    for boundary in seen.boundaries if seen else ():
        before = [record for record in seen.records if record.number <= boundary.number]
        if before:
            end = max(record.source.offset + record.source.length for record in before)
            yield (
                f"{session}@{boundary.number}",
                seen,
                boundary,
                rows[: end + 1],
            )  # a row without its line end is not read


def ranked(session: Past, boundary: Boundary) -> list[str]:
    """Words and commands from before a compaction by their uses, each less by e for every 80 calls since."""
    own = past.here(session.session)
    calls = [call for call in session.calls if call.number <= boundary.number]
    numbers, score = [call.number for call in calls], Counter[str]()

    def add(items: Iterable[str], number: int) -> None:
        for item in items:
            score[item] += exp(-sum(n > number for n in numbers) / 80)  # type: ignore[assignment]  # a weight

    for record in session.records:
        if record.number <= boundary.number and past.uses(record):
            add(needs.words(record.text.replace(own, "")), record.number)
    for call in calls:
        add(needs.words(past.written(call).replace(own, "")), call.number)
        add(past.lines(call), call.number)
    return [item for item, _ in sorted(score.items(), key=lambda pair: (-pair[1], pair[0]))]


def plain(case: needs.Case, listed: Sequence[str], budget: int, count: Count) -> str:
    """A list to be held against: open tasks, the person's messages from the newest on, then the ranked strings."""
    lines = list[str]()
    for items, share in ((case.tasks, 0.1), (case.person[::-1], 0.4), (listed, 1.0)):
        part = budget * share
        for item in items:
            cost = count.count(item) + 1
            if cost <= min(part, budget):
                lines.append(item)
                part -= cost
                budget -= cost
    return "\n".join(lines)


def measured(
    path: Path, case: needs.Case, listed: Sequence[str], prefix: bytes, summary: str, sizes: list[int]
) -> Iterator[dict[str, float | str | None]]:
    """Coverage at every size, of memd's text, the plain list, the client's summary and what both give together."""
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        cut = Path(folder, path.name)
        cut.write_bytes(prefix)
        tool = next(
            name for name, tool in TOOLS.items() if tool.claims(path, prefix[:65_536].splitlines(keepends=True))
        )
        session = memd(Path(folder), "ingest", "--tool", tool, str(cut)).split()[0]
        for size in [*sizes, OWN]:
            text = memd(Path(folder), "show", session, "checkpoint", *(["--tokens", str(size)] if size else []))
            spent = tokens.count(text)
            found = needs.coverage(text, case)
            row = {"size": size, "tokens": spent, "memd": found.mean, "words": found.words, **found.shares}
            row["plain"] = needs.coverage(plain(case, listed, size or spent, tokens), case).mean
            row["summary"] = needs.coverage(summary, case).mean if summary else None
            row["both"] = needs.coverage(f"{summary}\n{text}", case).mean if summary else None
            row["purpose"] = purpose.share(text)
            yield row


def table(rows: list[dict[str, float | str | None]]) -> list[str]:
    """Means over the compactions."""
    columns = ("tokens", "memd", "plain", "words", *needs.KINDS, "summary", "both", "purpose")
    lines = [f"{'size':>8}{'n':>5}" + "".join(f"{name:>10}" for name in columns)]
    for size in dict.fromkeys(row["size"] for row in rows):
        chosen = [row for row in rows if row["size"] == size]
        told = [[float(row[c]) for row in chosen if row.get(c) is not None] for c in columns]
        values = [statistics.fmean(v) if v else None for v in told]
        shown = "".join(f"{'-' if v is None else f'{v:.0f}' if v > 2 else f'{v:.3f}':>10}" for v in values)
        lines.append(f"{size or 'own':>8}{len(chosen):>5}{shown}")
    return lines
