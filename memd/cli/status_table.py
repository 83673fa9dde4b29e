"""`memd status` on a terminal: a line a session where there is room, else two, then what is wrong and what mends it."""

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memd.cli.common import short_name, thousands
from memd.cli.status import View
from memd.cli.status_words import called, models, nothing, older, running, troubles
from memd.daemon.survey import Row
from memd.health import Reason
from memd.model.text import ago, named, oneline, printable

COLOURS = {"ok": "green", "stale": "yellow", "degraded": "yellow", "failing": "bold red", "never": "dim"}
ROOM = 120
"""Columns that a line a session needs; under that each takes two lines."""
WHOLE = 150
"""Columns from which such a line has the checkpoint's writer and size."""
BRIEF = 76
"""Columns under which the second line leaves out the checkpoint, and has the name at its end."""
CELLS = 12
"""How long the context's bar is."""


def page(view: View, width: int, height: int | None = None) -> RenderableType:
    """The view for a terminal of so many columns; with `height` no more sessions than fit on its lines."""
    view = view if height is None else _fitting(view, width, height)
    parts: list[RenderableType] = [_daemon(view)]
    parts += [Text(f"! {trouble}", "yellow") for trouble in troubles(view)]
    parts += [Text(cost, "dim")] if (cost := models(view.settings, view.spent)) else []
    if not view.rows:
        parts.append(Text(nothing(view)))
        return Group(*parts)
    if view.story:
        from memd.cli.status_story_page import story  # noqa: PLC0415 - only where one session is asked about

        parts += [Text(), story(view.rows[0], view.story, view.at)]
    else:
        parts += [Text(), _table(view.rows, view.at, width) if width >= ROOM else _pairs(view.rows, view.at, width)]
    parts += [Text(rest, "dim")] if (rest := older(view)) else []
    reasons = list(_grouped(view.rows))
    parts += [Text()] if reasons else []
    parts += [_reason(reason, names) for reason, names in reasons]
    parts += [Text(f"\nnote: {note}", "dim") for note in view.notes]
    return Group(*parts)


def _fitting(view: View, width: int, height: int) -> View:
    """The newest sessions that there is room for, with what is wrong with them; the others are counted with the old ones."""
    around = 6 + len(troubles(view)) + 3 * (len(view.notes) + sum(1 for _ in _grouped(view.rows)))
    count = max(1, (height - around) // (1 if width >= ROOM else 2))
    if view.story or len(view.rows) <= count:
        return view
    others = Counter(view.older)
    others.update(row.session.tool for row in view.rows[count:])
    return replace(view, rows=view.rows[:count], older=others)


def _daemon(view: View) -> Text:
    words = running(view)
    if view.daemon is not None:
        return Text.assemble(("● ", "green"), words)
    return Text(f"● {words}", "bold red") if view.hung is not None else Text(words, "yellow")


def _table(rows: Iterable[Row], now: int, width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True, padding=(0, 2, 0, 0))
    for name in ("health", "session", "project", "title", "context", "checkpoint", "delivery"):
        flexible = name in {"project", "title"}
        table.add_column(
            name, no_wrap=True, overflow="ellipsis", ratio=(2 if name == "title" else 1) if flexible else None
        )
    for row in rows:
        table.add_row(
            health(row),
            Text(short_name(row.session)),
            Text(project(row)),
            Text(called(row)),
            bar(row),
            made(row, now, whole=width >= WHOLE),
            given(row, now),
        )
    return table


def _pairs(rows: Iterable[Row], now: int, width: int) -> Table:
    """Two lines a session, for narrow terminals."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(20, width - 13))
    for row in rows:
        name, title = Text(short_name(row.session), "dim"), Text(called(row))
        head = (Text(oneline(project(row), width // 4), "bold"), *((name, title) if width >= BRIEF else (title,)))
        facts = (bar(row), *((made(row, now),) if width >= BRIEF else ()), given(row, now))
        table.add_row(health(row), Text("  ").join(head))
        table.add_row("", Text("  ").join(facts if width >= BRIEF else (*facts, name)))
    return table


def health(row: Row) -> Text:
    """A dot and the word, in the verdict's colour."""
    word = row.verdict.health.value
    return Text(f"{'○' if row.state in {'ended', 'idle'} else '●'} {word}", COLOURS[word])


def project(row: Row) -> str:
    """The directory's last name, which is how people call it; `(foreign)` where it is not on this machine."""
    name = named(PurePath(row.session.cwd).name or "/") if row.session.cwd else "?"
    return f"{name} (foreign)" if row.state == "foreign" else name


def bar(row: Row) -> Text:
    """How full the context is, with a mark where the tool compacts by itself."""
    tokens, window = row.session.tokens, row.window
    if tokens is None or not window:
        return Text(f"{thousands(tokens)} tokens" if tokens is not None else "?", "dim")
    limit = row.threshold or window
    full, mark = round(CELLS * min(1, tokens / window)), min(CELLS - 1, int(CELLS * limit / window))
    colour = "green" if tokens < 0.7 * limit else "yellow" if tokens < 0.95 * limit else "red"
    text = Text()
    for cell in range(CELLS):
        if row.threshold and cell == mark:
            text.append("│")
        else:
            text.append(*(("━", colour) if cell < full else ("─", "bright_black")))
    return text.append(f" {100 * tokens / window:3.0f}%")


def made(row: Row, now: int, *, whole: bool = True) -> Text:
    """The current checkpoint: number, age, and with `whole` writer and size."""
    found = row.checkpoint
    if found is None:
        return Text("none" if row.session.parent is None else "the parent's", "dim")
    if not whole:
        return Text(f"{found.number}, {ago(found.at, now)}")
    size = f" {thousands(found.tokens.total)}" if found.tokens else ""
    return Text.assemble(f"{found.number}, {ago(found.at, now)}", (f" {found.writer}{size}", "dim"))


def given(row: Row, now: int) -> Text:
    """How far the last text that was given back has come; before the first, that one lies ready."""
    found = row.delivery
    if found is None:
        return Text("ready" if row.checkpoint else "-", "dim")
    colour = {"written": "", "delivered": "yellow"}.get(found.level, "green")
    return Text.assemble((found.level, colour), (f" {found.number}, {ago(found.at, now)}", "dim"))


def _grouped(rows: Iterable[Row]) -> Iterable[tuple[Reason, list[str]]]:
    """Each reason once, with the sessions that it concerns."""
    found: dict[tuple[str, str], tuple[Reason, list[str]]] = {}
    for row in rows:
        for reason in row.verdict.reasons:
            found.setdefault((reason.text, reason.fix), (reason, []))[1].append(short_name(row.session))
    return found.values()


def _reason(reason: Reason, names: list[str]) -> Text:
    who = names[0] if len(names) == 1 else f"{len(names)} sessions"
    colour = COLOURS[reason.health.value]
    return Text.assemble((printable(f"{who}: {reason.text}"), colour), printable(f"\n  → {reason.fix}"))
