"""`memd report --html`: one page that needs nothing else: no script, no font, no network (its own policy forbids all).

Every text from a session goes through `_text`: what acts is made visible, what is markup is escaped.
"""

import time
from collections.abc import Iterable, Iterator
from html import escape

from memd import __version__
from memd.cli.common import short_name, thousands
from memd.cli.report import Report
from memd.cli.report_chart import chart
from memd.cli.report_style import STYLE
from memd.cli.report_table import NAMES
from memd.model.text import clock, oneline, printable
from memd.report.breaks import KINDS as BREAKS
from memd.report.breaks import Break, Window
from memd.report.needs import KINDS
from memd.report.overall import TEXTS, Broken, Overall, broken, overall, text
from memd.report.told import Compacted, How, Told

WIDTHS = {"wide": 800, "narrow": 360}
LISTED = 60
"""So many breaks of a compaction are listed one by one."""
_KINDS = {
    "paths": "paths",
    "names": "names",
    "values": "values",
    "commands": "commands",
    "person": "person's sentences",
    "tasks": "open tasks",
}
_HOWS = {
    How.GIVEN: "as it was given",
    How.HANDED: "as a hook took it, though nothing shows that it arrived",
    How.COMPUTED: "what it makes of the record before the compaction, since it gave nothing then",
}
_CALLED = {"memd": "memd", "summary": "tool's summary", "both": "both"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_COVERED = (
    "Covered: of the exact things that the agent or the person used in the 150 entries after a compaction, that the session had"
    " before it and that nothing had shown again first, the share that stands in a text; every sentence of the person's and every"
    " open task is needed. The mean counts each kind alike."
)
_BREAKS = (
    "Breaks: calls after the compaction that repeat or run against what came before it. Beside them the same count in as many"
    " calls directly before the compaction, where nothing was forgotten: agents repeat themselves there too."
)
_RULES = "All rules, exact enough to be computed by somebody else, are in memd's docs/continuity.md."


def html(report: Report, now: int | None = None) -> str:
    """The page; `now` is when it is made, in milliseconds."""
    at = int(time.time() * 1000) if now is None else now
    every = overall(report.told)
    count = f"{_many(every.compactions, 'compaction')} in {_many(len(report.told), 'session')}"
    older = f"; {report.older} older sessions are left out" if report.older else ""
    made = f"Made by memd {_text(__version__)}, {clock(at)}."
    body = [
        f'<header><h1>Continuity</h1><p class="soft">{count}{older}. {made}</p></header>',
        _tiles(every),
        _defined(),
        *map(_session, report.told),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>Continuity, by memd</title><style>{STYLE}</style>'
    )
    return "\n".join(["<!doctype html>", f'<html lang="en"><head>{head}</head><body>', *body, "</body></html>", ""])


def _text(words: str, limit: int = 300) -> str:
    return escape(printable(oneline(words, limit)))


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _tiles(every: Overall) -> str:
    found = [(name, every.texts[name]) for name in TEXTS]
    tiles = [
        f'<div class="card"><b class="{name}">{_percent(mean.mean)}</b>'
        f'<span class="soft">covered by {"both together" if name == "both" else _article(name)}'
        f"{f', {mean.count} of {every.compactions}' if mean.count < every.compactions else ''}</span></div>"
        for name, mean in found
        if mean is not None
    ]
    if every.broken.calls:
        after, control = sum(every.broken.after.values()), sum(every.broken.control.values())
        told = f"breaks in {every.broken.calls} calls after; {control} in as many before"
        tiles.append(f'<div class="card"><b>{after}</b><span class="soft">{told}</span></div>')
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _article(name: str) -> str:
    return "memd's text" if name == "memd" else "the tool's own summary"


def _defined() -> str:
    told = "".join(f"<p>{escape(line)}</p>" for line in (_COVERED, _BREAKS, _RULES))
    return f"<details><summary>What the figures mean</summary>{told}</details>"


def _session(told: Told) -> str:
    session = told.session
    title = _text(session.title or short_name(session), 160)
    where = f" in <code>{_text(session.cwd)}</code>" if session.cwd else ""
    notes = [] if told.whole else ["Its transcript is gone: what was known before is taken from the record."]
    notes += [] if told.compactions else ["Not compacted yet."]
    parts = [
        f'<section><h2>{title}</h2><p class="soft"><code>{_text(session.id)}</code>{where}</p>',
        *(f'<p class="warn">{note}</p>' for note in notes),
        _drawn(told),
        *(_compaction(one) for one in told.compactions),
        "</section>",
    ]
    return "\n".join(parts)


def _drawn(told: Told) -> str:
    charts = {name: chart(told, width) for name, width in WIDTHS.items()}
    if not charts["wide"]:
        return '<div class="card soft">How full the context was is not recorded.</div>'
    drawn = "".join(f'<div class="{name}">{svg}</div>' for name, svg in charts.items())
    window = f" of {thousands(told.window)}" if told.window else ""
    key = f'<span>tokens in the context{window}</span><span class="k2">compaction</span><span class="k3">checkpoint</span>'
    return f'<div class="card"><h3>Context use</h3>{drawn}<div class="key soft">{key}</div></div>'


def _compaction(one: Compacted) -> str:
    bound = one.boundary
    sizes = [thousands(size) for size in (bound.before, bound.after) if size is not None]
    told = f"{_text(bound.trigger, 40)}, after #{bound.number}, {clock(bound.at)}"
    told += f", {' → '.join(sizes)} tokens" if sizes else ""
    head = f'<h3>Compaction {bound.ordinal}</h3><p class="soft">{told}</p>'
    return f'<div class="card">{head}{_covered(one)}{_broken(broken([one]), one)}</div>'


def _covered(one: Compacted) -> str:
    texts = [(name, found) for name in TEXTS if (found := text(one, name)) is not None]
    if not texts:
        return '<p class="soft">Nothing that was known before was needed after it.</p>'
    sizes = {name: f"{thousands(found.tokens)} tokens" for name, found in texts}
    heads = "".join(
        f'<th class="share {n}" scope="col">{_CALLED[n]}<br><small>{sizes[n]}</small></th>' for n, _ in texts
    )
    rows = [
        f'<tr><th scope="row">{_KINDS[kind]} <small>({one.needed.needed[kind]})</small></th>'
        f"{''.join(_cell(name, found.coverage.shares[kind]) for name, found in texts)}</tr>"
        for kind in KINDS
        if kind in one.needed.needed
    ]
    mean = "".join(_cell(name, found.coverage.mean) for name, found in texts)
    rows.append(f'<tr class="mean"><th scope="row">mean</th>{mean}</tr>')
    how = f'<p class="soft">{escape(_how(one))}</p>'
    return (
        f'<table><thead><tr><th scope="col">covered</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>{how}'
    )


def _how(one: Compacted) -> str:
    given = "none, because it keeps no checkpoint of a sub-agent" if one.given is None else _HOWS[one.given.how]
    number = f" (checkpoint {one.given.number})" if one.given and one.given.number else ""
    summary = "" if one.summary else "; the tool's own summary cannot be read in its transcript"
    return f"memd's text: {given}{number}{summary}."


def _cell(name: str, share: float) -> str:
    bar = f'<span class="bar"><i style="width:{100 * share:.0f}%"></i></span>'
    return f'<td class="share {name}">{_percent(share)}{bar}</td>'


def _broken(found: Broken, one: Compacted) -> str:
    if not found.calls:
        return '<p class="soft">Too few calls around it for a comparison of breaks.</p>'
    rows = "".join(
        f'<tr><th scope="row">{NAMES[kind]}</th>{_count(found.after[kind], found.control[kind])}'
        f'<td class="n">{found.control[kind]}</td></tr>'
        for kind in BREAKS
    )
    heads = '<th class="n" scope="col">after</th><th class="n" scope="col">before</th>'
    head = f'<tr><th scope="col">breaks in {found.calls} calls</th>{heads}</tr>'
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" + _listed(
        (("after", one.after), ("before", one.control))
    )


def _count(after: int, control: int) -> str:
    return f'<td class="n{" warn" if after > control else ""}">{after}</td>'


def _listed(windows: Iterable[tuple[str, Window | None]]) -> str:
    """The breaks one by one, those after the compaction first."""
    found = [(place, one) for place, window in windows if window is not None for one in window.breaks]
    if not found:
        return ""
    rows = list(_lines(found[:LISTED]))
    rows += [f"<li>and {len(found) - LISTED} more</li>"] if len(found) > LISTED else []
    return f"<details><summary>{_many(len(found), 'break')} one by one</summary><ul>{''.join(rows)}</ul></details>"


def _lines(found: Iterable[tuple[str, Break]]) -> Iterator[str]:
    for place, one in found:
        earlier = f", earlier #{one.earlier}" if one.earlier is not None else ""
        yield f"<li>{place}, #{one.number}: {NAMES[one.kind]}{earlier}: <code>{_text(one.what)}</code></li>"
