"""From what a terminal shows, ANSI colours included, to an SVG: one screen, or a film of several.

rich reads the colours. Each run of one style is a `<text>` of the length that its cells have, so that columns stay in line
whatever fixed-width font the reader has; nothing is fetched. A film is moved by CSS alone, and where nothing moves (a
reader who wants no motion, a viewer without CSS) it stays at one screen, its poster.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME as THEME
from rich.text import Text

CELL, LINE, SIZE = 8.4, 18, 14
"""Pixels: how wide a cell is, how high a line, and the font."""
EDGE, BAR = 14, 34
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_INK, _PAPER, _TITLE = "#c5c8c6", "#1e2127", "#9aa0a6"


@dataclass(frozen=True)
class Screen:
    """One picture: a caption for the window's title bar, the text with its ANSI codes, and how long a film shows it."""

    title: str
    ansi: str
    seconds: float = 4.0


def still(screen: Screen, columns: int) -> str:
    """An SVG of one screen."""
    rows = len(screen.ansi.splitlines())
    return _document(columns, rows, "", "".join(_window(screen)))


def film(screens: Sequence[Screen], columns: int, *, poster: int) -> str:
    """An SVG that shows the screens one after the other, for ever; `poster` is the one for readers without motion."""
    rows = max(len(screen.ansi.splitlines()) for screen in screens)
    whole = sum(screen.seconds for screen in screens)
    rules, groups, at = [], [], 0.0
    for number, screen in enumerate(screens):
        start, end = 100 * at / whole, 100 * (at + screen.seconds) / whole
        at += screen.seconds
        shown = f"0%{{visibility:hidden}}{start:.2f}%{{visibility:visible}}"
        begin = "0%{visibility:visible}" if number == 0 else shown
        rules.append(f"@keyframes k{number}{{{begin}{end:.2f}%,100%{{visibility:hidden}}}}")
        rules.append(f"#s{number}{{animation:k{number} {whole:g}s step-end infinite}}")
        hidden = "" if number == poster else ' visibility="hidden"'
        groups.append(f'<g id="s{number}"{hidden}>{"".join(_window(screen))}</g>')
    motion = "@media (prefers-reduced-motion: no-preference){" + "".join(rules) + "}"
    return _document(columns, rows, motion, "".join(groups))


def _document(columns: int, rows: int, style: str, content: str) -> str:
    width, height = round(columns * CELL + 2 * EDGE), rows * LINE + BAR + EDGE
    base = f"text{{font:{SIZE}px {_FONT};white-space:pre}}"
    lights = "".join(
        f'<circle cx="{EDGE + 6 + 18 * place}" cy="17" r="5.5" fill="{fill}"/>'
        for place, fill in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{base}{style}</style><rect width="{width}" height="{height}" rx="9" fill="{_PAPER}" stroke="#3a3f4b"/>'
        f"{lights}{content}</svg>\n"
    )


def _window(screen: Screen) -> Iterator[str]:
    yield f'<text x="84" y="22" fill="{_TITLE}" xml:space="preserve">{escape(screen.title)}</text>'
    for row, line in enumerate(AnsiDecoder().decode(screen.ansi)):  # one decoder: a colour goes on over the line's end
        yield from _line(line, BAR + LINE * row)


def _line(line: Text, top: int) -> Iterator[str]:
    column = 0
    for segment in _runs(line):
        style, cells = segment.style or Style(), cell_len(segment.text)
        ink, paper = _colours(style)
        left, width = EDGE + column * CELL, cells * CELL
        column += cells
        if paper:
            yield f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{LINE}" fill="{paper}"/>'
        if segment.text.strip():
            yield (
                f'<text x="{left:.1f}" y="{top + 13}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
                f'xml:space="preserve" fill="{ink}"{_weight(style)}>{escape(segment.text)}</text>'
            )


def _runs(line: Text) -> Iterator[Segment]:
    """Pieces of one style; leading blanks are pieces of their own, so that no viewer trims them."""
    console = Console(file=io.StringIO(), width=1000, color_system="truecolor", force_terminal=True)
    for segment in Segment.simplify(line.render(console)):
        inner = segment.text.lstrip(" ")
        if blanks := len(segment.text) - len(inner):
            yield Segment(" " * blanks, segment.style)
        kept = inner.rstrip(" ")
        if kept:
            yield Segment(kept, segment.style)
        if trailing := len(inner) - len(kept):
            yield Segment(" " * trailing, segment.style)


def _colours(style: Style) -> tuple[str, str | None]:
    ink = style.color.get_truecolor(THEME).hex if style.color and not style.color.is_default else _INK
    back = style.bgcolor
    paper = back.get_truecolor(THEME, foreground=False).hex if back and not back.is_default else None
    return (paper or _PAPER, ink) if style.reverse else (ink, paper)


def _weight(style: Style) -> str:
    return (
        (' font-weight="bold"' if style.bold else "")
        + (' opacity=".6"' if style.dim else "")
        + (' font-style="italic"' if style.italic else "")
    )
