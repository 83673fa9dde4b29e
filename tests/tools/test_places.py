"""What a reader's state looks up by key."""

from hypothesis import given
from hypothesis import strategies as st

from memd.tools.places import Places

KEYS = st.sampled_from("abc")


@given(st.lists(st.tuples(st.integers(0, 20), KEYS, st.integers(0, 3)), max_size=20))
def test_a_state_keeps_its_places_whatever_is_made_of_it(steps):
    """From any earlier state another one can be made: each has what was put on the way to it, in that order, and nothing else."""
    states, expected = [Places()], [{}]
    for step, key, value in steps:
        start = step % len(states)
        states.append(states[start].put(key, value))
        expected.append({**expected[start], key: str(value)})
    assert [list(each.items()) for each in expected] == [list(state.new.items()) for state in states]
    assert [len(each) for each in expected] == [len(state.new) for state in states]
    assert [each.get("a") for each in expected] == [state.new.get("a") for state in states]


def test_what_was_saved_gives_way_to_what_came_since():
    """A place that is put again is another one from then on."""
    before = Places({"a": "1", "b": "2"})
    after = before.put("a", [3])
    assert [before.get("a"), after.get("a"), after.get("b"), after.get("c")] == [1, [3], 2, None]
