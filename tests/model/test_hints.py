"""Where a secret may stand: what the automata give is what a look at every place gives."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from memd.model import hints

PIECES = [piece.decode() for piece in hints._FOLLOWING]
PARTS = st.sampled_from(
    [*PIECES, *"x :=_-\"'é→", "\ud83d", "eyJ", "secre", "@b.", "--", "aB3dE5fG7hJ9kL1mN3pQ5", "://u:pw1@"]
)
TEXTS = st.lists(PARTS, max_size=12).flatmap(
    lambda parts: st.lists(st.integers(0, 200), max_size=3).map(lambda gone: without("".join(parts), gone))
)


def without(text, places):
    """The text without some of its characters, so that pieces overlap and miss their ends."""
    return "".join(character for place, character in enumerate(text) if place not in places)


def reference(text):
    """Every piece at every place, by its end; what follows it; a name before a blank only where it is a flag."""
    places = (
        (place + len(piece), place, piece)
        for piece in PIECES
        for place in range(len(text))
        if text.startswith(piece, place)
    )
    for end, start, piece in sorted(places):
        found = re.compile(hints._FOLLOWS[piece]).match(text, end)
        if found and (found.lastgroup != "blank" or "--" in text[max(0, start - hints.BACK) : start]):
            yield start, found.end()


@given(TEXTS)
@example("_v1_v1_aB3dE5fG7hJ9kL1mN3pQ5")
@example("xoxoxb-aB3dE5fG7hJ9")
@example("secretoken=")
@example("api_keyJaB3dE5fG7hJ9kL1mN3pQ5.")
@example("é→ PRIVATE KEY=")
@example("AKIAABCDEFGHIJKLMNOP glpat-aB3dE5fG7hJ9 token=")
def test_every_piece_is_found_wherever_it_begins(text):
    """Inside of another, behind letters of all scripts, at either end."""
    assert hints.hints(text) == list(reference(text))
