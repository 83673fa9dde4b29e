"""How the cost of a look at a text grows with the text, whatever else the machine does."""

import time

_ROUNDS, _LEAST = 3, 0.002
"""In turns, since another program may slow one of them; seconds below which a clock tells nothing."""


def growth(look, once, twice):
    """How many times the processor time of a text another takes that is twice as long: 2 where each letter costs the same."""
    times = [[_spent(look, text) for text in (once, twice)] for _ in range(_ROUNDS)]
    short, long = map(min, zip(*times, strict=True))
    return max(long, _LEAST) / max(short, _LEAST)


def _spent(look, text):
    start = time.process_time()
    look(text)
    return time.process_time() - start
