"""Directories whose sessions are not recorded: the setting `ignore`, and files called `.memdignore`.

A `.memdignore` in the session's directory or in one above it means: do not record sessions started here. Its lines, if it
has any, are globs relative to it and narrow that to the directories that fit; `#` begins a comment. It is looked for again at
each step, so that it holds as soon as it is there. One that cannot be read is taken as empty: when in doubt, nothing is kept.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from memd import files
from memd.model.globs import fitting

NAME = ".memdignore"


class Ignore:
    """Which directories are ignored, and why."""

    def __init__(self, globs: Iterable[str], home: str) -> None:
        self._globs = tuple(globs)
        self._home = home

    def reason(self, directory: str) -> str | None:
        """What says that sessions of this directory are not recorded; None where nothing does."""
        glob = fitting(directory, self._globs, base="/", home=self._home) if self._globs else None
        if glob is not None:
            return f"the setting ignore has {glob!r}"
        return next((file for file in _files(directory) if self._says(file, directory)), None)

    def _says(self, file: str, directory: str) -> bool:
        if not os.path.lexists(file):
            return False
        globs = _lines(file)
        return not globs or fitting(directory, globs, base=str(Path(file).parent), home=self._home) is not None


@lru_cache(maxsize=512)
def _files(directory: str) -> tuple[str, ...]:
    """Where a `.memdignore` would be, the nearest first: it is asked for at each step, of few directories."""
    place = Path(directory)
    return tuple(str(above / NAME) for above in (place, *place.parents))


def _lines(file: str) -> list[str]:
    try:
        text = (files.read_bytes_or_none(Path(file)) or b"").decode("utf-8", "replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
