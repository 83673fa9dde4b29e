"""`memd init`: the files of `.agent/` that people and agents write. What is there already is left as it is."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from memd import files
from memd.errors import Refused
from memd.project import identity
from memd.project.identity import AGENT, Project
from memd.project.places import MARK, Places

CONSTRAINTS = """\
# Constraints

<!-- What must always hold in this project, one list entry each; the order is kept. memd puts the entries into every
session's context: at its start, after a compaction, when they change. Comments and this title are left out. -->
"""
ENGRAM = """\
# Engram

<!-- Shifts of understanding, newest last, never rewritten:
- [2026-11-30 09:00Z] [confirmed] what turned out to be so, and how that is known (#12)
- [2026-11-30 09:30Z] [hypothesis] what seems to be so
`memd engram` shows them with those that memd noted; `memd engram tidy` makes facts of what is stable. -->
"""
BOOTSTRAP = """\
# Where the memory of this project is

- `.agent/constraints.md`: what must always hold
- `.agent/facts/<module>.md`: what is true of the code, one line each: `- [confirmed] … (path:line)`
- `.agent/engram.md`: how the understanding of it changed
- `memd show state`, `memd show anchors`, `memd show journal`: where it stands, where things are, what was changed
"""
IGNORED = "# What memd's daemon keeps here is each machine's own.\n/journal/\n/anchors.json\n/state.md\n"


class Made(Struct, frozen=True):
    """What `memd init` did."""

    root: Path
    created: tuple[Path, ...]
    project: Project


def init(state: Path, directory: Path, *, in_repo: bool) -> Made:
    """Make what is missing of `.agent/` in a directory.

    Raises:
        Refused: a link or a file stands where a folder has to be, or the directory is none.
        OSError: it cannot be written.
    """
    root = Path(os.path.realpath(directory))
    if not root.is_dir():
        raise Refused(f"{directory} is no directory")
    agent = root / AGENT
    if agent.is_symlink() or (agent.exists() and not agent.is_dir()):
        raise Refused(f"{agent} is a link or a file: a folder has to be there")
    created = tuple(_missing(agent, in_repo=in_repo))
    found = identity.find(str(root))
    if found is None or found.agent is None:  # removed in the same moment
        raise Refused(f"{agent} is not there any more")
    if in_repo:
        own = files.private_dir(Places(state).own(found.id))
        files.write_atomic(own / MARK, os.fsencode(root) + b"\n")
    return Made(root, created, found)


def _missing(agent: Path, *, in_repo: bool) -> Iterator[Path]:
    (agent / "facts").mkdir(parents=True, exist_ok=True)
    wanted = {"constraints.md": CONSTRAINTS, "engram.md": ENGRAM, "bootstrap.md": BOOTSTRAP}
    wanted |= {".gitignore": IGNORED} if in_repo else {}
    for name, text in wanted.items():
        path = agent / name
        if not os.path.lexists(path):
            files.write_atomic(path, text.encode(), 0o644)
            yield path


def place(directory: str | None) -> Path:
    """Where `.agent/` belongs: the directory that was named, else the one that has it, the work tree's top, or this one."""
    if directory is not None:
        return Path(directory)
    found = identity.find(os.path.realpath("."))
    return found.root if found is not None else Path(os.path.realpath("."))
