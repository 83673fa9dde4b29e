"""The chart of `memd report --html`: where things are drawn."""

import re
import xml.etree.ElementTree as ET

from factories import Story

from memd.cli.report_chart import BOTTOM, HEIGHT, LEFT, POINTS, RIGHT, TOP, chart
from memd.model import Checkpoint, Fill, Parts
from memd.report import needs
from memd.report.told import Compacted, Told

WIDTH = 360
NOTHING = needs.Coverage({}, {})


def told(fills, *, entries=100, window=200_000, boundaries=(), upto=()):
    story = Story()
    story.number = entries
    for number, before, after in boundaries:
        story.number = number
        story.compacts()
        story.boundaries[-1] = story.boundaries[-1].__class__(len(story.boundaries), number, 50, "auto", before, after)
    story.number = entries
    compacted = tuple(Compacted(one, NOTHING, None, None, None, None, None, None) for one in story.boundaries)
    made = tuple(
        Checkpoint("s", n, 0, "extractive", "turn", at, "", Parts("", b"", "")) for n, at in enumerate(upto, 1)
    )
    return Told(story.material().session, compacted, tuple(Fill(*one) for one in fills), made, window, whole=True)


def line(svg):
    (points,) = re.findall(r'<polyline class="use" points="([^"]*)"', svg)
    return [tuple(map(float, point.split(","))) for point in points.split()]


def test_a_full_window_touches_the_top_and_nothing_the_bottom():
    """From left to right by entries, from the axis up to the window by tokens."""
    svg = chart(told([(0, 1, 0), (50, 2, 100_000), (100, 3, 200_000)]), WIDTH)
    ET.fromstring(svg)
    assert line(svg) == [
        (LEFT, HEIGHT - BOTTOM),
        ((LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2),
        (WIDTH - RIGHT, TOP),
    ]


def test_a_compaction_is_a_fall_at_its_place():
    """From what was before it to what was after, whatever answer has the same number; answers from after it come after."""
    svg = chart(told([(50, 1, 80_000), (50, 60, 20_000)], boundaries=[(50, 100_000, 10_000)]), WIDTH)
    heights = [round((HEIGHT - BOTTOM - y) / (HEIGHT - TOP - BOTTOM) * 200) for _, y in line(svg)]
    assert heights == [80, 100, 10, 20]
    assert svg.count('class="compaction"') == 1


def test_each_checkpoint_has_its_mark():
    """At the entry up to which it has seen, with its number."""
    svg = chart(told([(0, 1, 5), (100, 2, 9)], upto=[10, 100]), WIDTH)
    assert re.findall(r"<title>(.*?)</title>", svg) == ["checkpoint 1", "checkpoint 2"]
    assert f'd="M{WIDTH - RIGHT}.0 ' in svg


def test_long_sessions_stay_small_and_keep_their_peaks():
    """Of points that fall together the fullest is among those that are drawn."""
    fills = [(n, n, 1_000 + 150_000 * (n == 7_777)) for n in range(20_000)]
    svg = chart(told(fills, entries=20_000), WIDTH)
    points = line(svg)
    assert len(points) <= 4 * (POINTS + 1)
    assert min(y for _, y in points) < HEIGHT / 2
    assert len(svg) < 30_000


def test_without_a_size_there_is_no_chart():
    """Nothing is drawn of what is not known; an unknown window is none to be drawn."""
    assert chart(told([]), WIDTH) == ""
    assert 'class="window"' not in chart(told([(1, None, 4_000)], window=None), WIDTH)


def test_a_session_of_one_entry_can_be_drawn():
    """No division by nothing."""
    ET.fromstring(chart(told([(0, 1, 0)], entries=0, window=None), WIDTH))
