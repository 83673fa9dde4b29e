"""The exact strings that will be needed, each with its home: where it was written last, which is what it is for.

One rule ranks them: each mention by the agent or a person counts one, less by a factor e for every 80 tool calls since. What
only a tool printed comes after all that: nearly all that agents need later is something they or the person wrote themselves.
The sums go on from turn to turn (`mentions`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec import Struct

from memd.extract import shell
from memd.extract.material import OPEN, SESSIONS, Material, of_calls
from memd.extract.mentions import CHANGED, MEMO, READ, Exact, Home, Mentions, Said, weight
from memd.extract.ranking import in_order, ranked
from memd.model import Channel, Done, Kind, Record, State
from memd.model.once import Carried, once
from memd.model.strings import found_in, strings

HEARD = 400
"""So many of the newest calls' answers are looked through: a mention in an older one counts less than a hundredth."""
SHOWN = 800
"""Characters of a person's message that stand in the memo, with all strings in them."""
NEAR = 1_000
"""So many of the newest prompts are taken whole. Where there are older ones, their strings are not remembered, nor any sum."""
PATTERN = 80
"""Characters of a searched pattern that is a reference as a whole."""


_RAN = frozenset({State.DONE, State.FAILED, State.BACKGROUND})


class Reference(Struct, frozen=True, gc=False):
    """One exact string; `number` is the entry that mentioned it last."""

    text: str
    kind: str
    """`value`, `path`, `name` or `pattern`."""
    score: int
    """How much it counts, beside others of its session."""
    number: int
    home: Home
    label: str = ""
    """The word before a bare value (`Line` 750)."""


class Command(Struct, frozen=True):
    """One command line, its last run, how much it counts, and how often it ran."""

    line: str
    score: int
    last: Done
    runs: int


def references(material: Material) -> Iterator[Reference]:
    """All exact strings that the agent wrote, and the person's beyond what the memo shows, best first."""
    return _ranked(_found(material))


def _found(material: Material) -> Mentions:
    """What was written, in the order of the entries."""
    said = [record for record in material.said if record.in_force]
    old = [record for record in said if not record.channel.background][:-NEAR]
    entries: list[Record | Done] = sorted((*said, *material.agent, *material.done), key=attrgetter("number"))
    if old:
        upto, borne = old[-1].number, _borne(entries, old[-1].number)
        found, settled = Mentions(), 0
        while settled < len(entries) and entries[settled].number <= upto:
            _write(found, entries[settled], borne)
            settled += 1
    else:
        settled = max(len(entries) - OPEN, 0)
        found = Mentions(in_order(_written(material.session.id, entries[:settled])))
    for entry in entries[settled:]:
        _write(found, entry)
    return found


def _borne(entries: Iterable[Record | Done], upto: int) -> frozenset[str]:
    """How all strings end that have a home: of prompts up to an entry those beyond what the memo shows.

    A string that ends in another way bears on none of them (see `ranking`).
    """
    said = (
        _said(one) if isinstance(one, Done) else _worded(one, 0, found_in if one.number <= upto else strings)
        for one in entries
        if isinstance(one, Done) or not one.channel.background
    )
    homed = (found for one in said for home, found in one if home is not MEMO)
    return frozenset(item.rpartition(".")[2] for found in homed for _, item, _ in found)


def printed(material: Material) -> Iterator[Reference]:
    """What only tools printed, best first, as far as the record keeps it; nothing is looked at before it is asked for."""
    answers = material.done[-HEARD:]
    settled = max(len(answers) - OPEN, 0)
    found = Mentions(in_order(_heard(material.session.id, answers[:settled])))
    for entry in answers[settled:]:
        _hear(found, entry)
    yield from (reference for reference in _ranked(found) if not reference.text.isdigit())


def _write(found: Mentions, entry: Record | Done, borne: frozenset[str] | None = None) -> None:
    """What somebody wrote in an entry; with `borne`, of a prompt that the memo shows, only what bears on a string with a home."""
    if isinstance(entry, Done):
        found.calls += 1
        found.add(entry.number, _said(entry))
        return
    if entry.channel.starts_turn:
        found.began = entry.number
    if borne is None or entry.channel is Channel.AGENT_TEXT:
        said = () if entry.channel.background else _worded(entry, found.began)
    else:
        said = () if entry.channel.background else _long_ago(entry, borne)
    found.add(entry.number, said)


