"""Events without secrets, but in what a person said: what the record may hold. Pure.

Nearly no event has a secret in it. So all that a run of events holds is looked through at once, as one text: one look at some
hundred kilobytes takes a fifth of ten thousand small ones (measured on recorded sessions).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, assert_never

from msgspec.structs import replace

from memd.model.channels import MEMO_CHANNELS, Channel
from memd.model.events import (
    Amend,
    Compaction,
    Event,
    Facts,
    Gap,
    Message,
    Operation,
    Receipt,
    Rewind,
    TurnEnd,
    Usage,
)
from memd.model.hints import hints
from memd.model.secrets import mask

VERBATIM = MEMO_CHANNELS | {Channel.HUMAN_SHELL, Channel.UNATTRIBUTED}
"""Channels whose texts are, or may be, the person's own words."""


def masked(events: Sequence[Event]) -> list[Event]:
    """The events without secrets; an event is itself where nothing in it was one."""
    texts = _texts(events)
    once = dict(zip(map(id, texts), texts, strict=True))  # what a call holds comes again with its result
    found = hints("\n".join(once.values()))
    names, ends = list(once), list(accumulate(len(text) + 1 for text in once.values())) if found else []
    suspects = {names[bisect_right(ends, start)] for start, _ in found}
    hidden = {name: clean for name in suspects if (clean := mask(once[name])) != once[name]}
    if not hidden:
        return list(events)

    def hide(text: str) -> str:
        return hidden.get(id(text), text)

    return [event if hidden.keys().isdisjoint(map(id, _texts([event]))) else _changed(event, hide) for event in events]


def _texts(events: Iterable[Event]) -> list[str]:
    """All that may hold a secret."""
    texts: list[str] = []
    for event in events:
        match event:
            case Message():
                if event.channel not in VERBATIM:
                    texts.append(event.text)
                _gather(event.extra.values(), texts)
            case Operation():
                texts += (event.target, event.result)
                _gather(event.detail.values(), texts)
            case Facts():
                texts.append(event.title or "")
            case Usage() | Amend() | Compaction() | Gap() | Receipt() | Rewind() | TurnEnd():
                pass
            case _:
                assert_never(event)
    return texts


def _gather(values: Iterable[Any], texts: list[str]) -> None:
    """Every string in JSON values."""
    for value in values:
        match value:
            case str():
                texts.append(value)
            case None | int() | float():
                pass
            case list() | tuple():
                _gather(value, texts)
            case dict() | Mapping():
                _gather(value.values(), texts)
            case _:
                pass


def _changed(event: Event, hide: Callable[[str], str]) -> Event:
    match event:
        case Message():
            text = event.text if event.channel in VERBATIM else hide(event.text)
            return replace(event, text=text, extra=_value(event.extra, hide))
        case Operation():
            target, result = hide(event.target), hide(event.result)
            return replace(event, target=target, detail=_value(event.detail, hide), result=result)
        case Facts():
            return replace(event, title=hide(event.title or "") or None)
        case _:
            return event


def masked_value(value: Any) -> Any:
    """A JSON value with every string in it masked; keys are names, and stay."""
    return _value(value, mask)


def _value(value: Any, hide: Callable[[str], str]) -> Any:
    match value:
        case str():
            return hide(value)
        case dict() | Mapping():
            return {key: _value(item, hide) for key, item in value.items()}
        case list() | tuple():
            return [_value(item, hide) for item in value]
        case _:
            return value
