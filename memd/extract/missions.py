"""What a session is for: the messages that set its missions and those that ended one, in order. Pure."""

import re
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from memd.extract.asked import ADDED, asks, goes_on, known
from memd.extract.material import Material, of_material
from memd.extract.turns import unstated
from memd.model import Record

_CLEARED = frozenset({"", "clear", "off", "stop", "none", "reset", "cancel"})
"""Arguments that take a goal back."""
_TRIFLES = frozenset(
    "hi,hello,hey,ok,okay,yes,no,test,thanks,hallo,你好".split(",")  # noqa: SIM905 - a list of words
)
"""What says too little to be a mission, beside "go on"."""

_AGREED = r"(?:yes|yeah|yep|yup|ok|okay|sure|no|nope|thanks|hmm|great|good|nice|perfect)\b"
"""How a few words begin that only answer what the agent said."""


class Set(Struct, frozen=True):
    """A mission, and what became of it; `M1` is the first of a list."""

    by: Record
    status: str = "active"
    ended: Record | None = None
    """The message that ended it."""


@of_material
def missions(material: Material) -> tuple[Set, ...]:
    """Every mission, oldest first: none is dropped, and only a goal ends an earlier goal, a person's only another of a person's.

    The first message that says something sets one, a person's too where only the operator did before; so does a goal, and the
    next request where the person took back the only one.
    """
    found = list[Set]()
    for record in (*filter(asks, material.before), *material.asked):
        goal = record.extra.get("command") == "goal"
        if goal:
            _end_goal(found, record)
        if (goal or not any(_binds(one, record) for one in found)) and _sets(record):
            found.append(Set(record))
    return tuple(found or map(Set, _least(material)))


def _sets(record: Record) -> bool:
    """Whether it says what to do."""
    if record.extra.get("command") == "goal":
        return not _clears(record)
    return record.channel not in ADDED and _telling(record)


def _binds(one: Set, record: Record) -> bool:
    """Whether a mission stands beside which another message sets none."""
    return one.ended is None and (known(one.by) or not known(record))


def _end_goal(found: list[Set], by: Record) -> None:
    """The goal that stands has another one in its place, or none; a person's has that by a person's word alone."""
    status = "withdrawn" if _clears(by) else f"replaced by M{len(found) + 1}"
    for place, one in enumerate(found):
        if one.ended is None and one.by.extra.get("command") == "goal" and (known(by) or not known(one.by)):
            found[place] = replace(one, status=status, ended=by)


def _clears(goal: Record) -> bool:
    return goal.text.strip().lower() in _CLEARED


@of_material
def directing(material: Material) -> Record | None:
    """The message whose mission comes first now: a person's before others', the newest goal before what was asked first."""
    active = [one.by for one in missions(material) if one.ended is None]
    goals = [record for record in reversed(active) if record.extra.get("command") == "goal"]
    return next(chain(filter(known, (*goals, *active)), goals, active), None)


def _least(material: Material) -> Iterator[Record]:
    """What stands in where no message says what to do: a greeting, a prompt of nobody known, what was added to a running turn."""
    every = (*filter(asks, material.before), *material.asked)
    asked = [record for record in every if record.extra.get("command") != "goal" or not _clears(record)]
    human = [r for r in asked if known(r)] or asked
    prompts = [r for r in human if r.channel not in ADDED] or unstated(material) or human
    yield from [r for r in prompts if _telling(r)][:1] or prompts[:1]


def _telling(record: Record) -> bool:
    text = record.text.strip().lower().rstrip(".!?。！？")
    trifle = text in _TRIFLES or (len(text.split()) <= 5 and re.match(_AGREED, text) is not None)
    return not trifle and not goes_on(record.text) and record.extra.get("command") != "goal"
