"""The order of strings goes on from turn to turn."""

import random

from memd.extract.mentions import MEMO, Home, Mentions
from memd.extract.ranking import VARIANT, in_order, ranked

HOMES = (MEMO, Home("in my words"), Home("changed", "/a.py"))
STRINGS = (
    *(("name", f"{a}.{b}", "") for a in ("one", "two", "three", "four") for b in ("size", "load", "part")),
    *(("name", b, "") for b in ("size", "load")),
    *(("path", f"src/{n}.py", "") for n in range(30)),
    *(("value", str(100 + n), "Line") for n in range(30)),
)


def written(chance, entries):
    """As many entries, each some strings at one home."""
    for number in range(1, entries + 1):
        yield number, [(chance.choice(HOMES), chance.sample(STRINGS, chance.randrange(4)))]


def take(found, entries):
    for number, said in entries:
        found.calls += 1
        found.add(number, said)
    return found


def plainly(found):
    """All at once: what counts most first, of names that end alike the most mentioned for all of them, others a fifth."""
    tallies = found.tallies
    scores = {item: tally.score for item, tally in tallies.items()}
    for end in {item.rpartition(".")[2] for item, tally in tallies.items() if tally.kind == "name" and "." in item}:
        alike = [
            item
            for item, tally in tallies.items()
            if item == end or (tally.kind == "name" and item.endswith(f".{end}"))
        ]
        if len(alike) > 1:
            best = max(alike, key=lambda item: (tallies[item].score, -tallies[item].place))
            total = sum(tallies[item].score for item in alike)
            scores |= {item: total if item == best else tallies[item].score // VARIANT for item in alike}
    return sorted((-score, item) for item, score in scores.items() if tallies[item].home is not MEMO)


def test_what_moves_is_put_among_what_stays():
    """After each of many turns the order is the one that sorting all at once gives, open entries beside settled ones."""
    for seed in range(5):
        chance = random.Random(seed)
        entries, base, settled = list(written(chance, 60)), Mentions(), 0
        while settled < len(entries):
            turn = entries[settled : (settled := settled + chance.randrange(1, 9))]
            found = take(Mentions(in_order(take(base, turn))), entries[settled : settled + 4])
            assert plainly(take(Mentions(), entries[: settled + 4])) == list(ranked(found))


def test_the_order_of_what_is_settled_is_left_as_it_is():
    """What is open is added anew each time: it must not stand in what is carried on."""
    base = in_order(take(Mentions(), written(random.Random(1), 50)))
    before = list(base.order)
    list(ranked(take(Mentions(base), written(random.Random(2), 20))))
    assert before == base.order
