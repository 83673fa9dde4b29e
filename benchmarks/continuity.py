"""How much of what agents needed after real compactions memd gives back: every compaction in a folder of transcripts.

    python -m benchmarks continuity FOLDER --tokens 1000 2000 4000 8000

Each transcript is read once whole, to see what came after its compactions. Then it is cut before each of them, and memd makes
its checkpoint from that prefix alone, in a fresh home, by its own commands. `needs` says what counts as needed; docs/quality.md
says what the figures mean. Beside memd stand the client's own summary and a plain list of the same size.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import exp
from pathlib import Path

from benchmarks import needs, purpose
from memd import tokens
from memd.daemon.transcripts import find
from memd.model import Boundary, Channel, Done, Kind, Record
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


def run(options: argparse.Namespace) -> tuple[dict[str, object], list[str], list[str]]:
    rows, faults, seen = [], list[str](), set[str]()
    for transcript in find([options.folder.absolute()], None).transcripts:
        path = transcript[1]
        try:
            for name, case, prefix, summary in cases(path):
                if name in seen or len(case.words) + len(case.commands) < LEAST:
                    continue
                seen.add(name)
                rows += [row | {"case": name} for row in measured(path, case, prefix, summary, options.tokens)]
        except (OSError, subprocess.CalledProcessError) as error:
            faults.append(f"{path.name}: {error}")
    document = {"benchmark": "continuity", "rows": rows, "wrong": len(faults), "failed": faults}
    return document, [*table(rows), *faults], []


def memd(home: Path, *words: str) -> str:
    """A command of memd's in a home of its own."""
    environ = {
        k: v for k, v in os.environ.items() if not k.startswith(("MEMD_", "XDG_", "CLAUDE", "CODEX", "OPENCODE"))
    }
    environ |= {"HOME": str(home), "MEMD_STATE_DIR": str(home / "state"), "MEMD_SOCKET": str(home / "memd.sock")}
    command = [sys.executable, "-m", "memd", *words]
    return subprocess.run(command, env=environ, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout


def cases(path: Path) -> Iterator[tuple[str, needs.Case, bytes, str]]:
    """Of each compaction: its name, what was needed, the transcript before it, the client's summary."""
    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        session = memd(Path(folder), "ingest", str(path)).split()[0]
        with Store.open(Path(folder, "state", "memd.db"), readonly=True) as store:
            known = store.session(session)
            records, calls = store.messages(session), store.operations(session)
            boundaries = store.boundaries(session)
    here = f"{known.cwd}/" if known and known.cwd else "\0"  # paths below the session's directory are relative to it
    records = [replace(record, text=record.text.replace(here, "")) for record in records]
    rows = path.read_bytes()
    for place, boundary in enumerate(boundaries):
        end = boundaries[place + 1].number if place + 1 < len(boundaries) else boundary.number + needs.WINDOW
        before = [record for record in records if record.number <= boundary.number]
        if before:
            cut = max(record.source.offset + record.source.length for record in before)
            after = [r for r in records if boundary.number < r.number <= min(end, boundary.number + needs.WINDOW)]
            case = needed(before, after, calls, boundary, flat(rows[:cut]), here)
            summary = "\n".join(record.text for record in after if record.channel is Channel.HARNESS_SUMMARY)
            yield f"{session}@{boundary.number}", case, rows[:cut], summary


def flat(rows: bytes) -> str:
    """All strings of a transcript's JSON lines."""

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from strings(item)

    found = list[str]()
    for row in rows.splitlines():
        try:
            found += strings(json.loads(row))
        except ValueError:
            found.append(row.decode("utf-8", "replace"))
    return "\n".join(found)


def needed(
    before: list[Record], after: list[Record], calls: list[Done], boundary: Boundary, known: str, here: str
) -> needs.Case:
    """The case of one compaction."""
    used = [(record.number, *heard(record)) for record in after if record.channel is not Channel.HARNESS_SUMMARY]
    later = [call for call in calls if boundary.number < call.number <= boundary.number + len(after)]
    used += [(call.number - 0.5, "used", written(call).replace(here, "")) for call in later]
    ran = [line for call in later if call.kind is Kind.COMMAND for line in needs.commands(call.target)]
    earlier = [call for call in calls if call.number <= boundary.number]
    had = {line for call in earlier if call.kind is Kind.COMMAND for line in needs.commands(call.target)}
    spoken = [record.text for record in before if record.in_force and said(record)]
    listed = [c for c in earlier if c.kind is Kind.TASKS and "items" in c.detail]
    tasks = [
        i["text"] for i in (listed[-1].detail["items"] if listed else ()) if i["status"] not in {"completed", "deleted"}
    ]
    return needs.Case(
        needs.needed([(how, text) for _, how, text in sorted(used)], needs.words(known.replace(here, ""))),
        tuple(dict.fromkeys(line for line in ran if line in had)),
        tuple(spoken),
        tuple(tasks),
        ranked(before, earlier, here),
    )


def said(record: Record) -> bool:
    """Whether these may be a person's words."""
    return record.channel.human or record.channel in {Channel.UNATTRIBUTED, Channel.OPERATOR_HEADLESS}


def heard(record: Record) -> tuple[str, str]:
    return ("used" if said(record) or record.channel is Channel.AGENT_TEXT else "shown", record.text)


def written(call: Done) -> str:
    """What the agent wrote in a call."""
    return "\n".join([call.target, *(str(value) for value in call.detail.values())])


def ranked(before: list[Record], calls: list[Done], here: str) -> tuple[str, ...]:
    """Words and commands by their uses, each less by e for every 80 calls since."""
    numbers, score = [call.number for call in calls], Counter[str]()

    def add(items: list[str] | set[str], number: int) -> None:
        for item in items:
            score[item] += exp(-sum(n > number for n in numbers) / 80)  # type: ignore[assignment]  # a weight

    for record in before:
        if said(record) or record.channel is Channel.AGENT_TEXT:
            add(needs.words(record.text), record.number)
    for call in calls:
        add(needs.words(written(call).replace(here, "")), call.number)
        add(needs.commands(call.target) if call.kind is Kind.COMMAND else [], call.number)
    return tuple(item for item, _ in sorted(score.items(), key=lambda pair: (-pair[1], pair[0])))


def measured(
    path: Path, case: needs.Case, prefix: bytes, summary: str, sizes: list[int]
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
            row = {"size": size, "tokens": spent, "memd": needs.mean(needs.coverage(text, case))}
            row |= needs.coverage(text, case)
            row["plain"] = needs.mean(needs.coverage(needs.plain(case, size or spent, tokens), case))
            row["summary"] = needs.mean(needs.coverage(summary, case)) if summary else None
            row["both"] = needs.mean(needs.coverage(f"{summary}\n{text}", case)) if summary else None
            row["purpose"] = purpose.share(text)
            yield row


def table(rows: list[dict[str, float | str | None]]) -> list[str]:
    """Means over the compactions."""
    columns = ("tokens", "memd", "plain", *needs.KINDS, "summary", "both", "purpose")
    lines = [f"{'size':>8}{'n':>5}" + "".join(f"{name:>10}" for name in columns)]
    for size in dict.fromkeys(row["size"] for row in rows):
        chosen = [row for row in rows if row["size"] == size]
        told = [[float(row[c]) for row in chosen if row.get(c) is not None] for c in columns]
        values = [statistics.fmean(v) if v else None for v in told]
        shown = "".join(f"{'-' if v is None else f'{v:.0f}' if v > 2 else f'{v:.3f}':>10}" for v in values)
        lines.append(f"{size or 'own':>8}{len(chosen):>5}{shown}")
    return lines
