"""Where git's HEAD is, from git's own files. git is never run: a repository's settings can name programs that it would start."""

from pathlib import Path

from msgspec import Struct

from memd.files import opened
from memd.project.identity import Project

_MOST = 4 << 20
"""Bytes of `packed-refs` that are read."""
_HEX = set("0123456789abcdef")


class Head(Struct, frozen=True):
    """What is checked out."""

    branch: str | None
    """None where HEAD is a commit and no branch."""
    commit: str | None
    """The full name; None before the first commit, or where only git itself can tell."""


def head(project: Project) -> Head | None:
    """Branch and commit of the project's work tree; None without git."""
    if project.git is None or project.common is None:
        return None
    text = _line(project.git / "HEAD")
    ref = text.removeprefix("ref: ")
    if ref == text:
        return Head(None, _commit(text))
    branch = ref.removeprefix("refs/heads/")
    if not ref.startswith("refs/") or ".." in ref:
        return Head(branch or None, None)
    return Head(branch, _commit(_line(project.common / ref)) or _packed(project.common, ref))


def _line(path: Path) -> str:
    try:
        with opened(path) as file:
            return file.read(4_096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _packed(common: Path, ref: str) -> str | None:
    try:
        with opened(common / "packed-refs") as file:
            lines = file.read(_MOST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    return next((_commit(row.split(" ")[0]) for row in lines if row.endswith(f" {ref}")), None)


def _commit(text: str) -> str | None:
    return text if len(text) in {40, 64} and set(text) <= _HEX else None
