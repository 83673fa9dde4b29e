"""Reading fields that may be of any type: a wrong one is as good as absent, never an exception."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memd.model.secrets import mask

_SECONDS = 100_000_000_000
"""Numbers below are seconds since the epoch, numbers above milliseconds (this many seconds is the year 5138)."""


def string(row: Mapping[str, Any], key: str) -> str:
    """A string field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def table(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def items(row: Mapping[str, Any], key: str) -> list[Any]:
    """A list field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def whole(row: Mapping[str, Any], key: str) -> int | None:
    """A whole number that fits into 63 bits, None when it is not one."""
    value = row.get(key)
    return value if type(value) is int and abs(value) < 1 << 62 else None


def flag(row: Mapping[str, Any], key: str) -> bool:
    """A field that is exactly true."""
    return row.get(key) is True


def moment(value: Any) -> int | None:
    """A time in milliseconds since the epoch, from ISO text or a number of seconds or milliseconds."""
    if isinstance(value, str):
        return _iso(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _SECONDS * 100:
        return int(value * 1000) if value < _SECONDS else int(value)
    return None


def _iso(text: str) -> int | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        found = int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)
    except (OverflowError, ValueError):
        return None
    return found if found > 0 else None


def flat(value: Any) -> str:
    """The text of a content field: a string, or the text blocks of a list, one a line."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = (block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None for block in value)
    return "\n".join(text for text in texts if isinstance(text, str))


def excerpt(text: str, limit: int) -> str:
    """The text itself, or its head and tail around a note of how much was left out, about `limit` characters.

    What is cut is masked first: half a secret would not be known as one.
    """
    if len(text) <= limit:
        return text
    text = mask(text)
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]}\n[… {len(text) - head - tail} characters left out …]\n{text[-tail:]}"
