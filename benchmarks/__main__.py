"""`python -m benchmarks NAME [options]`: one benchmark is one module with `options(parser)` and `run(options)`.

`run` gives (a JSON document, the table's lines, the limits that were passed over). With `--check` the exit code is 1
when a limit was passed over; a wrong answer is always exit code 1, however fast it was.
"""

import argparse
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import continuity, hook, journal

BENCHMARKS = {"hook": hook, "continuity": continuity, "journal": journal}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What memd costs, measured.")
    names = parser.add_subparsers(dest="name", required=True)
    for name, module in BENCHMARKS.items():
        one = names.add_parser(name, help=(module.__doc__ or "").partition("\n")[0])
        one.add_argument("--check", action="store_true", help="exit 1 when a limit is passed over")
        one.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / f"{name}.json")
        module.options(one)
    options = parser.parse_args()
    document, table, over = BENCHMARKS[options.name].run(options)
    print("\n".join(table))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(_where() | document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"\nwritten to {options.json}")
    for line in over:
        print(f"over the limit: {line}", file=sys.stderr)
    return 1 if document.get("wrong") or (options.check and over) else 0


def _where() -> dict[str, object]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "load": os.getloadavg(),
    }


if __name__ == "__main__":
    sys.exit(main())
