"""What an agent needed after a compaction, and how much of it a text has. Nothing here knows memd's own idea of a string.

A word is what stands between blanks, quotes and brackets and looks like more than language. A need is a word or a command
line that the agent (or the person) used after the compaction, that the transcript had before it, and that nothing had shown
again in between. Beside the needs: the person's sentences and the open tasks.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

WINDOW = 150
"""Entries after the compaction that are looked at; another compaction ends them."""
_WORD = re.compile(r"[^\s\"'`,;(){}\[\]<>=|&\\]+")
_MORE = re.compile(r"[\d_/.:-]|[a-z][A-Z]")
_PROSE = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_HUMP = re.compile(r"[a-z][A-Z]")
_SPLIT = re.compile(r"\s*(?:&&|\|\||;|\n|\|)\s*")
_AWAY = re.compile(r"(?:\s*\d?>>?&?\s*\S+)+$")
"""Where the output goes."""
_LOOKS = re.compile(
    r"(?:ls|cd|cat|head|tail|grep|rg|find|sed|awk|echo|printf|wc|pwd|sleep|which|mkdir|export|for|do|done|if|then|fi"
    r"|git (?:status|diff|log|add|show))\b"
)
KINDS = ("words", "commands", "person", "tasks")


class Count(Protocol):
    """What counts tokens."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True)
class Case:
    """One compaction: what was needed after it, and what a plain list would be made from."""

    words: tuple[str, ...]
    commands: tuple[str, ...]
    person: tuple[str, ...]
    tasks: tuple[str, ...]
    ranked: tuple[str, ...]
    """Words and command lines from before, best first: each use counts one, less by e for every 80 calls since."""


def words(text: str) -> set[str]:
    """What looks like more than language."""
    found = (word.strip(".:!?*-/") for word in _WORD.findall(text))
    return {
        w
        for w in found
        if 6 <= len(w) <= 120 and _MORE.search(w) and (_HUMP.search(w) or not _PROSE.fullmatch(w)) and "://" not in w
    }


def commands(line: str) -> list[str]:
    """The simple commands of a shell line that do more than look around."""
    parts = (_AWAY.sub("", " ".join(part.split())) for part in _SPLIT.split(line.partition("<<")[0]))
    return [part for part in parts if " " in part and 8 <= len(part) <= 200 and not _LOOKS.match(part)]


def sentences(text: str) -> list[str]:
    """A message's sentences of three words and more."""
    parts = (" ".join(part.split()) for part in re.split(r"(?<=[.!?。！？])\s+|\n+", text))
    return [part for part in parts if len(part.split()) >= 3]


def needed(events: Iterable[tuple[str, str]], known: set[str]) -> tuple[str, ...]:
    """The words used (`used`) before anything showed them (`shown`), of those known before; events in order."""
    shown, found = set[str](), dict[str, None]()
    for how, text in events:
        said = words(text)
        if how == "used":
            found |= dict.fromkeys(sorted((said & known) - shown))
        else:
            shown |= said
    return tuple(found)


def coverage(text: str, case: Case) -> dict[str, float]:
    """The share of each kind of need that stands in a text."""
    flat = " ".join(text.split())
    found = {
        "words": [word in text for word in case.words],
        "commands": [command in flat for command in case.commands],
        "person": [part in flat for message in case.person for part in sentences(message)],
        "tasks": [" ".join(task.split()) in flat for task in case.tasks],
    }
    return {kind: sum(hits) / len(hits) for kind, hits in found.items() if hits}


def mean(shares: dict[str, float]) -> float:
    """Kinds count alike, however many of each were needed."""
    return sum(shares.values()) / len(shares) if shares else 0.0


def plain(case: Case, budget: int, count: Count) -> str:
    """A list to be held against: open tasks, the person's messages from the newest on, then the ranked strings."""
    lines = list[str]()
    for items, share in ((case.tasks, 0.1), (case.person[::-1], 0.4), (case.ranked, 1.0)):
        part = budget * share
        for item in items:
            cost = count.count(item) + 1
            if cost <= min(part, budget):
                lines.append(item)
                part -= cost
                budget -= cost
    return "\n".join(lines)
