"""A reader's state as it is kept beside the cursor: one line of JSON with its version, without secrets, and its places."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec import structs

from memd.model import Kind, Operation, State
from memd.model.masking import masked_value
from memd.tools.places import Kept, Places

T = TypeVar("T")


changed = structs.replace
"""The state with some fields changed. States change several times at every row and have twenty fields, which is why they are
no dataclasses: a copy takes 0.1 µs here, 0.5 where one dictionary is made of another, 4 with `dataclasses.replace`."""


def dumped(version: int, values: Mapping[str, Any], masked: Iterable[str], places: Places) -> Kept:
    """The fields of a state but its places; `masked` names those that hold what the agent and the client wrote."""
    clean = {name: masked_value(values[name]) for name in masked}
    return Kept(json.dumps({"version": version, **values, **clean}, separators=(",", ":"), ensure_ascii=False), places)


def begun(call: Operation) -> dict[str, Any]:
    """What is remembered of a call until its result comes."""
    return {"kind": call.kind, "name": call.name, "at": call.at, "target": call.target, "detail": call.detail}


def settled(call: Operation) -> bool:
    """Whether nothing more comes of it."""
    return call.state not in {State.RUNNING, State.BACKGROUND}


def whole(call: Operation) -> dict[str, Any]:
    """All that is known of a call, as it is remembered; `again` makes the call of it."""
    return {**structs.asdict(call), "detail": dict(call.detail)}


def again(value: Mapping[str, Any]) -> Operation:
    """The call that `whole` was given."""
    return Operation(**{**value, "kind": Kind(value["kind"]), "state": State(value["state"])})


def loaded(version: int, kept: Kept, made: Callable[[dict[str, Any], Places], T]) -> T:
    """The state that `made` makes of the fields and the places.

    Raises:
        ValueError: the text is another version's, or no state at all.
    """
    values = json.loads(kept.text)
    if not isinstance(values, dict) or values.pop("version", None) != version:
        raise ValueError("a reader state of another version")
    try:
        return made(values, kept.places)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a reader state: {error!r}") from error
