r"""What every wanted file was like when it was last looked at: tens of thousands of them, so in 60 bytes each.

A directory's files are one `bytearray` of entries `/<name>\0<16 hex digits>`: neither "/" nor NUL is ever in a name, so an entry
is found by searching for its beginning. A dictionary of paths took 250 bytes a file.

The last looks are remembered as they are, since active files are looked at each second: `put` and `update` write them too, and
they are let go all at once when there are `MOST_RECENT`.
"""

import os
import re
from collections.abc import Mapping

MOST_RECENT = 1024

_ENTRY = re.compile(rb"/([^/\0]++)\0([0-9a-f]{16})")
_STATE = 16  # digits
_BITS = (1 << 64) - 1


def state_of(status: os.stat_result) -> int:
    """A number above 0 that changes when the file does, or who may read it: one that could not be read is looked at again."""
    return (hash((status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode)) & _BITS) or 1


class Seen:
    """The state of each file by its path, 0 for a file that is not known; for one thread at a time."""

    def __init__(self) -> None:
        self._folders: dict[str, bytearray] = {}
        self._recent: dict[str, int] = {}

    def __getitem__(self, path: str) -> int:
        known = self._recent.get(path)
        if known is None:
            folder, name = os.path.split(path)
            packed = self._folders.get(folder, b"")
            _, digits, end = _place(packed, name)
            known = int(packed[digits:end], 16) if digits < end else 0
            self._remember(path, known)
        return known

    def put(self, path: str, state: int) -> None:
        """A file was looked at; 0: it is gone."""
        self._remember(path, state)
        folder, name = os.path.split(path)
        packed = self._folders.setdefault(folder, bytearray())
        start, _, end = _place(packed, name)
        packed[start:end] = _entry(name, state) if state else b""
        if not packed:
            del self._folders[folder]

    def folders(self) -> list[str]:
        """The directories that hold known files."""
        return list(self._folders)

    def names(self, folder: str) -> list[str]:
        """The known files of a directory."""
        return [*self._states(folder)]

    def update(self, folder: str, found: Mapping[str, int]) -> list[str]:
        """Files of a directory were looked at; the names of those that are not as they were. Others in it stay known."""
        known = self._states(folder)
        changed = [name for name, state in found.items() if known.get(name, 0) != state]
        if changed:
            self._folders[folder] = bytearray().join(_entry(*item) for item in (known | dict(found)).items())
            for name in changed:
                self._recent.pop(os.path.join(folder, name), None)  # noqa: PTH118 - of every transcript at the start
        return changed

    def _states(self, folder: str) -> dict[str, int]:
        entries = _ENTRY.findall(self._folders.get(folder, b""))
        return {os.fsdecode(name): int(state, 16) for name, state in entries}

    def _remember(self, path: str, state: int) -> None:
        if len(self._recent) >= MOST_RECENT:
            self._recent.clear()
        self._recent[path] = state


def _entry(name: str, state: int) -> bytes:
    return b"/%b\0%016x" % (os.fsencode(name), state)


def _place(packed: bytes | bytearray, name: str) -> tuple[int, int, int]:
    """Where the entry of a name begins, where its digits do, and where it ends; where it is not, all three are the end."""
    key = b"/%b\0" % os.fsencode(name)
    start = packed.find(key)
    if start < 0:
        return len(packed), len(packed), len(packed)
    return start, start + len(key), start + len(key) + _STATE
