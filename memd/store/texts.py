"""JSON as it is kept."""

import json
from typing import Any

import msgspec


def compact(value: Any) -> str:
    """JSON without blanks, letters of all scripts as they are; what is no mapping and no list becomes one."""
    return msgspec.json.encode(value if isinstance(value, dict | list) else dict(value)).decode()


def expanded(kept: str) -> Any:
    """The value again; an older memd wrote numbers that are none (`NaN`) as they are."""
    try:
        return msgspec.json.decode(kept)
    except msgspec.DecodeError:
        return json.loads(kept)