def _long_ago(record: Record, borne: frozenset[str]) -> Iterator[Said]:
    """Of old prompts: tens of thousands have as many strings that stand in the memo alone."""
    for home, found in _worded(record, 0, found_in):
        yield home, [one for one in found if one[1].rpartition(".")[2] in borne] if home is MEMO else found


def _hear(found: Mentions, entry: Done) -> None:
    """What a tool printed; the answer of a call that was refused is the client's own wording."""
    found.calls += 1
    if entry.state is not State.REFUSED:
        found.add(entry.number, [(_source(entry), strings(entry.result))])


_written = Carried[Record | Done, Mentions](Mentions, _write, SESSIONS)
_heard = Carried[Done, Mentions](Mentions, _hear, SESSIONS)


def _ranked(mentions: Mentions) -> Iterator[Reference]:
    """One after the other: of some thousand strings the best thousand are asked for."""
    tallies = mentions.tallies
    for worth, item in ranked(mentions):
        tally = tallies[item]
        yield Reference(item, tally.kind, -worth, tally.number, tally.home, tally.label)


def _worded(record: Record, began: int, look: Callable[[str], Sequence[Exact]] = strings) -> Iterator[Said]:
    """The exact strings in what the agent or somebody else said, in the turn that began with an entry."""
    text = record.text
    if record.channel is Channel.AGENT_TEXT:
        yield Home("in my words", f"on #{began}" if began else ""), strings(text)
        return
    who = "in a prompt" if record.channel is Channel.UNATTRIBUTED else "in the words"
    yield MEMO, look(text[:SHOWN])
    if text[SHOWN:]:
        yield Home(who, f"of #{record.number}"), look(text[SHOWN:])


def _source(done: Done) -> Home:
    """Where a tool's answer comes from."""
    match done.kind:
        case Kind.READ:
            return Home(READ, done.target)
        case Kind.EDIT | Kind.CREATE:
            return Home(CHANGED, _place(done))
        case Kind.COMMAND:
            return Home("printed", f"by {shell.spoken(done.target) or done.name}")
        case Kind.SEARCH:
            return Home("found by searching")
        case _:
            return Home("printed", f"by {done.name}")


def _place(done: Done) -> str:
    """Where a file is that a call changed: a patch may have moved it."""
    return str(done.detail.get("moved") or done.target) if done.state is State.DONE else done.target


@once(4_096)
def _said(done: Done) -> tuple[Said, ...]:
    """The exact strings that the agent wrote in a call, by their home; a searched pattern is one as a whole as well."""
    found: list[Said] = [(home, strings(text)) for home, text in _asked(done) if text]
    if done.kind is Kind.SEARCH and 4 <= len(done.target) <= PATTERN:
        found.append((Home("searched for"), (("pattern", done.target, ""),)))
    return tuple(one for one in found if one[1])


def _asked(done: Done) -> Iterator[tuple[Home, str]]:
    """The agent's own words in a call, with their home: what it asked for, not what came back."""
    match done.kind:
        case Kind.EDIT | Kind.CREATE:
            texts = (str(done.detail.get("old") or ""), str(done.detail.get("new") or ""))
            yield Home(CHANGED, _place(done)), "\n".join(texts)
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


class _Lines:
    """Command lines so far."""

    def __init__(self, before: "_Lines | None" = None) -> None:
        self.found: dict[str, Command] = {**before.found} if before else {}
        self.calls: int = before.calls if before else 0

    def take(self, done: Done) -> None:
        self.calls += 1
        if done.kind is not Kind.COMMAND or done.state not in _RAN:
            return
        for line in shell.salient(done.target):
            old = self.found.get(line)
            score = weight(self.calls) + (old.score if old else 0)
            self.found[line] = Command(line, score, done, (old.runs if old else 0) + 1)


_lines = of_calls(lambda _: _Lines(), _Lines.take, _Lines)


def commands(material: Material) -> list[Command]:
    """The command lines worth keeping, best first: not what only looks around."""
    return sorted(_lines(material).found.values(), key=lambda c: (-c.score, c.line))
