"""One physical line of a JSON-lines transcript into JSON objects, whatever state the line is in.

Seen in the field and handled here for every tool: two objects on one line, a record torn by a crash with a whole one behind
it, runs of NUL, a byte-order mark, a carriage return, lone surrogates, numbers of thousands of digits, nesting without end.
A bad line is a value (`Gap`), never an exception.
"""

import json
import re
from typing import Any

from memd.model import Gap

_DECODE = json.JSONDecoder().raw_decode
_BLANK = " \t\r\n\0﻿"
_LONE = re.compile("[\ud800-\udfff]")
_NEXT = re.compile(r'\{\s*"')

Objects = tuple[list[dict[str, Any]], list[Gap]]


def objects(data: bytes) -> Objects:
    """The JSON objects on one line, in order, and what could not be read of it."""
    text = data.decode("utf-8", "replace").strip(_BLANK)
    if not text:
        return [], []
    try:
        value, end = _DECODE(text)
    except (ValueError, RecursionError):
        return _salvage(text)
    if end == len(text) and isinstance(value, dict):
        return [clean(value) if _suspect(data) else value], []
    return _several(text, value, end)


def _suspect(data: bytes) -> bool:
    """Whether a lone surrogate can have come out of this line: only its escape can make one."""
    return b"\\ud" in data or b"\\uD" in data


def _several(text: str, value: Any, end: int) -> Objects:
    """More than one value on a line."""
    found, gaps = _keep(value)
    rest = text[end:].strip(_BLANK)
    if not rest:
        return found, gaps
    more, bad = objects(rest.encode("utf-8", "replace"))
    return [*found, *more], [*gaps, *bad]


def _keep(value: Any) -> Objects:
    if isinstance(value, dict):
        return [clean(value)], []
    return [], [Gap("malformed", f"a line that holds a {type(value).__name__}, not an object")]


def _salvage(text: str) -> Objects:
    """The head is torn: look for a whole object behind it, the longest one that reaches the end of the line."""
    for start in _NEXT.finditer(text, 1):
        try:
            value, end = _DECODE(text, start.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "type" in value and not text[end:].strip(_BLANK):
            return [clean(value)], [Gap("torn", "a record cut short before another on its line")]
    return [], [Gap("torn", "a line that is not JSON")]


def clean(value: Any) -> Any:
    """The value without lone surrogates, which can be neither stored nor printed."""
    match value:
        case str():
            return _LONE.sub("�", value) if _LONE.search(value) else value
        case dict():
            return {clean(key): clean(item) for key, item in value.items()}
        case list():
            return [clean(item) for item in value]
        case _:
            return value
