"""Which references share their line with what they are for."""

import pytest

from benchmarks import purpose

TEXT = """memd checkpoint 7, part 1 of 1
This is my record, kept by my_program.

## Mission
- M1 [active] Make src/app.py run (#1)

## Progress
- Done: wrote src/app.py
- src/other.py

## Exact references
- files changed:
  src/app.py (#5): maxRetries baseDelay
  src/new.py
- lib/a.py lib/b.py
(left out for room: 3 of `memd show 5e551071 scene`)
"""


def test_a_reference_is_clear_beside_words_or_the_place_it_belongs_to():
    """By the line alone: a title above it does not count."""
    assert purpose.share(TEXT) == 4 / 8
    assert purpose.share("nothing here") is None


@pytest.mark.parametrize("row", ["> src/app.py", "(left out for room: src/app.py)"])
def test_quotations_and_pointers_do_not_count(row):
    """They are other people's lines, or memd's own."""
    assert purpose.share(f"## Progress\n{row}\n") is None
