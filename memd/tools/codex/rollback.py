"""Which entries are still part of the conversation.

A rollback takes the last prompts and all that followed them out of the context; the rows stay, and one `thread_rolled_back`
row says how many prompts it was. So for each prompt it is remembered what stood before it. Clients with numbered rows go on
in another file instead, which begins with what stayed (see `source`).
"""

from memd.model import Rewind
from memd.tools.codex.state import PROMPT, STRETCH, Range, ReaderState
from memd.tools.remembered import changed

_LATER = ""
"""The start of a stretch that has no entry yet, but stretches (or rolled back entries) before it."""


def enter(state: ReaderState, key: str) -> ReaderState:
    """An entry was made."""
    first = key if state.first == _LATER else state.first
    return changed(state, last=key, first=first, empty=False)


def prompt(state: ReaderState) -> ReaderState:
    """A prompt is about to be entered: a rollback can lead back to here."""
    before = (state.closed, None if state.empty else state.last)
    return changed(state, prompts=state.prompts + 1, places=state.places.put(f"{PROMPT}{state.prompts}", before))


def back(state: ReaderState, count: int) -> tuple[ReaderState, Rewind | None]:
    """The last `count` prompts and what followed them were taken out."""
    left = state.prompts - min(count, state.prompts)
    if left >= state.prompts:
        return state, None
    moved = _close(state, *state.places.get(f"{PROMPT}{left}"))
    return changed(moved, first=_LATER, empty=True, prompts=left), Rewind(_path(moved))


def _close(state: ReaderState, closed: int, last: str | None) -> ReaderState:
    """So many closed stretches, and the next one up to its entry `last`."""
    if last is None:
        return changed(state, closed=closed)
    first = state.places.get(f"{STRETCH}{closed}")[0] if closed < state.closed else state.first
    return changed(state, closed=closed + 1, places=state.places.put(f"{STRETCH}{closed}", (first, last)))


def _path(state: ReaderState) -> tuple[Range, ...]:
    """The closed stretches."""
    found = (state.places.get(f"{STRETCH}{number}") for number in range(state.closed))
    return tuple((first, last) for first, last in found)


def turn(state: ReaderState) -> ReaderState:
    """What was read up to here stays; of other files' entries between it and the next one nothing does."""
    closed = state if state.empty else _close(state, state.closed, state.last)
    return changed(closed, first=_LATER, empty=True, turned=True)


def stays(state: ReaderState) -> Rewind:
    """After a turn: of all that is recorded, what was read up to it."""
    return Rewind(_path(state), everything=True)


def begun(state: ReaderState) -> tuple[ReaderState, Rewind]:
    """The first entry after a turn was made."""
    return changed(state, turned=False), Rewind((*_path(state), (state.first, None)))
