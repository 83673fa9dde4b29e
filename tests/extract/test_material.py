"""What a checkpoint is made from: the newest of a long session."""

from factories import Story
from hypothesis import given
from hypothesis import strategies as st

from memd.extract import material
from memd.extract.material import newest


def numbers(found):
    return [one.number for one in found]


@given(st.integers(1, 60), st.integers(1, 20))
def test_what_is_old_falls_out_a_block_at_a_time(count, last):
    """At least so many are there; the oldest begins a block of entries, so the next entries leave the beginning as it is."""
    story = Story()
    for number in range(count):
        story.agent(f"text {number}")
    agent, block = story.material().agent, 16
    material.BLOCK, before = block, material.BLOCK
    try:
        found = numbers(newest(agent, last))
    finally:
        material.BLOCK = before
    assert found == numbers(agent)[-len(found) :]
    assert len(found) >= min(last, count)
    assert found[0] == 1 or found[0] % block == 0
    assert len(found) - last < block
