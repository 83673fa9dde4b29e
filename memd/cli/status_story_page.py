"""The story of one session on a terminal."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memd.cli.status_story import Moment, facts
from memd.cli.status_table import bar, health
from memd.cli.status_words import called
from memd.daemon.survey import Row
from memd.model.text import clock, printable

LAST = 40
"""So many moments are shown, the newest."""
_SIGNS = {
    "start": ("○", "dim"),
    "checkpoint": ("◆", "cyan"),
    "compaction": ("▼", "yellow"),
    "delivery": ("▲", "green"),
    "end": ("●", "dim"),
}


def story(row: Row, happened: tuple[Moment, ...], now: int) -> RenderableType:
    """One session for a terminal."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("health", health(row))
    table.add_row("context", Text.assemble(bar(row), "  ", _context(row)))
    for name, text in facts(row, now):
        table.add_row(name, Text(printable(text)))
    line = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    line.add_column(style="dim", no_wrap=True)
    line.add_column()
    line.add_column(overflow="fold")
    for one in happened[-LAST:]:
        line.add_row(clock(one.at), Text(*_SIGNS[one.kind]), Text(printable(one.text)))
    earlier = len(happened) - LAST
    more = [Text(f"{earlier} earlier ones are not shown", "dim")] if earlier > 0 else []
    head = Text(printable(row.session.id), "bold")
    title = [Text(called(row))] if row.title else []
    return Group(head, *title, Text(), table, Text(), *more, line)


def _context(row: Row) -> str:
    tokens, window = row.session.tokens, row.window
    used = "size unknown" if tokens is None else f"{tokens:,} of {window:,} tokens" if window else f"{tokens:,} tokens"
    return used + (f", compacts by itself at {row.threshold:,}" if row.threshold else "")
