"""`memd report` for people: a block a session where there is a terminal, plain columns where there is none.

In a pipe the columns stay the same, nothing is cut, bent or coloured, and no cell holds a blank but the last.
"""

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memd.cli import screen
from memd.cli.common import short_name, thousands
from memd.cli.report import Report
from memd.model.text import clock, oneline, printable
from memd.report.breaks import KINDS as BREAKS
from memd.report.needs import KINDS
from memd.report.overall import TEXTS, Broken, Mean, broken, overall, text
from memd.report.told import Compacted, How, Told

NAMES = {
    "reread": "unchanged files read again",
    "missing": "paths that are not there",
    "edit": "edits done again",
    "effect": "side effects done again",
    "against": "against what was said",
}
HOWS = {
    How.GIVEN: "memd, as given",
    How.HANDED: "memd, as handed over",
    How.COMPUTED: "memd, had it run",
}
CALLED = {"memd": "memd", "summary": "the tool's summary", "both": "both together"}
WIDE = 88
"""Columns from which each kind has its own; under that a text has a line and its kinds the next."""
_HEADS = ("SESSION", "COMPACTION", "AFTER", "TEXT", "TOKENS", *(kind.upper() for kind in KINDS), "MEAN")
_BREAK_HEADS = ("SESSION", "COMPACTION", "PLACE", "CALLS", *(kind.upper() for kind in BREAKS))


def show(report: Report) -> None:
    """Print the report as the place where it goes wants it."""
    screen.show(lambda width: page(report, width), lambda: _plain(report))


def page(report: Report, width: int) -> RenderableType:
    """The report for a terminal of so many columns."""
    parts: list[RenderableType] = []
    for told in report.told:
        parts += [_head(told), *_notes(told)]
        for one in told.compactions:
            parts += [_compaction(one), _texts(_rows(one), width), _breaks(broken([one])), Text()]
    every = overall(report.told)
    if every.compactions > 1:
        rows = [_mean_row(name, found, every.compactions) for name, found in every.texts.items() if found]
        parts += [Text(f"all {every.compactions} compactions", "bold"), _texts(rows, width), _breaks(every.broken)]
    parts += [Text(line, "dim") for line in _more(report)]
    return Group(*parts)


def _head(told: Told) -> Text:
    title = oneline(told.session.title, 120) if told.session.title else ""
    return Text.assemble((short_name(told.session), "bold"), printable(f"  {title}".rstrip()))


def _notes(told: Told) -> Iterator[Text]:
    if not told.compactions:
        yield Text("not compacted yet, so there is nothing to report\n", "dim")
    elif not told.whole:
        yield Text("its transcript is gone: what was known before is taken from the record", "yellow")


def _compaction(one: Compacted) -> Text:
    bound = one.boundary
    sizes = [thousands(size) for size in (bound.before, bound.after) if size is not None]
    size = f", {' → '.join(sizes)} tokens" if sizes else ""
    trigger = printable(oneline(bound.trigger, 40))
    return Text(f"compaction {bound.ordinal}, {trigger}, after #{bound.number}, {clock(bound.at)}{size}", "cyan")


Row = tuple[str, int, Mapping[str, float], float]
"""A text: its name, its tokens, the share of each kind, their mean."""


def _rows(one: Compacted) -> list[Row]:
    found = ((_called(one, name), text(one, name)) for name in TEXTS)
    return [(name, m.tokens, m.coverage.shares, m.coverage.mean) for name, m in found if m is not None]


def _mean_row(name: str, found: Mean, compactions: int) -> Row:
    called = CALLED[name] + (f", {found.count} of {compactions}" if found.count < compactions else "")
    return called, found.tokens, found.shares, found.mean


def _called(one: Compacted, name: str) -> str:
    if name == "memd" and one.given is not None:
        return HOWS[one.given.how]
    return CALLED[name]


