"""One setting of a TOML file put in, changed or taken out as text; the rest keeps its every byte.

A key is looked for at the top (`checkpoint.at = …`) and in its table (`[checkpoint]`, `at = …`). What is new goes into its
table where that is there, else to the head of the file, which is no part of a table whatever follows. Text is not
understood by looking at it: what comes out is read again, and has to say what was meant and nothing else.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from memd.errors import Refused

_MARK = "\ufeff"
"""A byte order mark, which editors of other systems put at a file's head: it stays there, and is no part of what is said."""


def put(text: str, key: str, value: object, note: str = "") -> str:
    """The text with the key set to the value (a string, number, truth value or list of strings).

    `note` is a comment behind a new line; one that is there stays, unless it is that note.

    Raises:
        Refused: the setting stands there in a way that cannot be changed so.
        ValueError: the text is not TOML.
    """
    if text.startswith(_MARK):
        return _MARK + put(text[1:], key, value, note)
    wanted, line_end = _with(tomllib.loads(text), key, value), "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, ensure_ascii=False)
    behind = f"  # {note}" if note else ""
    if (found := _find(text, key)) is not None:
        start, end = found
        new = text[:start] + written + text[end:]
    elif (at := _inside(text, key)) is not None:
        lead = "" if text[:at].endswith("\n") else line_end
        new = f"{text[:at]}{lead}{key.rpartition('.')[2]} = {written}{behind}{line_end}{text[at:]}"
    else:
        new = f"{key} = {written}{behind}{line_end}{text}"
    return _sure(new, wanted, key)


def take(text: str, key: str) -> str:
    """The text without the lines of the key; the same where it is not there. Raises as `put` does."""
    if text.startswith(_MARK):
        return _MARK + take(text[1:], key)
    found = _find(text, key)
    if found is None:
        return _sure(text, _without(tomllib.loads(text), key), key)
    start, after = text.rfind("\n", 0, found[0]) + 1, text.find("\n", found[1])
    return _sure(text[:start] + (text[after + 1 :] if after >= 0 else ""), _without(tomllib.loads(text), key), key)


def _sure(text: str, wanted: dict[str, Any], key: str) -> str:
    with suppress(ValueError):
        if _bare(tomllib.loads(text)) == _bare(wanted):
            return text
    raise Refused(f"`{key}` stands in the settings file in a way that only you can change: edit it by hand")


def _bare(found: dict[str, Any]) -> dict[str, Any]:
    """Without empty tables, which say nothing."""
    return {key: value for key, value in found.items() if value != {}}


def _find(text: str, key: str) -> tuple[int, int] | None:
    """Where the key's value stands."""
    table, _, name = key.rpartition(".")
    for header, at, line in _lines(text):
        named = key if header == "" else name if header == table else None
        match = re.match(rf"\s*{_spaced(named)}\s*=\s*", line) if named else None
        if match and (end := _end(text, at + match.end())) is not None:
            return at + match.end(), end
    return None


def _end(text: str, start: int) -> int | None:
    """The end of the value that begins there: the first place at a line's end or before a comment up to which it is one."""
    for place in re.finditer(r"[ \t]*(?:#|\r?\n|\Z)", text[start:]):
        end = start + place.start()
        with suppress(ValueError):
            tomllib.loads(f"value = {text[start:end]}")
            return end
    return None


def _inside(text: str, key: str) -> int | None:
    """Behind the header of the key's table."""
    table = key.rpartition(".")[0]
    for header, at, line in _lines(text):
        if table and header == table and line.lstrip().startswith("["):
            return at + len(line)
    return None


def _lines(text: str) -> Iterator[tuple[str, int, str]]:
    """Each line with the table that it is in and where it begins."""
    at, table = 0, ""
    for line in text.splitlines(keepends=True):
        header = re.match(r"\s*\[\s*([\w\s.\"'-]+?)\s*\]\s*(?:#.*)?$", line.rstrip("\r\n"))
        table = re.sub(r"[\s\"']", "", header[1]) if header else table
        yield table, at, line
        at += len(line)


def _spaced(key: str) -> str:
    return r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in key.split("."))


def _with(found: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    table, dot, name = key.partition(".")
    if not dot:
        return {**found, table: value}
    inner = found.get(table, {})
    return {**found, table: _with(inner if isinstance(inner, dict) else {}, name, value)}


def _without(found: dict[str, Any], key: str) -> dict[str, Any]:
    table, dot, name = key.partition(".")
    if not dot:
        return {one: value for one, value in found.items() if one != table}
    inner = found.get(table)
    return {**found, table: _without(inner, name)} if isinstance(inner, dict) else found
