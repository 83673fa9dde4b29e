"""Keys and values of configuration files, and constants of Python, as far as a piece of such a file shows them. Pure.

An edit is a fragment: what can be parsed whole is; else each line that has a key and a value counts, under the keys around it
that the fragment shows. Where the file itself has the fragment in one place, the keys around it are the file's. A value is its
text, without quotation marks; a table or list as a whole is none.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

VALUE = 200
"""Characters of a value that are kept."""
MOST, PIECE = 40, 20_000
"""Keys of one piece that are kept, and characters that are looked at: a whole lock file is no change of settings."""

WHOLE, EVERY = 100_000, 5_000
"""Characters of a file in which a fragment is looked for, and keys of it."""

_JSON_LINE = re.compile(r'^(\s*)"((?:[^"\\]|\\.){1,120})"\s*:\s*(.*?),?\s*$')
_YAML_LINE = re.compile(r"^(\s*)(?:- )?([\w./-]{1,120}|\"[^\"]{1,120}\")\s*:(?:\s+(.*?))?\s*$")
_INI_HEAD = re.compile(r"^\s*\[+([^\[\]]{1,120})\]+\s*(?:#.*)?$")
_INI_LINE = re.compile(r"^\s*(?:export\s+)?([\w.\"' -]{1,120}?)\s*[=:]\s*(.*?)\s*$")
_CONSTANT = re.compile(r"^([A-Z][A-Z0-9_]{1,80})\s*(?::[^=\n]{1,80})?=\s*(?!=)(.+?)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"\s+#.*$")
_NESTED = frozenset((".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf"))
"""Files in which a key means little without those around it."""
_ENV = re.compile(r"^(?:\.env(?:rc|\..+)?|.+\.env)$")

Values = Mapping[str, str]
Changed = tuple[str, str | None, str | None]


def readable(path: str) -> bool:
    """Whether `values` knows this kind of file."""
    return _reader(path) is not None


def secretive(path: str) -> bool:
    """Whether all values of a file are to be kept as hashes only."""
    return _ENV.match(PurePosixPath(path).name) is not None


def nested(path: str) -> bool:
    """Whether a key of such a file says whose it is only with those around it."""
    return PurePosixPath(path).suffix.lower() in _NESTED and not secretive(path)


def values(path: str, text: str) -> Values:
    """The keys of a piece of a file with their values, in order; nothing where the file is of another kind."""
    return _values(path, text[:PIECE], MOST)


def _values(path: str, text: str, most: int) -> Values:
    reader = _reader(path)
    found: dict[str, str] = {}
    for key, value in reader(text) if reader else ():
        if len(found) >= most:
            break
        found[key] = value[:VALUE]
    return found


def changes(path: str, old: str, new: str, file: str = "") -> list[Changed]:
    """(key, from, to) for each key whose value differs between two pieces; None: it is not in that one.

    `file` is what the file holds now, before or since the change, where that is known.
    """
    if pieces := _around(old, new, file):
        before, after = (_values(path, piece, EVERY) for piece in pieces)
        if found := _differing(before, after)[:MOST]:
            return found
    return _differing(values(path, old), values(path, new))


def _around(old: str, new: str, file: str) -> tuple[str, str] | None:
    """The whole file before and since, by the one place in which the change stands; None where that is not to be seen."""
    if len(file) > WHOLE:
        return None
    if new.strip() and file.count(new) == 1:
        return file.replace(new, old), file
    return (file, file.replace(old, new)) if old.strip() and file.count(old) == 1 else None


def _differing(before: Values, after: Values) -> list[Changed]:
    names = dict.fromkeys((*before, *after))
    return [(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]


def _reader(path: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    if secretive(path):
        return _ini
    return {
        ".json": _json,
        ".jsonc": _json,
        ".json5": _json,
        ".toml": _toml,
        ".yaml": _yaml,
        ".yml": _yaml,
        ".ini": _ini,
        ".cfg": _ini,
        ".conf": _ini,
        ".properties": _ini,
        ".py": _python,
    }.get(PurePosixPath(path).suffix.lower())


def _json(text: str) -> Iterator[tuple[str, str]]:
    for whole in (text, "{" + text.strip().strip(",") + "}"):
        try:
            yield from _flat(json.loads(whole))
        except (ValueError, RecursionError):
            continue
        return
    yield from _nested(text, _JSON_LINE)


def _toml(text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from _flat(tomllib.loads(text))
    except (ValueError, RecursionError):
        yield from _ini(text)


def _yaml(text: str) -> Iterator[tuple[str, str]]:
    yield from _nested(text, _YAML_LINE)


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items() if isinstance(value, dict) else ():
        name = f"{prefix}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{name}.")
        else:
            yield name, inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False, default=str)


def _nested(text: str, shape: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Lines of `key: value`; a key without a value, or with an opening bracket, is around the deeper ones below it."""
    around: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = shape.match(line)
        if match is None:
            continue
        depth, key, value = len(match[1].expandtabs(4)), match[2].strip('"'), _COMMENT.sub("", match[3] or "")
        around = [outer for outer in around if outer[0] < depth]
        if value in {"", "{", "[", "|", ">", "|-", ">-"} or value.startswith("#"):
            around.append((depth, key))
        else:
            yield ".".join([*(name for _, name in around), key]), _bare(value)


def _ini(text: str) -> Iterator[tuple[str, str]]:
    section = ""
    for line in text.splitlines():
        if head := _INI_HEAD.match(line):
            section = f"{head[1].strip()}."
        elif not line.lstrip().startswith(("#", ";", "//")) and (match := _INI_LINE.match(line)):
            yield section + match[1].strip("\"' "), _bare(_COMMENT.sub("", match[2]))


def _python(text: str) -> Iterator[tuple[str, str]]:
    for match in _CONSTANT.finditer(text):
        value = _COMMENT.sub("", match[2])
        if value not in {"(", "[", "{", '"""', "'''"}:
            yield match[1], _bare(value)


def _bare(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
