"""The table of promises: run each benchmark in a process of its own, print all rows, write them into a page.

The page is never edited by hand between its marks: what stands there is made from a JSON file beside it, which this
writes in the same step, and a test holds the one to the other.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.outcome import HEADS, Row, markdown

PROMISED = ("hook", "reading", "backfill", "latency", "turn", "idle", "growth")
BEGIN, END = "<!-- made by `python -m benchmarks all`: begin -->", "<!-- made by `python -m benchmarks all`: end -->"
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
LAST = Path(__file__).parent / "last.json"


def options(parser: argparse.ArgumentParser, results: Path) -> None:
    parser.add_argument("folder", type=Path, nargs="?", help="transcripts to be read (default: made-up ones)")
    parser.add_argument("--only", nargs="+", choices=PROMISED, default=PROMISED, help="the others stay as they were")
    parser.add_argument("--page", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.add_argument("--check", action="store_true", help="exit 1 when a promise is not kept")
    parser.add_argument("--results", type=Path, default=results)


def run(chosen: argparse.Namespace) -> int:
    failed = []
    for name in chosen.only:
        extra = [str(chosen.folder)] if name == "reading" and chosen.folder else []
        print(f"— {name}", flush=True)
        command = [sys.executable, "-m", "benchmarks", name, "--json", str(chosen.results / f"{name}.json"), *extra]
        failed += [name] if subprocess.run(command, check=False).returncode else []
    found = [
        json.loads(path.read_text("utf-8")) for name in PROMISED if (path := chosen.results / f"{name}.json").exists()
    ]
    print("\n".join(page(found)))
    if chosen.page:
        write(found)
    missed = [row["what"] for one in found for row in one["rows"] if not row["met"]]
    for what in (*failed, *missed):
        print(f"not kept: {what}", file=sys.stderr)
    return 1 if failed or (chosen.check and missed) else 0


def write(found: list[dict[str, Any]]) -> None:
    """The JSON file and the page's part that is made from it."""
    short = ("benchmark", "at", "platform", "python", "processors", "load", "rows")
    kept = [{key: one[key] for key in short} for one in found]
    LAST.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    text = PAGE.read_text("utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text("\n".join([before + BEGIN, "", *page(kept), "", END]) + after, "utf-8")


def page(found: list[dict[str, Any]]) -> list[str]:
    """The table, and when and where each benchmark ran."""
    rows = [Row(**{key: row[key] for key in _FIELDS}) for one in found for row in one["rows"]]
    ran = ", ".join(f"{one['benchmark']} {one['at'][:16].replace('T', ' ')} (load {one['load'][0]})" for one in found)
    first = found[0]
    place = f"{first['platform']}, Python {first['python']}, {first['processors']} processors"
    return [*markdown(HEADS, [row.cells() for row in rows]), "", f"{place}. {ran}."]


_FIELDS = ("what", "memd", "reference", "measure", "target", "unit")
