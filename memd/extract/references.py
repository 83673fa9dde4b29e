"""The exact strings that will be needed, each with its home: where it was written last, which is what it is for.

One rule ranks them: each mention by the agent or a person counts one, less by a factor e for every 80 tool calls since. What
only a tool printed counts a fiftieth: nearly all that agents need later is something they or the person wrote themselves.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain
from operator import attrgetter

from msgspec import Struct

from memd.extract import shell
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.once import once
from memd.model.strings import found_in, strings

FADE = 80.0
"""Tool calls after which a mention counts a factor e less."""
PRINTED = 0.02
"""What a mention by a tool counts."""
HEARD = 400
"""So many of the newest calls' answers are looked through: a mention in an older one counts less than a seven thousandth."""
VARIANT = 0.2
"""What another form of a name (`b.size` beside `a.size`) counts of its own score."""
SHOWN = 800
"""Characters of a person's message that stand in the memo, with all strings in them."""
NEAR = 1_000
"""So many of the newest prompts are taken whole; of older ones what their strings are is not remembered either."""
PATTERN = 80
"""Characters of a searched pattern that is a reference as a whole."""


_RAN = frozenset({State.DONE, State.FAILED, State.BACKGROUND})


class Home(Struct, frozen=True):
    """What a string is there for: `title` in words (`in changed files`), `place` which of them (a file, a message)."""

    title: str
    place: str = ""


MEMO, CHANGED, READ = Home(""), "changed", "read"
"""A person's words need no home: the memo shows them."""


class Reference(Struct, frozen=True, gc=False):
    """One exact string; `number` is the entry that mentioned it last."""

    text: str
    kind: str
    """`value`, `path`, `name` or `pattern`."""
    score: float
    number: int
    home: Home
    label: str = ""
    """The word before a bare value (`Line` 750)."""


class Command(Struct, frozen=True):
    """One command line, its last run, how much it counts, and how often it ran."""

    line: str
    score: float
    last: Done
    runs: int


Exact = tuple[str, str, str]
"""Kind, string and label, as `strings` gives them."""
Mention = tuple[int, float, Home, Sequence[Exact]]
"""The number of the entry, what a mention in it counts, and of one text that somebody wrote the home and the strings."""


class _Tally(Struct, gc=False):
    """What the mentions of one string so far come to: not frozen, for there are ten times as many mentions as strings."""

    kind: str
    score: float
    number: int
    home: Home
    label: str
    place: int
    """How many strings were known before it."""


def references(material: Material) -> Iterator[Reference]:
    """All exact strings that the agent wrote, and the person's beyond what the memo shows, best first."""
    return _ranked(_mentions(material))


def printed(material: Material) -> Iterator[Reference]:
    """What only tools printed, best first, as far as the record keeps it; nothing is looked at before it is asked for."""
    weighed = _weights(material)
    heard = (
        (done.number, PRINTED * weighed(done.number), _source(done), strings(done.result))
        for done in material.done[-HEARD:]
    )
    yield from (reference for reference in _ranked(heard) if not reference.text.isdigit())


def _ranked(mentions: Iterable[Mention]) -> Iterator[Reference]:
    """One after the other: of some thousand strings the best thousand are asked for. Mentions come in their entries' order."""
    found, dotted = dict[str, _Tally](), list[str]()
    for number, weight, home, exact in mentions:
        for kind, item, label in exact:
            if (known := found.get(item)) is None:
                found[item] = _Tally(kind, weight, number, home, label, len(found))
                if kind == "name" and "." in item:
                    dotted.append(item)
                continue
            known.score += weight
            known.number = number
            known.label = label or known.label  # the newest that there is
            if home is not MEMO and known.home.title != CHANGED:
                known.home = home
    _by_name(found, dotted)
    for worth, item in sorted((-tally.score, item) for item, tally in found.items() if tally.home is not MEMO):
        tally = found[item]
        yield Reference(item, tally.kind, -worth, tally.number, tally.home, tally.label)


def _by_name(found: Mapping[str, _Tally], dotted: Iterable[str]) -> None:
    """Dotted names count for what they name: of all that end alike the most mentioned has the score of all, others a fifth."""
    alike = dict[str, list[str]]()
    for item in dotted:
        alike.setdefault(end := item.rpartition(".")[2], [end] if end in found else []).append(item)
    for items in alike.values():
        tallies = sorted((found[item] for item in items), key=attrgetter("place"))
        best, total = (
            max(tallies, key=attrgetter("score")),
            sum(tally.score for tally in tallies),
        )  # the first of equals
        for tally in tallies:
            tally.score = total if tally is best else tally.score * VARIANT


def _mentions(material: Material) -> Iterator[Mention]:
    """What was written, in the order of the entries, each with its weight: calls since then decide it."""
    weighed = _weights(material)
    turns = [r.number for r in material.said if r.in_force and r.channel.starts_turn]
    spoken = [r for r in material.said if r.in_force and not r.channel.background]
    old, near = spoken[:-NEAR], spoken[-NEAR:]
    upto, borne = (old[-1].number, _borne(material, old, near, turns)) if old else (0, frozenset[str]())
    written: Iterable[Record | Done] = merge(spoken, material.agent, material.done, key=attrgetter("number"))
    for entry in written:
        weight = weighed(entry.number)
        if isinstance(entry, Done):
            said: Iterable[tuple[Home, Sequence[Exact]]] = _said(entry)
        else:
            said = _worded(entry, turns) if entry.number > upto else _long_ago(entry, turns, borne)
        for home, found in said:
            yield entry.number, weight, home, found


