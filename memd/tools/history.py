"""What the second witnesses have in common: a client's own list of what was typed on its screen, a JSON object a line."""

import json
from collections.abc import Iterable
from typing import Any

from memd.model import Channel, Grade, Record


def row(line: bytes) -> dict[str, Any]:
    """The object on a line; an empty one for what is none, since the list proves nothing by itself."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def concerns(record: Record) -> bool:
    """Whether a list may have to do with an entry: nothing told who said it, or the list did before."""
    lifted = record.channel.human and record.grade is Grade.INFERRED
    return (record.channel is Channel.UNATTRIBUTED or lifted) and record.copy_of is None


def as_typed(record: Record) -> str:
    """The words of an entry as they stood on the screen."""
    if "command" in record.extra:
        return f"/{record.extra['command']} {record.text}".strip()
    return f"!{record.text}".strip() if record.extra.get("shell") else record.text.strip()


def nearest(pairs: Iterable[tuple[int, int, int]]) -> set[int]:
    """Which entries have a line of their own, given how far apart each pair of entry and line is: the nearest pairs first."""
    heard: set[int] = set()
    used: set[int] = set()
    for _, number, place in sorted(pairs):
        if number not in heard and place not in used:
            heard.add(number)
            used.add(place)
    return heard
