"""The exact strings that will be needed, each with its home: where it was written last, which is what it is for.

One rule ranks them: each mention by the agent or a person counts one, less by a factor e for every 80 tool calls since. What
only a tool printed counts nothing: nearly all that agents need later is something they or the person wrote themselves.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memd.extract import shell
from memd.extract.files import relative
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.strings import strings

FADE = 80.0
"""Tool calls after which a mention counts a factor e less."""
PRINTED = 0.02
"""What a mention by a tool counts, where room is left for what nobody wrote."""
SHOWN = 1_000
"""Characters of a person's message that stand in the memo, with all strings in them."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One exact string; `number` is the entry that mentioned it last, `home` says in words where that was."""

    text: str
    kind: str
    """`value`, `path` or `name`."""
    score: float
    number: int
    home: str
    label: str = ""
    """The word before a bare value (`Line` 750)."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command line, how it ended last, and how often it ran."""

    line: str
    score: float
    number: int
    ok: bool
    runs: int


@dataclass(frozen=True, slots=True)
class _Mention:
    """A text that somebody wrote, with its weight and its home; a person's home is empty: the memo shows their words."""

    weight: float
    number: int
    home: str
    text: str


def references(material: Material) -> list[Reference]:
    """All exact strings that the agent wrote, and the person's beyond what the memo shows, best first."""
    return _ranked(_mentions(material))


def printed(material: Material) -> list[Reference]:
    """Names and paths that only tools printed, best first, as far as the record keeps their answers."""
    calls = [done.number for done in material.done]
    found = _ranked(_Mention(PRINTED * _weight(calls, d.number), d.number, _place(d), d.result) for d in material.done)
    return [reference for reference in found if reference.kind != "value"]


def _place(done: Done) -> str:
    return f"seen in `{done.target.rsplit('/', 1)[-1]}`" if done.kind is Kind.READ else f"printed for {done.name}"


def _ranked(mentions: Iterable[_Mention]) -> list[Reference]:
    found: dict[str, Reference] = {}
    for mention in sorted(mentions, key=lambda mention: mention.number):
        for kind, item, label in strings(mention.text):
            old = found.get(item)
            score = mention.weight + (old.score if old else 0.0)
            home = (
                mention.home if mention.home and not (old and old.home.startswith("in `")) else old.home if old else ""
            )
            found[item] = Reference(item, kind, score, mention.number, home, label or (old.label if old else ""))
    return sorted((r for r in found.values() if r.home), key=lambda r: (-r.score, r.text))


def _mentions(material: Material) -> Iterator[_Mention]:
    """What was written, each with its weight: calls since then decide it."""
    calls = [done.number for done in material.done]
    turns = [r.number for r in material.said if r.in_force and r.channel.starts_turn]
    for record in (r for r in material.said if r.in_force and not r.channel.background):
        yield from _spoken(record, _weight(calls, record.number))
    for record in material.agent:
        began = bisect_right(turns, record.number)
        home = f"in my words on #{turns[began - 1]}" if began else "in my words"
        yield _Mention(_weight(calls, record.number), record.number, home, record.text)
    for done in material.done:
        weight = _weight(calls, done.number)
        yield from (
            _Mention(weight, done.number, home, text) for home, text in _written(done, material.session.cwd) if text
        )


def _spoken(record: Record, weight: float) -> Iterator[_Mention]:
    who = "a prompt" if record.channel is Channel.UNATTRIBUTED else "the words"
    yield _Mention(weight, record.number, "", record.text[:SHOWN])
    if record.text[SHOWN:]:
        yield _Mention(weight, record.number, f"in {who} of #{record.number}", record.text[SHOWN:])


def _weight(calls: list[int], number: int) -> float:
    return math.exp((bisect_right(calls, number) - len(calls)) / FADE)


def _written(done: Done, root: str | None) -> Iterator[tuple[str, str]]:
    """The agent's own words in a call, with their home: what it asked for, not what came back."""
    match done.kind:
        case Kind.EDIT | Kind.CREATE:
            name = relative(done.target, root).rsplit("/", 1)[-1]
            yield f"in `{name}`", "\n".join((str(done.detail.get("old") or ""), str(done.detail.get("new") or "")))
            yield "changed", done.target
        case Kind.READ:
            yield "read", done.target
        case Kind.COMMAND:
            yield "in commands", done.target
        case Kind.SEARCH:
            yield "searched for", "\n".join((done.target, str(done.detail.get("path") or "")))
        case Kind.AGENT:
            yield f"in a sub-agent's prompt (#{done.number})", str(done.detail.get("prompt") or done.target)
        case Kind.PLAN:
            yield f"in a plan (#{done.number})", str(done.detail.get("plan") or "")
        case _:
            yield f"in a call of {done.name}", done.target
    yield f"in a call of {done.name}", str(done.detail.get("description") or "")


def commands(material: Material) -> list[Command]:
    """The command lines worth keeping, best first: not what only looks around."""
    calls = [done.number for done in material.done]
    found: dict[str, Command] = {}
    for done in material.done:
        if done.kind is not Kind.COMMAND or done.state not in {State.DONE, State.FAILED, State.BACKGROUND}:
            continue
        for line in shell.salient(done.target):
            old = found.get(line)
            score = _weight(calls, done.number) + (old.score if old else 0.0)
            ok, runs = done.state is not State.FAILED, (old.runs if old else 0) + 1
            found[line] = Command(line, score, done.number, ok, runs)
    return sorted(found.values(), key=lambda c: (-c.score, c.line))
