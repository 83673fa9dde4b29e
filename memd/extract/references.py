"""The exact strings that will be needed, each with its home: where it was written last, which is what it is for.

One rule ranks them: each mention by the agent or a person counts one, less by a factor e for every 80 tool calls since. What
only a tool printed counts a fiftieth: nearly all that agents need later is something they or the person wrote themselves.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from memd.extract import shell
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.strings import strings

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
PATTERN = 80
"""Characters of a searched pattern that is a reference as a whole."""


class Home(Struct, frozen=True):
    """What a string is there for: `title` in words (`in changed files`), `place` which of them (a file, a message)."""

    title: str
    place: str = ""


MEMO, CHANGED, READ = Home(""), "changed", "read"
"""A person's words need no home: the memo shows them."""


class Reference(Struct, frozen=True):
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


class _Mention(NamedTuple):
    """A text that somebody wrote, with its weight and its home; `whole`: it is one string itself."""

    weight: float
    number: int
    home: Home
    text: str
    whole: bool = False

    def strings(self) -> Iterable[tuple[str, str, str]]:
        return (("pattern", self.text, ""),) if self.whole else strings(self.text)


class _Tally(Struct):
    """What the mentions of one string so far come to: not frozen, for there are ten times as many mentions as strings."""

    kind: str
    score: float
    number: int
    home: Home
    label: str

    def add(self, mention: _Mention, label: str) -> None:
        self.score += mention.weight
        self.number = mention.number
        self.label = label or self.label  # the newest that there is
        if mention.home is not MEMO and self.home.title != CHANGED:
            self.home = mention.home


def references(material: Material) -> Iterator[Reference]:
    """All exact strings that the agent wrote, and the person's beyond what the memo shows, best first."""
    return _ranked(_mentions(material))


def printed(material: Material) -> Iterator[Reference]:
    """What only tools printed, best first, as far as the record keeps it; nothing is looked at before it is asked for."""
    calls = _numbers(material)
    heard = (
        _Mention(PRINTED * _weight(calls, done.number), done.number, _source(done), done.result)
        for done in material.done[-HEARD:]
    )
    yield from (reference for reference in _ranked(heard) if not reference.text.isdigit())


def _ranked(mentions: Iterable[_Mention]) -> Iterator[Reference]:
    """One after the other: of some thousand strings the best thousand are asked for."""
    found: dict[str, _Tally] = {}
    for mention in sorted(mentions, key=attrgetter("number")):
        for kind, item, label in mention.strings():
            if (known := found.get(item)) is None:
                found[item] = _Tally(kind, mention.weight, mention.number, mention.home, label)
            else:
                known.add(mention, label)
    scores = _by_name(found)
    for worth, item in sorted((-scores[item], item) for item, tally in found.items() if tally.home is not MEMO):
        tally = found[item]
        yield Reference(item, tally.kind, -worth, tally.number, tally.home, tally.label)


def _by_name(found: Mapping[str, _Tally]) -> dict[str, float]:
    """Dotted names count for what they name: of all that end alike the most mentioned has the score of all, others a fifth."""
    ends = {item: item.rpartition(".")[2] if tally.kind == "name" else item for item, tally in found.items()}
    alike = dict[str, list[str]]()
    for item, end in ends.items():
        alike.setdefault(end, []).append(item)
    scores = {item: tally.score for item, tally in found.items()}
    for items in (items for items in alike.values() if len(items) > 1):
        best = max(items, key=scores.__getitem__)  # the first of equals
        total = sum(scores[item] for item in items)
        scores.update((item, total if item is best else scores[item] * VARIANT) for item in items)
    return scores


def _mentions(material: Material) -> Iterator[_Mention]:
    """What was written, each with its weight: calls since then decide it."""
    calls = _numbers(material)
    turns = [r.number for r in material.said if r.in_force and r.channel.starts_turn]
    for record in (r for r in material.said if r.in_force and not r.channel.background):
        yield from _spoken(record, _weight(calls, record.number))
    for record in material.agent:
        began = bisect_right(turns, record.number)
        home = Home("in my words", f"on #{turns[began - 1]}" if began else "")
        yield _Mention(_weight(calls, record.number), record.number, home, record.text)
    for done in material.done:
        weight = _weight(calls, done.number)
        for home, text in _written(done):
            if text:
                yield _Mention(weight, done.number, home, text)
        if done.kind is Kind.SEARCH and 4 <= len(done.target) <= PATTERN:
            yield _Mention(weight, done.number, Home("searched for"), done.target, whole=True)


def _spoken(record: Record, weight: float) -> Iterator[_Mention]:
    who = "in a prompt" if record.channel is Channel.UNATTRIBUTED else "in the words"
    yield _Mention(weight, record.number, MEMO, record.text[:SHOWN])
    if record.text[SHOWN:]:
        yield _Mention(weight, record.number, Home(who, f"of #{record.number}"), record.text[SHOWN:])


def _numbers(material: Material) -> list[int]:
    return [done.number for done in material.done]


def _weight(calls: list[int], number: int) -> float:
    return math.exp((bisect_right(calls, number) - len(calls)) / FADE)


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
    calls = _numbers(material)
    found: dict[str, Command] = {}
    for done in material.done:
        if done.kind is not Kind.COMMAND or done.state not in {State.DONE, State.FAILED, State.BACKGROUND}:
            continue
        for line in shell.salient(done.target):
            old = found.get(line)
            score = _weight(calls, done.number) + (old.score if old else 0.0)
            found[line] = Command(line, score, done, (old.runs if old else 0) + 1)
    return sorted(found.values(), key=lambda c: (-c.score, c.line))
