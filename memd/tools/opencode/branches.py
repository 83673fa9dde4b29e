"""Which entries are still part of the conversation.

OpenCode takes back in two steps (measured on 1.18.33): `session.revert` names the message from which on everything is out of
the context, its rows stay; the next prompt removes them, or the person brings them back. A message can be removed alone too.
What was recorded stays recorded, marked. A way back to a place that is not remembered takes nothing away: in doubt more is kept.
"""

from memd.model import Rewind
from memd.tools.opencode.state import RUNS, ReaderState, Run
from memd.tools.remembered import changed

SLACK = 100
"""So many runs more than RUNS are let come together before they are made fewer."""


def begin(state: ReaderState, message: str) -> ReaderState:
    """A message begins: from here on it has its place, though it has no entry yet."""
    return _kept(changed(state, runs=(*state.runs, (message, "", ""))))


def enter(state: ReaderState, message: str, key: str) -> ReaderState:
    """An entry of a message was made: it goes on with the last run, or makes a new one."""
    last, first, _ = state.runs[-1] if state.runs else (None, "", "")
    if last != message:
        return _kept(changed(state, runs=(*state.runs, (message, key, key))))
    return changed(state, runs=(*state.runs[:-1], (message, first or key, key)))


def _kept(state: ReaderState) -> ReaderState:
    """From the oldest on, runs beside each other that are alike become one: what was removed stays a hole between them."""
    excess = len(state.runs) - RUNS
    if excess <= SLACK:
        return state
    kept: list[Run] = []
    for run in state.runs:
        if excess > 0 and kept and (kept[-1][0] in state.gone) == (run[0] in state.gone):
            message, first, last = kept.pop()
            run = (message, first or run[1], run[2] or last)  # noqa: PLW2901 - it takes the next one in
            excess -= 1
        kept.append(run)
    return changed(state, runs=tuple(kept))


def revert(state: ReaderState, message: str) -> tuple[ReaderState, Rewind | None]:
    """The session is taken back to before a message; empty: what was taken back and is still there is back."""
    if message == state.reverted:
        return state, None
    moved = changed(state, reverted=message)
    return moved, path(moved)


def remove(state: ReaderState, ident: str) -> tuple[ReaderState, Rewind | None]:
    """A message, or one part of one, was removed for good."""
    if ident in state.gone or not any(ident in run for run in state.runs):
        return state, None
    moved = changed(state, gone=(*state.gone, ident))
    return moved, path(moved)


def path(state: ReaderState) -> Rewind:
    """The key ranges that are in force."""
    dead = {*state.gone, *_reverted(state)}
    ranges: list[tuple[str | None, str | None]] = []
    going = False
    for message, first, last in state.runs:
        alive = message not in dead and not (first == last and first in dead)
        if not first:
            continue
        if alive and going:
            ranges[-1] = (ranges[-1][0], last)
        elif alive:
            ranges.append((first, last))
        going = alive
    if going:
        ranges[-1] = (ranges[-1][0], None)
    return Rewind(tuple(ranges))


def _reverted(state: ReaderState) -> list[str]:
    """The messages that began at or behind the one that the session was taken back to."""
    order = list(dict.fromkeys(message for message, _, _ in state.runs))
    return order[order.index(state.reverted) :] if state.reverted in order else []
