"""`memd status` for people: a table, then what is wrong and what mends it."""

import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memd.cli.status import Row
from memd.model.text import clock, oneline, printable

_COLOURS = {"ok": "green", "stale": "yellow", "degraded": "yellow", "failing": "red", "never": "dim"}
WIDE = 200
"""Columns where there is no terminal to ask: nothing is folded for grep."""
OLD = 20
"""So many sessions are shown; older ones are summed up."""


def show(
    rows: list[Row],
    daemon: dict[str, Any] | None,
    hung: str | None,
    notes: tuple[str, ...],
    cost: str,
    *,
    whole: bool,
    everything: bool,
) -> None:
    """Print the daemon's line (`hung` says why a running one gives none), what models cost, the table, and the reasons."""
    console = Console(highlight=False, soft_wrap=True, markup=False, width=None if sys.stdout.isatty() else WIDE)
    console.print(_daemon(daemon, hung))
    for note in notes:
        console.print(Text(f"! {note}", "yellow"))
    if cost:
        console.print(cost)
    if not rows:
        console.print("Nothing is recorded yet: sessions appear here as soon as a tool writes a transcript.")
        return
    shown = rows if whole or everything else rows[:OLD]
    console.print(_table(shown))
    if len(rows) > len(shown):
        console.print(f"and {len(rows) - len(shown)} older sessions (--all shows them)")
    for row in shown[: 5 if not whole else None]:
        for reason in row.verdict.reasons:
            said = printable(f"{row.session.id}: {reason.text}  ->  {reason.fix}")
            console.print(Text(said, _COLOURS[reason.health.value]))
    for row in shown if whole else []:
        for line in _run(row):
            console.print(Text(printable(line)))


def _run(row: Row) -> Iterator[str]:
    """What the last run of a model came to; for one session that is asked about."""
    if row.run is not None:
        tokens = f"{row.run.tokens:,} input tokens"
        yield f"a model, {clock(row.run.at)}, up to message {row.run.upto}: {row.run.outcome}, {tokens}"
        yield from (f"  {problem.part}: {problem.fault}; {problem.fallback}" for problem in row.run.problems)


def _daemon(daemon: dict[str, Any] | None, hung: str | None) -> Text:
    if daemon is None:
        if hung is not None:
            return Text(f"daemon: {hung}", "red")
        return Text("daemon: not running (`memd run` starts it; hooks give back what is ready on disk)", "yellow")
    since = clock(daemon["since"])
    return Text(f"daemon: running, pid {daemon['pid']}, version {daemon['version']}, since {since}", "green")


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("session", "directory", "state", "context", "checkpoint", "delivery", "health"):
        table.add_column(name, overflow="fold" if name == "session" else "ellipsis")
    for row in rows:
        health = row.verdict.health.value
        table.add_row(
            Text(printable(_name(row))),
            Text(printable(row.session.cwd or "?")),
            row.state,
            _context(row),
            _made(row),
            _given(row),
            Text(health, _COLOURS[health]),
        )
    return table


def _name(row: Row) -> str:
    tool, _, native = row.session.id.partition(":")
    title = f" {oneline(row.session.title, 30)}" if row.session.title else ""
    return f"{tool}:{native[:8]}{'/' + native.rpartition('/')[2] if '/' in native else ''}{title}"


def _context(row: Row) -> str:
    tokens = row.session.tokens
    if tokens is None:
        return "?"
    return f"{tokens / 1000:.0f}k of {row.window / 1000:.0f}k" if row.window else f"{tokens / 1000:.0f}k"


def _made(row: Row) -> str:
    made = row.checkpoint
    if made is None:
        return "none"
    return f"{made.number}, {clock(made.at)}, {made.writer}, {made.tokens.total if made.tokens else '?'} tokens"


def _given(row: Row) -> str:
    given = row.delivery
    if given is None:
        return "written" if row.checkpoint else "-"
    return f"{given.level} ({given.number}, {clock(given.at)})"
