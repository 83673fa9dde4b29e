"""Tool calls: how a later word about a call changes what is known of it. No SQL runs here.

A call only goes forward (running, then in the background, then ended), so that a transcript that is read again changes
nothing. The number moves to the result's when the state does.
"""

from msgspec.structs import replace

from memd.model import Done, Operation, State
from memd.store import packs

ANSWER = "\x01"
"""What stands, with a number of characters, for a result that the text of the entry with the call's number ends with behind so
many: one text is kept once. Without a number it is the whole text."""
RESULT = (
    "CASE substr(o.result, 1, 1) WHEN char(1) THEN"  # noqa: S608 - a constant
    f" (SELECT substr({packs.column('text')}, CAST(substr(o.result, 2) AS INTEGER) + 1)"
    " FROM message m WHERE m.session = o.session AND m.number = o.number) ELSE o.result END"
)
"""The result of a row `o` of `operation`."""


def kept(result: str, text: str | None) -> str:
    """A result as it is kept beside the text of the entry with the call's number (SQLite's `substr` ends at a NUL)."""
    if result and text and text.endswith(result) and "\0" not in text:
        return f"{ANSWER}{len(text) - len(result)}"
    return result.lstrip(ANSWER)


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
