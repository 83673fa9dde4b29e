"""Tool calls: how a later word about a call changes what is known of it, and how a call is kept. No SQL runs here.

A call only goes forward (running, then in the background, then ended), so that a transcript that is read again changes
nothing. The number moves to the result's when the state does.
"""

from typing import Any

from msgspec.structs import replace

from memd.model import Done, Kind, Operation, State
from memd.store import packs
from memd.store.codes import KINDS, STATES, compact, expanded

FIELDS = (
    f"o.number, o.kind, o.at, o.ended_at, o.state, {packs.SAID}, CASE WHEN o.answer IS NOT NULL THEN"  # noqa: S608 - constants
    f" (SELECT substr({packs.column('text')}, o.answer + 1)"
    " FROM message m WHERE m.session = o.session AND m.number = o.number) END"
)
"""A row `o` of `operation`, for `done`. A result that the text of the entry with the call's number ends with is kept there alone:
`answer` says behind how many characters it begins."""

FILES = frozenset({Kind.READ, Kind.EDIT, Kind.CREATE})
"""Calls that are looked up by their target, a file."""


def done(row: tuple[Any, ...]) -> Done:
    """A call as a value again."""
    number, kind, at, ended_at, state, kept, answer = row
    call, name, target, detail, result = expanded(kept)
    told = result if answer is None else answer
    return Done(call, number, KINDS[kind], name, at, ended_at, STATES[state], target, detail, told)


def said(call: Done, answer: int | None) -> str:
    """What is kept of a call as one text."""
    detail = call.detail if isinstance(call.detail, dict) else dict(call.detail)
    return compact([call.call, call.name, call.target, detail, call.result if answer is None else ""])


def said_before(call: str, name: str, target: str, detail: str, result: str) -> str:
    """The same of a call that an older memd kept in several columns; char(1) began a result that its entry's text ends with."""
    return compact([call, name, target, expanded(detail), "" if result.startswith("\x01") else result])


def answer(result: str, text: str | None) -> int | None:
    """Behind how many characters of the entry's text a result is its end, if it is (SQLite's `substr` ends at a NUL)."""
    return len(text) - len(result) if result and text and text.endswith(result) and "\0" not in text else None


def ended(call: Done) -> bool:
    """Whether nothing more than a late word may come of it."""
    return _rank(call.state) == _ENDED


_RANK = {State.RUNNING: 0, State.BACKGROUND: 1}
_ENDED = 2


def merge(old: Done | None, event: Operation, number: int) -> Done:
    """What is known of the call after this event; `number` is that of the entry before the event."""
    if old is None:
        return _first(event, number)
    if _rank(event.state) < _rank(old.state):
        return replace(old, target=old.target or event.target, detail={**event.detail, **old.detail})
    return replace(
        old,
        number=old.number if event.state is old.state else number,
        ended_at=_ended_at(event) or old.ended_at,
        state=event.state,
        target=event.target or old.target,
        detail={**old.detail, **event.detail},
        result=event.result or old.result,
    )


def _first(event: Operation, number: int) -> Done:
    return Done(
        call=event.call,
        number=number,
        kind=event.kind,
        name=event.name,
        at=event.at,
        ended_at=_ended_at(event),
        state=event.state,
        target=event.target,
        detail=event.detail,
        result=event.result,
    )


def _rank(state: State) -> int:
    return _RANK.get(state, _ENDED)


def _ended_at(event: Operation) -> int | None:
    return event.at if _rank(event.state) == _ENDED else None
