"""Paths as seen from a project's root, and the way back to files that are really in it.

Names are taken as they stand: nothing is followed on the way in, so that a link cannot rename a target. On the way back to a
file everything is followed, and what does not end inside the root is no file of the project.
"""

import os
from pathlib import Path
from posixpath import dirname, isabs, join, normpath

from memd.project.identity import Project, find


class Paths:
    """The paths of one project, for a session that works in `cwd`."""

    def __init__(self, project: Project, cwd: str | None) -> None:
        self._root = project.root
        self._cwd = cwd or str(project.root)
        self._roots = tuple(dict.fromkeys((str(project.root), *_as_written(project, cwd))))
        self._project = project
        self._other: dict[str, str | None] = {}

    def relate(self, path: str) -> str:
        """A path from the root; one outside the project stays absolute."""
        if not path or path.startswith(("~", "$")):
            return path
        whole = normpath(join(self._cwd, path))
        for root in self._roots:
            if whole == root:
                return "."
            if whole.startswith(root.rstrip("/") + "/"):
                return whole[len(root.rstrip("/")) + 1 :]
        return self._elsewhere(whole)

    def _elsewhere(self, path: str) -> str:
        """A path in another work tree of the same project is the same path; a package beside it is another project."""
        if self._project.common is None:
            return path
        folder = dirname(path)
        if folder not in self._other:
            self._other[folder] = self._root_of(folder)
        root = self._other[folder]
        return path[len(root) + 1 :] if root else path

    def _root_of(self, folder: str) -> str | None:
        while folder != "/" and not os.path.isdir(folder):  # noqa: PTH112 - a text
            folder = dirname(folder)
        other = find(folder)
        return str(other.root) if other is not None and other.id == self._project.id else None

    def real(self, relative: str) -> Path | None:
        """The place of a path of the project, followed to its end; None where that is not inside the root."""
        return inside(self._root, relative)


def _as_written(project: Project, cwd: str | None) -> tuple[str, ...]:
    """The root as the session's own paths have it, where it came there over a link."""
    if not cwd or not isabs(cwd):
        return ()
    rest = os.path.relpath(os.path.realpath(cwd), project.root)
    up = normpath(join(cwd, *[".."] * (0 if rest == "." else len(Path(rest).parts))))
    return (up,) if os.path.realpath(up) == str(project.root) else ()


def inside(root: Path, relative: str) -> Path | None:
    """The real place of `relative` below `root`; None where a link or `..` leads out, or the name is none."""
    if not relative or isabs(relative) or "\0" in relative:
        return None
    try:
        real = os.path.realpath(root / relative)
    except (OSError, ValueError):
        return None
    base = os.path.realpath(root)
    return Path(real) if real == base or real.startswith(base.rstrip("/") + "/") else None
