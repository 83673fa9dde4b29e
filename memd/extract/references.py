"""The exact strings that will be needed: commands, names, values, links, ids.

One rule ranks them: each mention by the agent or a person counts one, less by a factor e for every 80 tool calls since. What
only a tool printed counts nothing: nearly all that agents need later is something they or the person wrote themselves.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memd.extract.material import Material
from memd.model import Done, Kind, State

FADE = 80.0
"""Tool calls after which a mention counts a factor e less."""

_URL = re.compile(r"https?://[^\s\"'<>`)\]}\\]+")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?:[-+][\w.]+)?\b")
_ISSUE = re.compile(r"(?<![\w&#/])(?:#\d{1,6}\b|[A-Z]{2,6}-\d{1,5}\b)")
_NUMBER = re.compile(r"(?<![\w.,:/#-])\d{3,9}(?![\w.,/-]*\w)")
_PATH = re.compile(r"(?<![\w@:/.~-])(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]+")
_FILE = re.compile(r"(?<![\w/.@-])[\w-][\w.-]*\.[a-z][a-z0-9]{0,5}(?![\w/(])")
_PAIR = re.compile(r"(?<![\w/.-])[A-Za-z_][\w.-]*[=:][A-Za-z0-9_./-]+(?![\w(])")
_NAME = re.compile(r"(?<![\w$.-])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:-[\w$]+)*|(?<![\w-])--[a-z][a-z0-9-]{3,}")
_SPLIT = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_TRIVIAL = re.compile(
    r"(?:ls|cd|cat|head|tail|grep|rg|find|sed|awk|echo|printf|wc|pwd|sleep|which|mkdir|true|sort"
    r"|git (?:status|diff|log|add|show|branch))\b"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """One exact string; `number` is the entry that mentioned it last."""

    text: str
    kind: str
    """`value`, `path` or `name`."""
    score: float
    number: int


@dataclass(frozen=True, slots=True)
class Command:
    """One command line, how it ended last, and how often it ran."""

    line: str
    score: float
    number: int
    ok: bool
    runs: int


def references(material: Material) -> list[Reference]:
    """All exact strings that the agent or the person wrote, best first."""
    found: dict[str, tuple[str, float, int]] = {}
    for weight, number, text in _mentions(material):
        for kind, item in strings(text):
            _, score, last = found.get(item, (kind, 0.0, 0))
            found[item] = (kind, score + weight, max(last, number))
    ranked = (Reference(item, kind, score, number) for item, (kind, score, number) in found.items())
    return sorted(ranked, key=lambda r: (-r.score, r.text))


def _mentions(material: Material) -> Iterator[tuple[float, int, str]]:
    """What was written, each with its weight: calls since then decide it."""
    calls = [done.number for done in material.done]
    for record in (*(r for r in material.said if not r.channel.background), *material.agent):
        yield _weight(calls, record.number), record.number, record.text
    for done in material.done:
        yield _weight(calls, done.number), done.number, _written(done)


def _weight(calls: list[int], number: int) -> float:
    later = len(calls) - _position(calls, number)
    return math.exp(-later / FADE)


def _position(calls: list[int], number: int) -> int:
    low, high = 0, len(calls)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if calls[middle] <= number else (low, middle)
    return low


def _written(done: Done) -> str:
    """The agent's own words in a call: what it asked for, not what came back."""
    detail = (
        v for k, v in done.detail.items() if k in {"old", "new", "description", "prompt", "plan"} and isinstance(v, str)
    )
    return "\n".join((done.target, *detail))


def strings(text: str) -> Iterable[tuple[str, str]]:
    """Each exact string in a text once, with its kind."""
    found: dict[str, str] = {}
    for kind, pattern in (("value", _URL), ("value", _UUID), ("path", _PATH), ("path", _FILE)):
        text = pattern.sub(lambda m, kind=kind: _take(found, kind, m[0].rstrip(".,;:")), text)  # type: ignore[misc]
    for pattern in (_VERSION, _ISSUE, _HASH, _NUMBER):
        text = pattern.sub(lambda m: _take(found, "value", m[0]), text)
    for match in _PAIR.findall(text):
        found.setdefault(match, "value")
    for word in _NAME.findall(text):
        if 5 <= len(word) <= 80 and _codelike(word):
            found.setdefault(word, "name")
    return ((kind, item) for item, kind in found.items())


def _take(found: dict[str, str], kind: str, item: str) -> str:
    if len(item) <= 200 and len(item) > 2:
        found.setdefault(item, kind)
    return " "


def _codelike(word: str) -> bool:
    """Whether a word is code rather than language: an underscore, a hump, a dot between names, an option."""
    if word.startswith("--") or "_" in word.strip("_$") or word.count("-") >= 2:
        return True
    return bool(re.search(r"[a-z\d][A-Z]", word)) or ("." in word and not word.endswith("."))


def commands(material: Material) -> list[Command]:
    """The command lines worth keeping, best first: not what only looks around."""
    calls = [done.number for done in material.done]
    found: dict[str, Command] = {}
    for done in material.done:
        if done.kind is not Kind.COMMAND or done.state not in {State.DONE, State.FAILED, State.BACKGROUND}:
            continue
        for line in salient(done.target):
            old = found.get(line)
            score = _weight(calls, done.number) + (old.score if old else 0.0)
            found[line] = Command(
                line, score, done.number, done.state is not State.FAILED, (old.runs if old else 0) + 1
            )
    return sorted(found.values(), key=lambda c: (-c.score, c.line))


def salient(command: str) -> list[str]:
    """The lines of a shell command that do something, each on one line."""
    parts = (re.sub(r"\s+", " ", part).strip() for part in _SPLIT.split(command.split("<<", 1)[0].replace("\\\n", " ")))
    kept = (re.sub(r"^(?:\w+=\S+\s+|timeout \S+\s+|sudo\s+|time\s+|\(\s*)+", "", part).rstrip(" )&") for part in parts)
    return [part for part in kept if " " in part and 8 <= len(part) <= 240 and not _TRIVIAL.match(part)]
