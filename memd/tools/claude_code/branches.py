"""Which rows are still part of the conversation.

Claude Code deletes nothing: after a rewind, or an Esc before the first word, the next row simply names an earlier row as its
parent, and what lies between stays in the file on a branch that was left (measured on 2.1.332). Rows of one turn can form
side branches too (results of parallel calls), so only a return to a place where a prompt started counts: the row before a
prompt, or the prompt itself. When the parent is not known the conversation is taken to go on: in doubt more is kept.

Back at the very start there is no row to name: the prompt, or the command that was typed there, has no parent, and the client
says that somebody went back (`last-prompt` with `explicit`): behind the prompt, or only behind its answer and the turn's end, but
before the next prompt (measured on 2.1.332). Without that word a second root is no rewind.
"""

from memd.model import Rewind
from memd.tools.claude_code.state import ASIDE_LIMIT, END_LIMIT, ROW, SEGMENT, ReaderState
from memd.tools.remembered import changed

PENDING = ""
"""The start of a branch that has no entry yet."""


def step(state: ReaderState, row: str, parent: str, at: int | None = None) -> tuple[ReaderState, Rewind | None]:
    """A row with an id, written at `at`, was read, before its entries: does it go on, or back to an earlier place?"""
    newest = max(state.newest, at or 0)
    if parent == state.leaf:
        return changed(state, leaf=row, newest=newest, replay=False), None  # as nearly always
    place = state.places.get(ROW + parent) if parent else None
    if place is None:
        aside = state.aside
        if parent and state.leaf:
            aside = (*(end for end in aside if end != parent), state.leaf)[-ASIDE_LIMIT:]
        return changed(state, leaf=row, newest=newest, replay=False, aside=aside), None
    segment, after = place
    # The end of what is left: a way back leads there too.
    state = _remember(state, state.leaf, (state.segment, state.last))
    ends = (*(end for end in state.ends if end != parent), state.leaf)[-END_LIMIT:]
    left = state.places.put(f"{SEGMENT}{state.segment}", state.branch)
    here = {"segment": state.segment + 1, "branch": (PENDING, segment, after), "places": left, "last": after}
    moved = changed(state, leaf=row, newest=newest, replay=False, ends=ends, anew="", **here)
    return moved, Rewind(path(moved))


def root(state: ReaderState, row: str, at: int | None = None) -> ReaderState:
    """A prompt without a parent was read behind other rows: a branch of its own, until it is known whether it goes on."""
    left = state.places.put(f"{SEGMENT}{state.segment}", state.branch)
    here = {"segment": state.segment + 1, "branch": (PENDING, state.segment, state.last), "places": left}
    newest = max(state.newest, at or 0)
    return changed(state, leaf=row, newest=newest, replay=False, anew=state.leaf, answered=False, **here)


def went_back(state: ReaderState) -> tuple[ReaderState, Rewind | None]:
    """The client says that somebody went back: where the last prompt has no parent that was to the very start."""
    if not state.anew:
        return state, None
    start, parent, after = state.branch
    state = _remember(state, state.anew, (parent, after))
    ends = (*(end for end in state.ends if end != state.anew), state.anew)[-END_LIMIT:]
    moved = changed(state, branch=(start, 0, None), ends=ends, anew="")
    return moved, Rewind(path(moved))


def enter(state: ReaderState, key: str) -> ReaderState:
    """An entry was made: it is the last one now, and the first of its branch if that had none."""
    start, parent, after = state.branch
    if start != PENDING:
        return changed(state, last=key)
    return changed(state, last=key, branch=(key, parent, after))


def mark(state: ReaderState, row: str, parent: str, key: str, before: str | None) -> ReaderState:
    """A prompt was read: its row and the one before it are places to which a rewind can lead."""
    if state.anew and state.answered:
        state = changed(state, anew="")
    if parent and state.places.get(ROW + parent) is None:
        state = _remember(state, parent, (state.segment, before))
    return _remember(state, row, (state.segment, key))


def _remember(state: ReaderState, row: str, place: tuple[int, str | None]) -> ReaderState:
    return changed(state, places=state.places.put(ROW + row, place))


def path(state: ReaderState) -> tuple[tuple[str | None, str | None], ...]:
    """The key ranges that lead from the start of the session to its newest row."""
    ranges: list[tuple[str | None, str | None]] = []
    index, end = state.segment, None
    start, parent, after = state.branch
    while index >= 0:
        if index != state.segment:
            start, parent, after = state.places.get(f"{SEGMENT}{index}")
        if start != PENDING:
            ranges.append((start, end))
        if index and after is None:  # the branch was left before its first entry: nothing of it counts
            break
        index, end = parent, after
    return tuple(reversed(ranges))