def _borne(material: Material, old: Iterable[Record], near: Iterable[Record], turns: Sequence[int]) -> frozenset[str]:
    """How all strings end that have a home: a string that ends in another way bears on none of them (see `_by_name`)."""
    said = chain(
        map(_said, material.done),
        (_worded(record, turns) for record in (*material.agent, *near)),
        (_worded(record, turns, found_in) for record in old if len(record.text) > SHOWN),
    )
    homed = (found for one in said for home, found in one if home is not MEMO)
    return frozenset(item.rpartition(".")[2] for found in homed for _, item, _ in found)


def _long_ago(record: Record, turns: Sequence[int], borne: frozenset[str]) -> Iterator[tuple[Home, Sequence[Exact]]]:
    """Of old prompts only what bears on a string with a home: tens of thousands have as many that stand in the memo alone."""
    for home, found in _worded(record, turns, found_in):
        yield home, [one for one in found if one[1].rpartition(".")[2] in borne] if home is MEMO else found


def _worded(
    record: Record, turns: Sequence[int], look: Callable[[str], Sequence[Exact]] = strings
) -> Iterator[tuple[Home, Sequence[Exact]]]:
    """The exact strings in what the agent or somebody else said; `turns` are the entries with which turns began."""
    text = record.text
    if record.channel is Channel.AGENT_TEXT:
        began = bisect_right(turns, record.number)
        yield Home("in my words", f"on #{turns[began - 1]}" if began else ""), strings(text)
        return
    who = "in a prompt" if record.channel is Channel.UNATTRIBUTED else "in the words"
    yield MEMO, look(text[:SHOWN])
    if text[SHOWN:]:
        yield Home(who, f"of #{record.number}"), look(text[SHOWN:])


def _weights(material: Material) -> Callable[[int], float]:
    """What a mention in the entry of a number counts: less with every call since."""
    calls = [done.number for done in material.done]
    weights = _fading(len(calls))
    return lambda number: weights[bisect_right(calls, number)]


@once(64)
def _fading(calls: int) -> Sequence[float]:
    """What a mention counts by how many of so many calls came before it."""
    return tuple(math.exp(-since / FADE) for since in range(calls, -1, -1))


def _source(done: Done) -> Home:
    """Where a tool's answer comes from."""
    match done.kind:
        case Kind.READ:
            return Home(READ, done.target)
        case Kind.EDIT | Kind.CREATE:
            return Home(CHANGED, done.target)
        case Kind.COMMAND:
            return Home("printed", f"by {shell.spoken(done.target) or done.name}")
        case Kind.SEARCH:
            return Home("found by searching")
        case _:
            return Home("printed", f"by {done.name}")


@once(4_096)
def _said(done: Done) -> tuple[tuple[Home, Sequence[Exact]], ...]:
    """The exact strings that the agent wrote in a call, by their home; a searched pattern is one as a whole as well."""
    found = [(home, strings(text)) for home, text in _written(done) if text]
    if done.kind is Kind.SEARCH and 4 <= len(done.target) <= PATTERN:
        found.append((Home("searched for"), (("pattern", done.target, ""),)))
    return tuple(one for one in found if one[1])


def _written(done: Done) -> Iterator[tuple[Home, str]]:
    """The agent's own words in a call, with their home: what it asked for, not what came back."""
    match done.kind:
        case Kind.EDIT | Kind.CREATE:
            texts = (str(done.detail.get("old") or ""), str(done.detail.get("new") or ""))
            yield Home(CHANGED, done.target), "\n".join(texts)
            yield Home("changed"), done.target
        case Kind.READ:
            yield Home("read"), done.target
        case Kind.COMMAND:
            yield Home("in commands", f"of {shell.spoken(done.target) or done.name}"), done.target
        case Kind.SEARCH:
            yield Home("searched for"), done.target
            yield Home("searched in"), str(done.detail.get("path") or "")
        case Kind.AGENT:
            yield Home("in sub-agents' prompts", f"#{done.number}"), str(done.detail.get("prompt") or done.target)
        case Kind.PLAN:
            yield Home("in plans", f"#{done.number}"), str(done.detail.get("plan") or "")
        case _:
            yield Home(f"in calls of {done.name}"), done.target
    yield Home(f"in calls of {done.name}"), str(done.detail.get("description") or "")


def commands(material: Material) -> list[Command]:
    """The command lines worth keeping, best first: not what only looks around."""
    weighed = _weights(material)
    found: dict[str, Command] = {}
    for done in material.of(Kind.COMMAND):
        if done.state not in _RAN:
            continue
        for line in shell.salient(done.target):
            old = found.get(line)
            score = weighed(done.number) + (old.score if old else 0.0)
            found[line] = Command(line, score, done, (old.runs if old else 0) + 1)
    return sorted(found.values(), key=lambda c: (-c.score, c.line))
