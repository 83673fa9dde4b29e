"""What of a state folder is memd's: `MEMD_STATE_DIR` may name one that was in use before, and is after."""

import re
from collections.abc import Iterator
from pathlib import Path

from memd.config import usual_state
from memd.tools.registry import TOOLS

_FOLDERS = ("damaged", "installed", "opencode", "projects", "sessions", "writing")
_MADE = re.compile(
    r"memd\..+|launchd\.log|damaged/\d{4}-\d\d-\d\dT\d{6}|installed/(?:ledger\.json|\.memd-\w+\.tmp)|opencode/alive\.json(?:\.\d+)?"
    rf"|projects/.+-[0-9a-f]{{10}}|sessions/(?:{'|'.join(TOOLS)})|writing/\d+"
)
"""What memd makes there, and what is left of a file where writing it was cut short. A folder of one of its names may
be somebody else's, so each is looked into."""


def belongings(state: Path) -> list[Path]:
    """The folder itself, where it is the one that memd chose or all in it is memd's, else what in it memd made.

    Raises:
        OSError: it cannot be looked at.
    """
    if state == usual_state() or state.is_symlink() or not state.is_dir():
        return [state]
    held = sorted(_held(state))
    made = [path for path in held if _MADE.fullmatch(path.relative_to(state).as_posix())]
    return [state] if made == held else made


def emptied(state: Path) -> Iterator[Path]:
    """The folders that may be empty when those are removed."""
    yield from (state / name for name in _FOLDERS)
    yield state


def _held(state: Path) -> Iterator[Path]:
    for each in state.iterdir():
        if each.name in _FOLDERS and each.is_dir() and not each.is_symlink():
            yield from each.iterdir()
        else:
            yield each
