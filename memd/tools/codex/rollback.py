"""Which entries are still part of the conversation.

A rollback takes the last prompts and all that followed them out of the context; the rows stay, and one `thread_rolled_back`
row says how many prompts it was. So for each prompt it is remembered what stood before it. Clients with numbered rows go on
in another file instead, which begins with what stayed (see `source`).
"""

from memd.model import Rewind
from memd.tools.codex.state import PROMPT_LIMIT, Range, ReaderState
from memd.tools.remembered import changed

_LATER = ""
"""The start of a stretch that has no entry yet, but stretches (or rolled back entries) before it."""


def enter(state: ReaderState, key: str) -> ReaderState:
    """An entry was made."""
    first = key if state.first == _LATER else state.first
    return changed(state, last=key, first=first, empty=False)


def prompt(state: ReaderState) -> ReaderState:
    """A prompt is about to be entered: a rollback can lead back to here."""
    before = (len(state.kept), None if state.empty else state.last)
    return changed(state, prompts=(*state.prompts, before)[-PROMPT_LIMIT:])


def back(state: ReaderState, count: int) -> tuple[ReaderState, Rewind | None]:
    """The last `count` prompts and what followed them were taken out."""
    count = min(count, len(state.prompts))
    if count <= 0:
        return state, None
    path = _path(state, *state.prompts[-count])
    moved = changed(state, kept=path, first=_LATER, empty=True, prompts=state.prompts[:-count])
    return moved, Rewind(path)


def _path(state: ReaderState, closed: int, last: str | None) -> tuple[Range, ...]:
    """So many closed stretches, and the next one up to its entry `last`."""
    if last is None:
        return state.kept[:closed]
    first = state.kept[closed][0] if closed < len(state.kept) else state.first
    return (*state.kept[:closed], (first, last))


def turn(state: ReaderState) -> ReaderState:
    """What was read up to here stays; of other files' entries between it and the next one nothing does."""
    kept = state.kept if state.empty else (*state.kept, (state.first, state.last))
    return changed(state, kept=kept, first=_LATER, empty=True, turned=True)


def begun(state: ReaderState) -> tuple[ReaderState, Rewind]:
    """The first entry after a turn was made."""
    return changed(state, turned=False), Rewind((*state.kept, (state.first, None)))
