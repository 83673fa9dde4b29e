"""What an agent needed after a compaction, and how much of it a text has. Nothing here knows memd's own idea of a string.

A word is what stands between blanks, quotes and brackets and looks like more than language. A need is a word or a command
line that the agent (or the person) used after the compaction, that the session had before it, and that nothing had shown
again in between. Beside the needs: the person's sentences and the open tasks. docs/continuity.md has all of it in words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct

WINDOW = 150
"""Entries after the compaction that are looked at; another compaction ends them."""
WORDS = ("paths", "names", "values")
KINDS = (*WORDS, "commands", "person", "tasks")

_WORD = re.compile(r"[^\s\"'`,;(){}\[\]<>=|&\\]+")
_MORE = re.compile(r"[\d_/.:-]|[a-z][A-Z]")
_PROSE = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_HUMP = re.compile(r"[a-z][A-Z]")
_FILE = re.compile(
    r".*\.(?:go|[jt]sx?|[cm]js|py|rs|rb|java|kt|swift|php|[ch]|[ch]pp|cs|sh|mdx?|jsonl?|ya?ml|toml|txt|html|s?css|sql|lock"
    r"|mod|sum|env|cfg|ini|xml|svg|png|log|db|csv|prisma|proto|tf|service|plist)(?::\d+)?"
)
_VALUE = re.compile(r"[#$@+-]*v?\d.*|(?=[a-f-]*\d)[0-9a-f-]{7,}")
_SPLIT = re.compile(r"\s*(?:&&|\|\||;|\n|\|)\s*")
_AWAY = re.compile(r"(?:\s*\d?>>?&?\s*\S+)+$")
"""Where the output goes."""
_LOOKS = re.compile(
    r"(?:ls|cd|cat|head|tail|grep|rg|find|sed|awk|echo|printf|wc|pwd|sleep|which|mkdir|export|for|do|done|if|then|fi"
    r"|git (?:status|diff|log|add|show))\b"
)


class Case(Struct, frozen=True):
    """What was needed after one compaction."""

    words: tuple[str, ...]
    commands: tuple[str, ...]
    person: tuple[str, ...]
    """What people said before it, a message each."""
    tasks: tuple[str, ...]

    def items(self) -> Iterator[tuple[str, str]]:
        """Each need with its kind."""
        yield from ((kind(word), word) for word in self.words)
        yield from (("commands", command) for command in self.commands)
        yield from (("person", part) for message in self.person for part in sentences(message))
        yield from (("tasks", flat(task)) for task in self.tasks)


class Coverage(Struct, frozen=True):
    """How many of each kind were needed, and how many of them a text has; kinds of which nothing was needed are in neither."""

    found: Mapping[str, int]
    needed: Mapping[str, int]

    @property
    def shares(self) -> dict[str, float]:
        """The share of each kind, in the order of `KINDS`."""
        return {kind: self.found[kind] / self.needed[kind] for kind in KINDS if self.needed.get(kind)}

    @property
    def mean(self) -> float:
        """Kinds count alike, however many of each were needed."""
        return sum(self.shares.values()) / len(self.shares) if self.shares else 0.0

    @property
    def words(self) -> float | None:
        """The share of all words together, whatever their kind."""
        total = sum(self.needed.get(kind, 0) for kind in WORDS)
        return sum(self.found.get(kind, 0) for kind in WORDS) / total if total else None


def words(text: str) -> set[str]:
    """What looks like more than language."""
    found = (word.strip(".:!?*-/") for word in _WORD.findall(text))
    return {
        w
        for w in found
        if 6 <= len(w) <= 120 and _MORE.search(w) and (_HUMP.search(w) or not _PROSE.fullmatch(w)) and "://" not in w
    }


def kind(word: str) -> str:
    """`paths`, `values` (versions, numbers, hashes) or `names`, by the word's shape alone."""
    if "/" in word or _FILE.fullmatch(word):
        return "paths"
    return "values" if _VALUE.fullmatch(word) else "names"


def commands(line: str) -> list[str]:
    """The simple commands of a shell line that do more than look around."""
    parts = (_AWAY.sub("", flat(part)) for part in _SPLIT.split(line.partition("<<")[0]))
    return [part for part in parts if " " in part and 8 <= len(part) <= 200 and not _LOOKS.match(part)]


def sentences(text: str) -> list[str]:
    """A message's sentences of three words and more."""
    parts = map(flat, re.split(r"(?<=[.!?。！？])\s+|\n+", text))
    return [part for part in parts if len(part.split()) >= 3]


def flat(text: str) -> str:
    """The text with one blank for any run of white space."""
    return " ".join(text.split())


def needed(events: Iterable[tuple[bool, AbstractSet[str]]], known: Callable[[str], bool]) -> tuple[str, ...]:
    """The words used before anything showed them, of those known before; events in order, each used (else shown) its words."""
    shown, found = set[str](), dict[str, None]()
    for used, said in events:
        if used:
            found |= dict.fromkeys(sorted(word for word in said - shown if known(word)))
        else:
            shown |= said
    return tuple(found)


def coverage(text: str, case: Case) -> Coverage:
    """How much of each kind of need stands in a text."""
    squeezed = flat(text)
    found, total = dict[str, int](), dict[str, int]()
    for sort, item in case.items():
        there = whole(item, text) if sort in WORDS else item in squeezed
        total[sort] = total.get(sort, 0) + 1
        found[sort] = found.get(sort, 0) + there
    return Coverage(found, total)


def whole(word: str, text: str) -> bool:
    """Whether a word stands in a text and is no part of a longer one: no letter, digit or `_` touches it."""
    start = text.find(word)
    while start >= 0:
        around = text[max(start - 1, 0) : start] + text[start + len(word) : start + len(word) + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        start = text.find(word, start + 1)
    return False
