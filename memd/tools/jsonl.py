"""One physical line of a JSON-lines transcript into JSON objects, whatever state the line is in.

Seen in the field and handled here for every tool: two objects on one line, a record torn by a crash with a whole one behind
it, runs of NUL, a byte-order mark, a carriage return, lone surrogates, numbers of thousands of digits, nesting without end.
A bad line is a value (`Gap`), never an exception.

Nearly every line is one whole object: msgspec reads it, in 0.4 of the time of `json.loads`, and what it reads it reads alike.
Whatever it refuses, all of the above, is read by `json` with patience.
"""

import json
from itertools import islice
from typing import Any

import msgspec

from memd.later import pattern
from memd.model import Gap

_DIGITS = 4_000
"""Longer numbers are no numbers that a record of ours can hold; Python refuses to read them from 4,300 digits on."""
_TRIES, _EFFORT, _ROUNDS, _DEEP = 20_000, 10_000_000, 4, 100_000
"""So many places of a torn line are looked at for a record behind the tear, and so many characters in all, with so many times the
line itself; one that is nested too deep to be read counts as so many. Nested places each lead to the line's end: a torn
line of 19 MB with 950 of them took 9 s."""
_MANY = 50_000
"""So many objects are taken from one line; a client that lost newlines lost a few."""
_BLANK = " \t\r\n\0\ufeff"
_LONE = pattern("[\ud800-\udfff]")
_NEXT = pattern(r'\{\s*"')
_SKIP = pattern(f"[{_BLANK}]*")


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


_AT_ONCE = msgspec.json.Decoder().decode
_DECODE = json.JSONDecoder(strict=False).raw_decode
_PATIENT = json.JSONDecoder(strict=False, parse_int=_whole).raw_decode

Objects = tuple[list[dict[str, Any]], list[Gap]]


def objects(data: bytes) -> Objects:
    """The JSON objects on one line, in order, and what could not be read of it."""
    try:
        value = _AT_ONCE(data)
    except (ValueError, RecursionError):
        return _patiently(data)
    return ([value], []) if isinstance(value, dict) else _patiently(data)


def _patiently(data: bytes) -> Objects:
    text = data.decode("utf-8", "replace").strip(_BLANK)
    gaps = [Gap("torn", "a run of NUL bytes")] if b"\0" in data and not _whole_line(data, text) else []
    found: list[dict[str, Any]] = []
    at, suspect = 0, _suspect(data)
    while at < len(text):
        if len(found) + len(gaps) >= _MANY:
            return found, [*gaps, Gap("torn", "the rest of a line of thousands of objects")]
        try:
            value, end = _decode(text, at)
            value = clean(value) if suspect else value
        except (ValueError, RecursionError):
            values, gap = _salvage(text, at)
            return [*found, *values], [*gaps, gap]
        if isinstance(value, dict):
            found.append(value)
        else:
            gaps.append(Gap("malformed", f"a line that holds a {type(value).__name__}, not an object"))
        at = _blanks(text, end)
    return found, gaps


def _whole_line(data: bytes, text: str) -> bool:
    """Whether the NULs stand inside of the record, where they are its own."""
    return bool(text) and b"\0" not in (data[:1], data[-1:])


def _blanks(text: str, at: int) -> int:
    """Where the next thing after blanks stands."""
    skipped = _SKIP.match(text, at)
    return skipped.end() if skipped else at


def _decode(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODE(text, start)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of thousands of digits
        return _PATIENT(text, start)


def _suspect(data: bytes) -> bool:
    """Whether a lone surrogate can have come out of this line: only its escape can make one."""
    return b"\\ud" in data or b"\\uD" in data


def _salvage(text: str, at: int) -> tuple[list[dict[str, Any]], Gap]:
    """The head is torn: look for whole objects behind it, the most that reach the end of the line."""
    left = _EFFORT + _ROUNDS * len(text)
    for start in islice(_NEXT.finditer(text, at + 1), _TRIES):
        values, looked_at = _records(text, start.start())
        if values:
            return values, Gap("torn", "a record cut short before another on its line")
        left -= looked_at
        if left < 0:
            break
    return [], Gap("torn", "a line that is not JSON")


def _records(text: str, at: int) -> tuple[list[dict[str, Any]], int]:
    """The objects from here to the end of the line, none where anything else stands between them; characters looked at."""
    found: list[dict[str, Any]] = []
    start = at
    while at < len(text) and len(found) < _MANY:
        try:
            value, end = _decode(text, at)
            value = clean(value)
        except json.JSONDecodeError as error:
            return [], error.pos - start
        except (ValueError, RecursionError):
            return [], at + _DEEP - start
        if not isinstance(value, dict) or "type" not in value:
            return [], end - start
        found.append(value)
        at = _blanks(text, end)
    return found, at - start


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
