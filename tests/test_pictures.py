"""The documents' pictures: whole, shown somewhere, fetching nothing; and the drawing of terminals keeps columns and colours."""

import re
import xml.etree.ElementTree as ET

import pytest
from documents import PAGES, ROOT
from terminal_svg import Screen, film, still

IMAGES = sorted((ROOT / "docs" / "images").iterdir())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_a_picture_is_small_shown_and_fetches_nothing(image):
    """A page shows it; it loads nothing from elsewhere, and runs nothing."""
    assert any(f"images/{image.name})" in page.read_text("utf-8") for page in PAGES)
    assert image.stat().st_size < 120_000
    if image.suffix == ".svg":
        text = image.read_text("utf-8")
        ET.fromstring(text)
        assert not re.search(r"(?:href|src)=|url\((?!#)|@import|<script", text)


def drawn(picture):
    return [(text.text, float(text.get("x")), text.get("fill")) for text in ET.fromstring(picture).iter(f"{SVG}text")]


def test_runs_stand_at_their_columns_in_their_colours():
    """Each run begins at the cell where the terminal has it, wide letters count two, and a colour goes on over a line's end."""
    _, first, wide, second, third = drawn(still(Screen("t", "ab\x1b[31m 日\n  cd\x1b[0m e"), 20))
    assert [text for text, _, _ in (first, wide, second, third)] == ["ab", "日", "cd", "e"]
    cell = (wide[1] - first[1]) / 3
    assert second[1] == pytest.approx(first[1] + 2 * cell)
    assert third[1] == pytest.approx(first[1] + 5 * cell)
    assert first[2] == third[2] != wide[2] == second[2]


def test_a_film_without_motion_is_its_poster():
    """Every screen but the poster is hidden; only where motion is wanted do they take turns, each for its time."""
    root = ET.fromstring(film([Screen("a", "x", 1), Screen("b", "y", 3)], 10, poster=1))
    hidden = {group.get("id"): group.get("visibility") for group in root.iter(f"{SVG}g")}
    assert hidden == {"s0": "hidden", "s1": None}
    style = next(root.iter(f"{SVG}style")).text
    assert "prefers-reduced-motion: no-preference" in style
    assert "25.00%{visibility:visible}" in style
