"""The torture suite in short; docs/reliability.md says how its long forms are run, and what they came to.

Each promise that the model holds was seen broken once; the page names the break for each.
"""

import os

import pytest
from fuzz import fuzz, parsers
from kills import Torture
from walk import Walk

LONG = int(os.environ.get("MEMD_TORTURE", "1"))
"""So many times as long as in the suite."""


@pytest.mark.timeout(300 * LONG)
def test_killed_at_any_moment_nothing_is_lost_and_nothing_doubled(tmp_path):
    """SIGKILL while three clients write, cut, replace, pack and delete: each line once, under its number, and sets whole."""
    torture = Torture(tmp_path, 20261130, epoch=6)
    assert torture.run(10 * LONG) > 0
    assert torture.syncs > 3 * LONG


@pytest.mark.timeout(300 * LONG)
@pytest.mark.parametrize("seed", [20261130, 20261131])
def test_a_walk_of_everything_that_happens_to_transcripts(tmp_path, seed):
    """Any operation between any two small steps, crashes and jumps of the clock: the record is what the files have shown."""
    assert Walk(tmp_path, seed).run(240 * LONG) > 0


@pytest.mark.timeout(300 * LONG)
def test_no_input_is_too_much_for_a_parser():
    """Damaged rows, payloads, texts, cursors and bytes: nothing but what a parser may say, in time."""
    counts, _ = fuzz(6_000 * LONG, 20261130)
    assert set(counts) == set(parsers())
