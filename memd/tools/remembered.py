"""A reader's state as it is kept beside the cursor: one line of JSON with its version, without secrets."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from memd.model.secrets import masked_value

T = TypeVar("T")


def dumped(version: int, values: Mapping[str, Any], masked: Iterable[str]) -> str:
    """The fields of a state as text; `masked` names those that hold what the agent and the client wrote."""
    clean = {name: masked_value(values[name]) for name in masked}
    return json.dumps({"version": version, **values, **clean}, separators=(",", ":"), ensure_ascii=False)


def loaded(version: int, text: str, made: Callable[[dict[str, Any]], T]) -> T:
    """The state that `made` makes of the fields.

    Raises:
        ValueError: the text is another version's, or no state at all.
    """
    values = json.loads(text)
    if not isinstance(values, dict) or values.pop("version", None) != version:
        raise ValueError("a reader state of another version")
    try:
        return made(values)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a reader state: {error!r}") from error
