"""Which entries are still part of the conversation.

OpenCode takes back in two steps (measured on 1.18.33): `session.revert` names the message from which on everything is out of
the context, its rows stay; the next prompt removes them, or the person brings them back. A message can be removed alone too.
What was recorded stays recorded, marked. A way back to a place that is not remembered takes nothing away: in doubt more is kept.
"""

from dataclasses import replace

from memd.model import Rewind
from memd.tools.opencode.state import RUNS, ReaderState, Run


def begin(state: ReaderState, message: str) -> ReaderState:
    """A message begins: from here on it has its place, though it has no entry yet."""
    return _kept(replace(state, runs=(*state.runs, (message, "", ""))))


def enter(state: ReaderState, message: str, key: str) -> ReaderState:
    """An entry of a message was made: it goes on with the last run, or makes a new one."""
    *before, (last, first, _) = state.runs or ((None, "", ""),)
    if last != message:
        return _kept(replace(state, runs=(*state.runs, (message, key, key))))
    return replace(state, runs=(*before, (message, first or key, key)))


def _kept(state: ReaderState) -> ReaderState:
    """The oldest runs become one, as far as they are alike."""
    if len(state.runs) <= RUNS:
        return state
    one, two, *rest = state.runs
    if (one[0] in state.gone) == (two[0] in state.gone):
        return replace(state, runs=((one[0], one[1] or two[1], two[2] or one[2]), *rest))
    return replace(state, runs=(two, *rest) if one[0] in state.gone else (one, *rest))


def revert(state: ReaderState, message: str) -> tuple[ReaderState, Rewind | None]:
    """The session is taken back to before a message; empty: what was taken back and is still there is back."""
    if message == state.reverted:
        return state, None
    moved = replace(state, reverted=message)
    return moved, path(moved)


def remove(state: ReaderState, ident: str) -> tuple[ReaderState, Rewind | None]:
    """A message, or one part of one, was removed for good."""
    if ident in state.gone or not any(ident in run for run in state.runs):
        return state, None
    moved = replace(state, gone=(*state.gone, ident))
    return moved, path(moved)


def path(state: ReaderState) -> Rewind:
    """The key ranges that are in force."""
    start = next((at for at, run in enumerate(state.runs) if run[0] == state.reverted), len(state.runs))
    ranges: list[tuple[str | None, str | None]] = []
    going = False
    for at, run in enumerate(state.runs):
        if not run[1]:
            continue
        alive = _alive(run, state.gone) and at < start
        if alive and going:
            ranges[-1] = (ranges[-1][0], run[2])
        elif alive:
            ranges.append((run[1], run[2]))
        going = alive
    if going and start == len(state.runs):
        ranges[-1] = (ranges[-1][0], None)
    return Rewind(tuple(ranges))


def _alive(run: Run, gone: tuple[str, ...]) -> bool:
    return run[0] not in gone and not (run[1] == run[2] and run[1] in gone)
