"""The exact strings in a text: paths, links, ids, versions, numbers, names of code. Language is left out. Pure."""

import re
import sys
from collections.abc import Iterator

from memd.later import pattern
from memd.model.once import once
from memd.model.secrets import STAND_IN

_URL = pattern(r"https?://[^\s\"'<>`)\]}\\]+")
_UUID = pattern(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_PLACE = r"(?::\d+(?:-\d+)?)?"
_PATH = pattern(r"(?<![\w@:/.~-])(?:~|\.{1,2})?/?(?:[\w.@+-]++/)+[\w.@+-]++" + _PLACE)
_FILE = pattern(r"(?<![\w/.@-])[\w-]{2,}+(?:\.[\w-]++)*\.[a-z][a-z0-9]{0,8}+(?![\w/(]|\.\w)" + _PLACE)
_HASH = pattern(r"[0-9a-f](?<=\b.)(?=[0-9a-f]{6})(?:(?<=\d)(?=\d*[a-f])|(?<=[a-f])(?=[a-f]*\d))[0-9a-f]{6,63}\b")
_VERSION = pattern(r"(?<![\w.])v?\d+\.\d+\.\d+(?:[-+][\w.]+)?\b")
_ISSUE = pattern(r"[#A-Z](?<![\w&#/].)(?:(?<=#)\d{1,6}\b|(?<=[A-Z])[A-Z]{1,5}-\d{1,5}\b)")
_STAMP = pattern(r"\d(?<=\b\d)(?:\d{3}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?|\d?:\d{2}:\d{2}\b)")
_PAIR = pattern(r"(?<![\w/.-])[A-Za-z_][\w.-]*+[=:][A-Za-z0-9_./-]+(?![\w(])")
_NUMBER = pattern(r"\d(?<![\w.,:/#-].)\d{2,8}(?![\w.,/-]*\w)")
_NAME = pattern(r"(?<![\w$.-])@?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:-[\w$]+)*|(?<![\w-])--[a-z][a-z0-9-]{3,}")
"""What may not stand before a string is looked for behind its first letter: where a pattern begins with a class, Python's engine
passes over all else in half the time. What is possessive could give nothing back that the next part takes."""
_LABEL = pattern(r"([A-Za-z][A-Za-z_-]{1,20})[ :=]{1,2}\Z")
_PLAIN = pattern(
    r"(?:an?|and|as|at|by|for|from|in|into|is|of|on|or|per|see|than|then?|the|to|under|until|via|with)\Z", re.IGNORECASE
)
"""Words before a value that say nothing of it."""
_HUMP = pattern(r"[a-z\d][A-Z]|^[A-Z]{2,}[a-z]+[a-z]")
_ROUND = frozenset({"100", "200", "300", "400", "404", "500", "1000", "10000", "000", "2024", "2025", "2026", "2027"})
_LITTLE = frozenset(
    {"/dev/null", "/bin/sh", "/bin/bash", "/usr/bin/env", "and/or", "e.g", "i.e", "origin/main", "origin/master"}
)
LONGEST = 200
_ANY = pattern("")
_IS_PATH = pattern(r"^[~/.]|\.\w{1,8}(?::[\d-]+)?$|/.*/|\d|[-_]")
"""Two words with a slash between them ("reads/writes") are language."""


def _sign(text: str) -> re.Pattern[str]:
    """Of what a shape has a sign in its word, from there to the word's end."""
    return pattern(text + r"[^ \n]*+")


_TAKEN = (
    ("value", _URL, _sign("://")),
    ("path", _PATH, _sign("/")),
    ("path", _FILE, _sign(r"\.[a-z]")),
    ("value", _UUID, _sign("-[0-9a-f]{4}-[0-9a-f]{4}-")),
)
"""What is taken out of a text before the others are looked for, each with a sign without which there is none: it is found in a
tenth of the time, and only the words that have it are looked through."""
_DOTTED = pattern(r"\.\d+\.\d")
"""The same for a version."""
_PAIRED = _sign(r"[=:][A-Za-z0-9_./-]")
_CODED = _sign(r"[A-Z_.-](?:(?<=[_-])|(?<=\.)(?=[\w$])|(?<=[a-z\d][A-Z])|(?<=[A-Z][A-Z])(?=[a-z]))")
"""The same for what is no language; `_codelike` has the last word."""
_BEHIND = ".,;:"
"""What may stand behind an exact string and is no part of it."""


def found_in(text: str) -> tuple[tuple[str, str, str], ...]:
    """Each exact string of a text once: its kind (`path`, `value`, `name`), itself, and the word before a bare value."""
    found: dict[str, tuple[str, str, str]] = {}
    for kind, item, label in _all(text):
        if item not in found and 3 <= len(item) <= LONGEST and item not in _LITTLE:
            found[item] = (kind, sys.intern(item), label)
    return tuple(found.values())


strings = once(4_096)(found_in)
"""The same, remembered: after a turn only what is new is looked through."""


def _all(text: str) -> Iterator[tuple[str, str, str]]:
    text = STAND_IN.sub(" ", text)
    for kind, shape, sign in _TAKEN:
        taken, text = _take(shape, sign, text, tells=_IS_PATH if kind == "path" else _ANY)
        yield from ((kind, item, "") for item in taken)
    text = _STAMP.sub(" ", text)
    for shape in (_VERSION, _ISSUE, _HASH, _NUMBER) if _DOTTED.search(text) else (_ISSUE, _HASH, _NUMBER):
        for match in shape.finditer(text):
            if (item := match[0].rstrip(_BEHIND)) not in _ROUND:
                yield "value", item, _label(text, match.start())
    yield from (("value", match[0], "") for match in _matches(_PAIR, _PAIRED, text))
    for match in _matches(_NAME, _CODED, text):
        word = match[0]
        if 5 <= len(word) <= 80 and not (word.isalpha() and word.islower()) and _codelike(word):
            yield "name", word, ""


def _matches(shape: re.Pattern[str], sign: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What has a shape in which no blank stands, in the words that have its sign."""
    end = 0
    while (found := sign.search(text, end)) is not None:
        at, before = found.start(), end
        start, end = max(text.rfind(" ", before, at), text.rfind("\n", before, at)) + 1 or before, found.end()
        yield from shape.finditer(text, start, end)


def _take(shape: re.Pattern[str], sign: re.Pattern[str], text: str, tells: re.Pattern[str]) -> tuple[list[str], str]:
    """The matches that tell something, and the text without them."""
    found, rest, end = list[str](), list[str](), 0
    for match in _matches(shape, sign, text):
        item = match[0].rstrip(_BEHIND)
        if tells.search(item):
            found.append(item)
            rest += (text[end : match.start()], " ")
            end = match.end()
    return (found, "".join([*rest, text[end:]])) if found else (found, text)


def _label(text: str, at: int) -> str:
    """The word before a value, where it says something of it."""
    label = _LABEL.search(text[max(0, at - 24) : at])
    return label[1] if label and not _PLAIN.match(label[1]) else ""


def _codelike(word: str) -> bool:
    """Whether a word is code rather than language: an underscore, a hump, a dot between names, an option."""
    if word.startswith(("toolu_", "call_", "msg_")):
        return False
    if word.startswith("--") or "_" in word.strip("_$") or word.count("-") >= 2:
        return True
    return _HUMP.search(word) is not None or ("." in word and not word.endswith("."))
