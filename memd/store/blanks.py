"""What a number's files are made of, before there is a number: an empty folder and empty files.

A hook waits for a dozen of them. To make one takes ext4 up to a millisecond where many were deleted in the last minutes (it
looks at each of those inodes), as an agent's tests leave it; to give one that is there its name takes a fiftieth of that.
They lie in a folder of their own, made when no hook waits. One that is missing is made when it is needed.
"""

import os
from contextlib import suppress
from pathlib import Path

from memd import files

FILES = 12
"""A number with four parts for each of two events has so many."""


class Blanks:
    """Belongs to whoever writes the record; `inner` is the folder within the empty one."""

    def __init__(self, place: Path, inner: str) -> None:
        self._place, self._inner = place, inner
        self._left: list[str] | None = None
        """The names of the files that are left, once it was looked."""

    def lay(self) -> None:
        """Make what is missing. What cannot be made is made, and told, when it is needed."""
        left = self._names()
        if len(left) == FILES:
            return
        with suppress(OSError):
            if not self._folder.is_dir():
                files.private_dir(self._place / ".new" / self._inner)
                (self._place / ".new").rename(self._folder)
            for name in map(str, range(FILES)):
                if name not in left:
                    files.write_new(self._place / name, b"")
                    left.append(name)

    def folder(self, path: Path) -> None:
        """Make a folder, with the one within."""
        try:
            os.rename(self._folder, path)  # noqa: PTH104 - to a text, as below
        except OSError:
            files.private_dir(path / self._inner)

    def file(self, path: Path, data: bytes) -> None:
        """Make a file in a folder that nobody looks into yet, as `files.write_new`."""
        left = self._names()
        while left:
            try:
                os.rename(self._place / left.pop(), path)  # noqa: PTH104
            except OSError:
                continue
            files.fill(path, data)
            return
        files.write_new(path, data)

    @property
    def _folder(self) -> Path:
        return self._place / "folder"

    def _names(self) -> list[str]:
        if self._left is None:
            try:
                self._left = [name for name in os.listdir(self._place) if name.isdigit()]  # noqa: PTH208 - names
            except OSError:
                self._left = []
        return self._left
