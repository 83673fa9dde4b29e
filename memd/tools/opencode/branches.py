"""Which entries are still part of the conversation.

OpenCode takes back in two steps (measured on 1.18.33): `session.revert` names the message from which on everything is out of
the context, its rows stay; the next prompt removes them, or the person brings them back. A message can be removed alone too.
What was recorded stays recorded, marked. A way back to a place that is not remembered takes nothing away: in doubt more is kept.
"""

from collections.abc import Iterator

from memd.model import Rewind
from memd.tools.opencode.state import CHUNK, RUNS, ReaderState, Run
from memd.tools.remembered import changed


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
    """The oldest runs go into places, where there are so many that the newest stay at hand."""
    while len(state.runs) >= 2 * CHUNK:
        places = state.places.put(f"{RUNS}{state.chunks}", state.runs[:CHUNK])
        state = changed(state, runs=state.runs[CHUNK:], chunks=state.chunks + 1, places=places)
    return state


def runs(state: ReaderState) -> Iterator[Run]:
    """All runs, in order."""
    for number in range(state.chunks):
        yield from ((message, first, last) for message, first, last in state.places.get(f"{RUNS}{number}"))
    yield from state.runs


def known(state: ReaderState, message: str) -> bool:
    """Whether a message began at any time."""
    return any(message == run[0] for run in runs(state))


def revert(state: ReaderState, message: str) -> tuple[ReaderState, Rewind | None]:
    """The session is taken back to before a message; empty: what was taken back and is still there is back."""
    if message == state.reverted:
        return state, None
    moved = changed(state, reverted=message)
    return moved, path(moved)


def remove(state: ReaderState, message: str, part: str = "") -> tuple[ReaderState, Rewind | None]:
    """A message, or one part of one, was removed for good."""
    if (part or message) in state.gone or not known(state, message):
        return state, None
    moved = changed(state, gone=(*state.gone, part or message))
    return moved, path(moved)


def path(state: ReaderState) -> Rewind:
    """The key ranges that are in force, and the parts inside of them that were removed: their ids are their entries' keys."""
    dead = {*state.gone, *_reverted(state)}
    parts = dict.fromkeys(state.gone)
    ranges: list[tuple[str | None, str | None]] = []
    going = False
    for message, first, last in runs(state):
        alive = message not in dead
        parts.pop(message, None)
        if not first:
            continue
        if alive and going:
            ranges[-1] = (ranges[-1][0], last)
        elif alive:
            ranges.append((first, last))
        going = alive
    if going:
        ranges[-1] = (ranges[-1][0], None)
    return Rewind(tuple(ranges), out=tuple(parts))


def _reverted(state: ReaderState) -> list[str]:
    """The messages that began at or behind the one that the session was taken back to."""
    order = list(dict.fromkeys(message for message, _, _ in runs(state)))
    return order[order.index(state.reverted) :] if state.reverted in order else []
