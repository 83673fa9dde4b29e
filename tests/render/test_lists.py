"""Lists of one title in one section: shown as one, their rows of one place as one row."""

from memd.render.lists import merged


def test_lists_of_one_title_become_one():
    """In the place of the first, rows in their order; other blocks stay where they are."""
    blocks = ["- run:\n  `a` (#1)", "- note", "- read:\n  x.py", "- run:\n  `b: c` (#2)\n  `b: d` (#2)"]
    assert merged(blocks) == ["- run:\n  `a` (#1)\n  `b: c` (#2)\n  `b: d` (#2)", "- note", "- read:\n  x.py"]


def test_strings_of_one_place_stand_in_one_row():
    """A place that stood without strings gets them; how it was touched stays in its first row."""
    blocks = ["- files:\n  a.py (#3)\n  b.py: one", "- files:\n  b.py: two three\n  a.py: four"]
    assert merged(blocks) == ["- files:\n  a.py (#3): four\n  b.py: one two three"]


def test_that_a_list_was_cut_is_said_once_at_its_end():
    """However many of its parts were."""
    blocks = ["- files:\n  a.py\n  …", "- files:\n  b.py\n  …"]
    assert merged(blocks) == ["- files:\n  a.py\n  b.py\n  …"]


def test_quotations_are_no_lists():
    """What the agent wrote is quoted as it is, twice if need be."""
    blocks = ["- I wrote:\n  > a: b\n  > a: b", "- I wrote:\n  > a: b"]
    assert merged(blocks) == blocks
