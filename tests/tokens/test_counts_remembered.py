"""Counts that are remembered by a hash of the text."""

from memd.tokens.seen import Seen

LIMIT = 4


def test_the_last_counts_are_known():
    """At least as many as the limit, whatever came before."""
    seen = Seen(LIMIT)
    for number in range(50):
        seen.put(str(number), number)
        known = [seen.get(str(one)) for one in range(max(0, number - LIMIT + 1), number + 1)]
        assert known == list(range(max(0, number - LIMIT + 1), number + 1))


def test_no_more_than_twice_the_limit_is_held():
    """What nobody asked for since is forgotten."""
    seen = Seen(LIMIT)
    for number in range(50):
        seen.put(str(number), number)
        assert len(seen) <= 2 * LIMIT
    assert seen.get("0") is None


def test_what_is_asked_for_stays():
    """Asking for an old count keeps it."""
    seen = Seen(LIMIT)
    seen.put("kept", 7)
    for number in range(50):
        seen.put(str(number), number)
        assert seen.get("kept") == 7
