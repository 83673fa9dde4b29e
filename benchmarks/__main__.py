"""`python -m benchmarks NAME [options]`: one benchmark is one module with `options(parser)` and `run(options)`.

Each prints what it found, then its promises, and writes a JSON file. `all` runs every benchmark of the table, each in a process
of its own, and writes the table into a page. With `--check` the exit code is 1 when a promise is not kept; a wrong answer
is always exit code 1, however fast it was.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import table
from benchmarks.outcome import HEADS, Outcome, markdown

NAMES = (*table.PROMISED, "journal", "continuity", "load", "others")
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What memd costs, measured.")
    names = parser.add_subparsers(dest="name", required=True)
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in NAMES}
    for name, module in modules.items():
        one = names.add_parser(name, help=(module.__doc__ or "").partition("\n")[0])
        one.add_argument("--check", action="store_true", help="exit 1 when a promise is not kept")
        one.add_argument("--json", type=Path, default=RESULTS / f"{name}.json")
        module.options(one)
    table.options(names.add_parser("all", help="every benchmark of the table; the table itself"), RESULTS)
    options = parser.parse_args()
    if options.name == "all":
        return table.run(options)
    outcome = modules[options.name].run(options)
    _tell(outcome, options)
    missed = not all(row.met for row in outcome.rows)
    if outcome.document.get("wrong"):
        print(f"wrong answers: {outcome.document['wrong']}", file=sys.stderr)
    return 1 if outcome.document.get("wrong") or (options.check and missed) else 0


def _tell(outcome: Outcome, options: argparse.Namespace) -> None:
    print("\n".join(outcome.lines))
    if outcome.rows:
        print("\n" + "\n".join(markdown(HEADS, [row.cells() for row in outcome.rows])))
    rows = [row.as_object() for row in outcome.rows]
    document = {"benchmark": options.name} | _where() | {"rows": rows} | outcome.document
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"\nwritten to {options.json}")


def _where() -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }


if __name__ == "__main__":
    sys.exit(main())
