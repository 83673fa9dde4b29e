"""Reading fields that may be of any type: a wrong one is as good as absent, never an exception."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from memd.later import pattern
from memd.model.places import possible
from memd.model.secrets import mask, stand_in
from memd.model.text import LEFT_OUT
from memd.tools.naming import naming

_SECONDS = 100_000_000_000
"""Numbers below are seconds since the epoch, numbers above milliseconds (this many seconds is the year 5138)."""

ASKED = 300
"""Characters of a call of another's tool."""
_SECRET = pattern(r"(?i)passw|passphrase|secret|token\Z|credential|authorization|api_?key|private_?key")
DETAIL = 2_000
"""Characters of an edited text, a prompt or a description that are kept with a call."""


def string(row: Mapping[str, Any], key: str) -> str:
    """A string field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def directory(row: Mapping[str, Any], key: str) -> str:
    """A field that names a directory, empty where none can have that path."""
    path = string(row, key)
    return path if possible(path) else ""


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
    texts = [block.get("text") for block in value if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join([text for text in texts if isinstance(text, str)])


def excerpt(text: str, limit: int) -> str:
    """The text itself, or its head and tail around a note of what was left out, about `limit` characters.

    The note counts the characters and has the exact strings that stand in them (paths, names, ids): they are what is asked
    for later. What is cut is masked first: half a secret would not be known as one.
    """
    if len(text) <= limit:
        return text
    text = mask(text)
    head, tail = limit * 2 // 3, limit // 3
    left_out = text[head : len(text) - tail]
    return f"{text[:head]}\n{LEFT_OUT}{len(left_out)} characters left out{naming(left_out)} …]\n{text[-tail:]}"


def beginning(text: str, limit: int) -> str:
    """The text itself, or its first `limit` characters and a note of what was left out, as `excerpt` has it."""
    if len(text) <= limit:
        return text
    text = mask(text)
    return f"{text[:limit]}\n{LEFT_OUT}{len(text) - limit} characters left out{naming(text[limit:])} …]"


def short(value: Any) -> Any:
    """A value that may be kept with a call; None for what is neither text, number nor truth."""
    if isinstance(value, str):
        return beginning(value, DETAIL)
    return value if isinstance(value, bool | int | float) else None


def lines(text: str) -> int:
    """How many lines a text has; the newline at its end begins none."""
    return text.count("\n") + (text[-1:] not in {"", "\n"})


def asked(name: str, given: Mapping[str, Any]) -> str:
    """A call of a tool that is not the client's own, as one line: its name and arguments, secrets as hashes.

    What is cut ends with a digest of the whole, so that two calls which differ are told apart.
    """
    told = (f"{key}={_shown(key, value)}" for key, value in given.items())
    text = mask(" ".join((name, *told)).replace("\n", " "))
    if len(text) <= ASKED:
        return text
    digest = blake2b(_compact(dict(given)).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{text[: ASKED - 10]}… {digest}"


def _shown(key: str, value: Any) -> str:
    """A value as it may be kept; one that goes by a secret's name is not, whatever it looks like."""
    text = value if isinstance(value, str) else _compact(value)
    return stand_in(text) if text and _SECRET.search(key) else text


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:  # nested almost too deep to be read, and reading had more of the stack
        return "…"
