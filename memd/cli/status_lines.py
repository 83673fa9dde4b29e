"""`memd status` in a pipe: plain columns that stay the same, whole ids, times in UTC, nothing cut, bent or coloured."""

from collections.abc import Iterable

from memd.cli.status import View
from memd.cli.status_words import called, models, nothing, older, running, troubles
from memd.daemon.survey import Row
from memd.model.text import clock, named

HEADS = (
    "SESSION",
    "HEALTH",
    "STATE",
    "CONTEXT",
    "CHECKPOINT",
    "MADE",
    "WRITER",
    "TOKENS",
    "DELIVERY",
    "DIRECTORY",
    "TITLE",
)


def lines(view: View) -> Iterable[str]:
    """All that is told."""
    yield running(view)
    yield from (f"! {told}" for told in (*troubles(view), *view.notes))
    if cost := models(view.settings, view.spent):
        yield cost
    if not view.rows:
        yield nothing(view)
        return
    yield from _columns([HEADS, *map(_cells, view.rows)])
    if rest := older(view):
        yield rest
    for row in view.rows:
        yield from (f"{row.session.id}: {reason.text}  ->  {reason.fix}" for reason in row.verdict.reasons)
    if view.story:
        from memd.cli.status_story import lines as story  # noqa: PLC0415 - only where one session is asked about

        yield from story(view.rows[0], view.story, view.at)


def _columns(rows: list[tuple[str, ...]]) -> Iterable[str]:
    """Each as wide as its widest cell; the last needs no width."""
    widths = [max(map(_width, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    for *cells, last in rows:
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join((*padded, last)).rstrip()


def _width(cell: str) -> int:
    """How many columns a text takes."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len  # noqa: PLC0415 - a directory's name that is not ASCII is rare

    return cell_len(cell)


def _cells(row: Row) -> tuple[str, ...]:
    """One session; no cell but the last two holds a blank, and none is empty."""
    session, found = row.session, row.checkpoint
    context = f"{session.tokens if session.tokens is not None else '?'}/{row.window or '?'}"
    checkpoint = ("-",) * 4
    if found is not None:
        total = str(found.tokens.total) if found.tokens else "?"
        checkpoint = (str(found.number), clock(found.at).replace(" ", "T"), found.writer, total)
    level = row.delivery.level if row.delivery else "written" if found else "-"
    where = named(session.cwd or "?")
    return (session.id, row.verdict.health.value, row.state, context, *checkpoint, level, where, called(row) or "-")
