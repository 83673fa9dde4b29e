"""Constraints that structure can tell: a sentence that says not to change something and names its path. Pure.

    Do not touch `migrations/`: it has run in production.      Leave src/api.py as it is.      不要修改 conf/gateway.toml

Only a person's words count, and the project's constraints as memd gave them. What stands behind `except`, `but`, `only`, `unless`
or `until` is no part of it, and a sentence without a path forbids nothing here: words alone are not understood.
"""

import re
from collections.abc import Iterator
from posixpath import basename

from msgspec import Struct

from memd.model import Channel, Record, marks
from memd.report.needs import kind
from memd.report.past import Past, here, said

_VERBS = r"(?:touch|chang|edit|modif|alter|(?:re|over)?writ|delet|remov|mov|renam|replac|reformat|refactor)(?:e|y|ing|ying)?\b"
_NOT = r"(?:do not|don['’]?t|never|must not|mustn['’]t|may not|cannot|can['’]t|without)"
_AS_IS = r"(?:leave|keep)\b(?=.*\b(?:alone|as (?:it|they) (?:is|are)|as is|unchanged|untouched)\b)"
_FORBIDS = re.compile(
    rf"(?i)\b(?:{_NOT}\s+(?:\w+\s+){{0,2}}?{_VERBS}|no (?:changes?|edits?|modifications?)\b|{_AS_IS}|hands off\b)"
    r"|(?:不要|不许|不能|不可|别|勿|禁止|严禁)[^。\n]{0,6}?(?:改|动|碰|删|编辑|写|重命名)"
)
_ENDS = re.compile(r"(?i)\b(?:except|but|only|unless|until|other than)\b|除了|除非|直到")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；]|\n+")
_WORD = re.compile(r"[\w./~@+-]+(?:/\*+)?")


class Rule(Struct, frozen=True):
    """What a sentence forbids to change: paths relative to the session's directory, or names of files."""

    number: int
    text: str
    paths: tuple[str, ...]

    def forbids(self, path: str) -> bool:
        """Whether a file is one of those, or lies below one."""
        return any(
            path == one or path.startswith(f"{one}/") or ("/" not in one and basename(path) == one)
            for one in self.paths
        )


def rules(past: Past) -> tuple[Rule, ...]:
    """All that was forbidden in a session, in order; what was taken back is no part of the record's conversation."""
    own = here(past.session)
    return tuple(rule for record in past.records if _states(record) for rule in _rules(record, own))


def spoken(past: Past) -> tuple[int, ...]:
    """Where a person said something; the words of a refusal allow nothing."""
    return tuple(r.number for r in past.records if said(r) and not r.extra.get("refusal"))


def _states(record: Record) -> bool:
    given = record.channel is Channel.MEMD_INJECTION and marks.find(record.text) is None
    return record.in_force and (said(record) or given)


def _rules(record: Record, own: str) -> Iterator[Rule]:
    for sentence in _SENTENCE.split(record.text.replace(own, "")):
        found = _FORBIDS.search(sentence)
        clause = _ENDS.split(sentence[found.start() :])[0] if found else ""
        paths = tuple(dict.fromkeys(filter(None, map(_path, _WORD.findall(clause)))))
        if paths:
            yield Rule(record.number, " ".join(sentence.split()), paths)


def _path(word: str) -> str:
    """The path that a word is; empty for another word."""
    bare = word.rstrip(".*").rstrip("/").removeprefix("./")
    return bare if len(bare) > 1 and (word.rstrip("*.").endswith("/") or kind(bare) == "paths") else ""
