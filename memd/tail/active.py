"""Which files and directories are worth a close look now. No I/O, no clock, no locks: times are arguments."""

import os
from collections import OrderedDict
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

HOT_FOR = 3600.0  # seconds after its last change a file is looked at no more, until the next hint
MOST_HOT = 512  # files looked at each second (500: 0.17 % CPU)
MOST_DIRECTORIES = 128  # directories watched beside the roots


class Active:
    """The files that changed last and the directories from a root down to them; the least recent fall out."""

    def __init__(self, roots: Iterable[str], most_directories: int = MOST_DIRECTORIES) -> None:
        self.last = float("-inf")  # when anything was active last
        self._roots = list(roots)
        self._most_directories = most_directories
        self._files: OrderedDict[str, float] = OrderedDict()  # the latest last
        self._directories: OrderedDict[str, None] = OrderedDict()  # the latest last

    def touch(self, path: str, at: float) -> None:
        """This file changed, or is said to be about to; later ones come later."""
        self.last, self._files[path] = max(self.last, at), at
        self._files.move_to_end(path)
        if len(self._files) > MOST_HOT:
            self._files.popitem(last=False)
        for directory in reversed(self._chain(path)):
            self.remember(directory)

    def remember(self, directory: str) -> None:
        """This directory is active, whatever is in it."""
        if directory in self._roots:
            return
        self._directories[directory] = None
        self._directories.move_to_end(directory)
        if len(self._directories) > self._most_directories:
            self._directories.popitem(last=False)

    def forget(self, path: str) -> None:
        """This file is gone."""
        self._files.pop(path, None)

    def files(self, now: float) -> list[str]:
        """The files that are hot at `now`."""
        while self._files and now - next(iter(self._files.values())) > HOT_FOR:
            self._files.popitem(last=False)
        return list(self._files)

    def directories(self) -> list[str]:
        """The roots, then the active directories, the latest first: in this order they are worth a watch."""
        return [*self._roots, *reversed(self._directories)]

    def _chain(self, path: str) -> list[str]:
        parents = [os.fspath(parent) for parent in Path(path).parents]
        below = list(takewhile(lambda parent: parent not in self._roots, parents))
        return below if len(below) < len(parents) else parents[:1]
