"""The chart of a session: how full the context was, its compactions, memd's checkpoints. An SVG without scripts.

The axis from left to right counts entries, because pauses of hours say nothing of continuity; the times stand below it.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from memd.cli.common import thousands
from memd.model import Fill
from memd.model.text import clock
from memd.report.told import Told

HEIGHT, TOP, LEFT, RIGHT, BOTTOM = 220, 22, 40, 12, 34
"""Pixels: the whole height, and what the labels take around the drawing."""
POINTS = 400
"""So many columns a line has at most: of points that fall into one its ends, the fullest and the emptiest are drawn."""
STEPS = (10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000)

Point = tuple[float, float]
Scale = Callable[[float], float]


def chart(told: Told, width: int) -> str:
    """The chart, `width` pixels wide before it is scaled; empty where no answer told its size."""
    points = list(_points(told))
    if not points:
        return ""
    last = max(told.session.messages, 1)
    most = max(*(tokens for _, tokens in points), told.window or 0, 1)

    def x(number: float) -> float:
        return round(LEFT + (width - LEFT - RIGHT) * number / last, 1)

    def y(tokens: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - tokens / most), 1)

    parts = [*_scale(most, width, y), *_times(told.fills, last, width, x)]
    if told.window:
        parts.append(
            f'<line class="window" x1="{LEFT}" x2="{width - RIGHT}" y1="{y(told.window)}" y2="{y(told.window)}"/>'
        )
    line = " ".join(f"{x(number)},{y(tokens)}" for number, tokens in _thinned(points, last))
    ends = x(points[0][0]), x(points[-1][0])
    parts += [
        f'<polygon class="fill" points="{ends[0]},{y(0)} {line} {ends[1]},{y(0)}"/>',
        f'<polyline class="use" points="{line}"/>',
        *(_compaction(one.boundary.ordinal, x(one.boundary.number)) for one in told.compactions),
        *(_checkpoint(x(made.upto), y(0), made.number) for made in told.checkpoints),
    ]
    what = f"Context use over {last} entries, {len(told.compactions)} compactions, {len(told.checkpoints)} checkpoints"
    return f'<svg viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{escape(what)}">{"".join(parts)}</svg>'


def _points(told: Told) -> Iterator[Point]:
    """Entry and tokens, in order; a compaction falls from what was before it to what was after."""
    fell = {one.boundary.number: one.boundary.at or 0 for one in told.compactions}
    found = [
        (fill.number, 3 * ((fill.at or 0) > fell.get(fill.number, fill.at or 0)), fill.tokens) for fill in told.fills
    ]
    for one in told.compactions:
        sizes = (one.boundary.before, one.boundary.after)
        found += [(one.boundary.number, step, size) for step, size in enumerate(sizes, 1) if size is not None]
    yield from ((number, tokens) for number, _, tokens in sorted(found))


def _thinned(points: Sequence[Point], last: int) -> Iterator[Point]:
    """Where many fall into one column of the drawing: its first and last, the fullest and the emptiest."""
    columns = dict[int, list[Point]]()
    for point in points:
        columns.setdefault(int(point[0] * POINTS / last), []).append(point)
    for found in columns.values():
        heights = [tokens for _, tokens in found]
        chosen = {0, heights.index(max(heights)), heights.index(min(heights)), len(found) - 1}
        yield from (found[index] for index in sorted(chosen))


def _scale(most: float, width: int, y: Scale) -> Iterator[str]:
    step = next((one for one in STEPS if most / one <= 5), STEPS[-1])
    for tokens in range(0, int(most) + 1, step):
        at = y(tokens)
        yield f'<line class="grid" x1="{LEFT}" x2="{width - RIGHT}" y1="{at}" y2="{at}"/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{thousands(tokens) if tokens else 0}</text>'


def _times(fills: Sequence[Fill], last: int, width: int, x: Scale) -> Iterator[str]:
    """Entry numbers with the time of the answer next to them."""
    count = max(2, width // 160)
    for step in range(count):
        number = max(1, last * step // (count - 1))
        near = min(fills, key=lambda fill: abs(fill.number - number), default=None)
        anchor = "start" if step == 0 else "end" if step == count - 1 else "middle"
        place = f'x="{x(number)}" text-anchor="{anchor}"'
        yield f'<text {place} y="{HEIGHT - BOTTOM + 15}">#{number}</text>'
        if near is not None and near.at is not None:
            yield f'<text {place} y="{HEIGHT - BOTTOM + 28}">{clock(near.at)[5:]}</text>'


def _compaction(ordinal: int, x: float) -> str:
    line = f'<line class="compaction" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{HEIGHT - BOTTOM}"/>'
    return f'{line}<text class="mark" x="{x}" y="{TOP - 9}" text-anchor="middle">{ordinal}</text>'


def _checkpoint(x: float, y: float, number: int) -> str:
    return f'<path class="checkpoint" d="M{x} {y - 5}l5 5-5 5-5-5z"><title>checkpoint {number}</title></path>'