def _texts(rows: Iterable[Row], width: int) -> RenderableType:
    """Coverage: a line a text."""
    listed = list(rows)
    if not listed:
        return Text("  nothing that was known before was needed after it", "dim")
    kinds = [kind for kind in KINDS if any(kind in shares for _, _, shares, _ in listed)]
    if width < WIDE:
        return Group(*(line for row in listed for line in _narrow(row, kinds)))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("  covered", no_wrap=True, min_width=22)
    for head in ("tokens", *kinds, "mean"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, tokens, shares, mean in listed:
        table.add_row(
            f"  {name}", f"{tokens:,}", *(_share(shares.get(kind)) for kind in kinds), _share(mean, bold=True)
        )
    return table


def _narrow(row: Row, kinds: Iterable[str]) -> Iterator[Text]:
    name, tokens, shares, mean = row
    yield Text.assemble(f"  {name}: ", _share(mean, bold=True), (f" of what was needed, {tokens:,} tokens", "dim"))
    yield Text("    " + ", ".join(f"{kind} {_share(shares[kind]).plain}" for kind in kinds if kind in shares), "dim")


def _share(value: float | None, *, bold: bool = False) -> Text:
    if value is None:
        return Text("-", "dim")
    colour = "green" if value >= 0.9 else "yellow" if value >= 0.7 else "red"
    return Text(f"{100 * value:.0f} %", f"bold {colour}" if bold else colour)


def _breaks(found: Broken) -> RenderableType:
    """Breaks after the compaction and before it; kinds of which there are none are left out."""
    if not found.calls:
        return Text("  too few calls around it for a comparison", "dim")
    seen = [kind for kind in BREAKS if found.after[kind] or found.control[kind]]
    if not seen:
        return Text(f"  no breaks in {found.calls} calls after it, none in as many before", "dim")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(f"  breaks in {found.calls} calls", min_width=22)
    table.add_column("after", justify="right", no_wrap=True)
    table.add_column("before", justify="right", no_wrap=True)
    for kind in seen:
        after, control = found.after[kind], found.control[kind]
        table.add_row(f"  {NAMES[kind]}", Text(str(after), "yellow" if after > control else ""), str(control))
    return table


def _more(report: Report) -> Iterator[str]:
    if report.older:
        yield f"and {report.older} older compacted sessions: name them to see them"


def _plain(report: Report) -> Iterator[str]:
    """The lines for a pipe: coverage, breaks, notes."""
    every = overall(report.told)
    lines = [row for told in report.told for one in told.compactions for row in _cells(told, one)]
    lines += [
        ("all", str(found.count), "-", name, *_mean_cells(found))
        for name, found in every.texts.items()
        if found is not None
    ]
    yield from _columns([_HEADS, *lines])
    yield ""
    sides = [row for told in report.told for one in told.compactions for row in _sides(broken([one]), told, one)]
    yield from _columns([_BREAK_HEADS, *sides, *_sides(every.broken)])
    for told in report.told:
        yield from (f"{told.session.id}: {note.plain.strip()}" for note in _notes(told))
    yield from _more(report)


def _cells(told: Told, one: Compacted) -> Iterator[tuple[str, ...]]:
    for name in TEXTS:
        if (found := text(one, name)) is not None:
            called = f"memd:{one.given.how.value}" if name == "memd" and one.given else name
            shares = found.coverage.shares
            yield (
                told.session.id,
                str(one.boundary.ordinal),
                f"#{one.boundary.number}",
                called,
                str(found.tokens),
                *(_figure(shares.get(kind)) for kind in KINDS),
                _figure(found.coverage.mean),
            )


def _mean_cells(found: Mean) -> tuple[str, ...]:
    return (str(found.tokens), *(_figure(found.shares.get(kind)) for kind in KINDS), _figure(found.mean))


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _sides(found: Broken, told: Told | None = None, one: Compacted | None = None) -> Iterator[tuple[str, ...]]:
    name = told.session.id if told else "all"
    ordinal = str(one.boundary.ordinal) if one else "-"
    for place, counts in (("after", found.after), ("control", found.control)):
        yield (name, ordinal, place, str(found.calls), *(str(counts[kind]) for kind in BREAKS))


def _columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield from ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
