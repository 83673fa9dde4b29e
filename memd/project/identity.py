"""Which project a directory belongs to.

The work trees of a repository share one layer, so it is known by git's common directory; without git by the directory itself.
In a repository with several `.agent/` folders the nearest one above the session's directory is a project of its own. git's
files are read, git is not run: this is asked with every step of reading.
"""

import os
import re
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from memd import files

AGENT = ".agent"
OWN = ("constraints.md", "engram.md", "bootstrap.md")
"""A folder `.agent` with one of these is memd's; other tools use the name too."""
_SLUG = re.compile(r"[^\w.-]+")
_LONGEST = 40
_GITDIR = 4_096
"""Bytes of a `.git` file that are read."""


class Project(Struct, frozen=True):
    """One project as seen from one work tree.

    Attributes:
        id: the name of its folder in memd's state.
        root: the directory that its paths are relative to, in this work tree.
        top: the work tree's own top directory; None without git.
        git: git's directory of this work tree (HEAD is in it).
        common: git's common directory (branches are in it).
        agent: its `.agent/`; None where nobody made one.
    """

    id: str
    root: Path
    top: Path | None = None
    git: Path | None = None
    common: Path | None = None
    agent: Path | None = None


def find(directory: str | None) -> Project | None:
    """The project of a session's directory; None where the directory is not on this machine."""
    if not directory or not os.path.isabs(directory) or not os.path.isdir(directory):  # noqa: PTH112, PTH117 - cheap
        return None
    place = Path(os.path.realpath(directory))
    above = (place, *place.parents)
    top = next((one for one in above if os.path.lexists(one / ".git")), None)
    found = _git(top) if top is not None else None
    if found is None:
        top = None
    ours = next((one for one in _upto(above, top) if made(one)), None)
    root = ours or top or place
    git, common = found or (None, None)
    key = str(common) if common is not None and top is not None else str(root)
    inner = "" if top is None or root == top else str(root.relative_to(top))
    named = (common.parent if common is not None and common.name == ".git" else root).name
    return Project(_id(inner.rpartition("/")[2] or named, f"{key}\0{inner}"), root, top, git, common, _agent(ours))


def _upto(above: tuple[Path, ...], top: Path | None) -> tuple[Path, ...]:
    """The directories in which a `.agent/` counts: up to the work tree's top, without git not the home or the root."""
    if top is not None:
        return above[: above.index(top) + 1]
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - a text is needed
    return tuple(one for one in above if one == above[0] or one not in {home, Path("/")})


def made(directory: Path) -> bool:
    """Whether a directory has an `.agent/` of memd's, a real folder and no link."""
    agent = directory / AGENT
    return agent.is_dir() and not agent.is_symlink() and any((agent / name).is_file() for name in OWN)


def _agent(root: Path | None) -> Path | None:
    return None if root is None else root / AGENT


def _git(top: Path) -> tuple[Path, Path] | None:
    """Git's directory and common directory of a work tree; None where what is called `.git` is none."""
    dot = top / ".git"
    try:
        if dot.is_dir():
            return (dot, _common(dot)) if (dot / "HEAD").is_file() else None
        with files.opened(dot) as file:
            head, _, path = file.read(_GITDIR).decode("utf-8", "surrogateescape").partition(":")
        git = Path(os.path.realpath(top / path.strip()))
        if head != "gitdir" or not (git / "HEAD").is_file():
            return None
        common = _common(git)
        return (git, common) if common == git or _leads_back(git, dot) else (git, git)
    except (OSError, ValueError):
        return None


def _common(git: Path) -> Path:
    try:
        return Path(os.path.realpath(git / _line(git / "commondir")))
    except (OSError, ValueError):
        return Path(os.path.realpath(git))


def _line(path: Path) -> str:
    return (files.read_bytes_or_none(path) or b"").decode("utf-8").strip()


def _leads_back(git: Path, dot: Path) -> bool:
    """Whether the repository itself lists this work tree: a file that only names somebody's repository joins nothing."""
    try:
        return os.path.samefile(_line(git / "gitdir"), dot)  # noqa: PTH121 - a text
    except (OSError, ValueError):
        return False


def _id(name: str, key: str) -> str:
    slug = _SLUG.sub("-", name).strip(".-")[:_LONGEST] or "project"
    return f"{slug}-{sha256(os.fsencode(key)).hexdigest()[:10]}"
