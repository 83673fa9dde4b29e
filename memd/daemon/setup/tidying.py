"""`memd engram tidy`: what is confirmed, has a source and is some days old becomes a fact, and goes to the archive."""

import stat
from pathlib import Path

from msgspec import Struct

from memd.errors import NotFound
from memd.project import checks, engram, facts
from memd.project.engram import Entry
from memd.project.identity import AGENT, Project
from memd.project.places import Places
from memd.project.sources import text
from memd.store import kept

DAY_MS = 86_400_000


class Tidied(Struct, frozen=True):
    """One entry that became a fact of a file."""

    file: str
    fact: str


class Tidying(Struct, frozen=True):
    """What became facts, and the rows that are old enough and stay, since their source is not there."""

    done: tuple[Tidied, ...]
    left: tuple[str, ...]


def shown(project: Project, places: Places) -> list[str]:
    """All entries, memd's own and the project's, oldest first."""
    found = [entry for folder in folders(project, places) for entry in engram.parse(text(folder / engram.NAME))[0]]
    return [entry.row for entry in sorted(found, key=lambda entry: entry.at)]


def tidy(project: Project, places: Places, now: int, days: int) -> Tidying:
    """Make facts of what is stable.

    Raises:
        NotFound: the project has no `.agent/`.
        OSError: a file cannot be written.
    """
    if project.agent is None:
        raise NotFound(f"{project.root} has no .agent/; `memd init` makes it")
    done, left = list[Tidied](), list[str]()
    for folder in folders(project, places):
        content = text(folder / engram.NAME)
        ready = engram.stable(engram.parse(content)[0], now - days * DAY_MS)
        moved = [entry for entry in ready if _holds(project, entry)]
        done += [_promote(project, entry) for entry in moved]
        left += [entry.row for entry in ready if entry not in moved]
        if moved:
            gone = {entry.row for entry in moved}
            mode = stat.S_IMODE(
                (folder / engram.NAME).stat().st_mode
            )  # a repository's file stays as readable as it was
            archived = "".join(f"{row}\n" for row in dict.fromkeys(e.row for e in moved))
            kept.append(folder, engram.ARCHIVE, archived, mode)
            rest = [row for row in content.splitlines(keepends=True) if row.rstrip("\n") not in gone]
            kept.put(folder, engram.NAME, "".join(rest), mode)
    return Tidying(tuple(done), tuple(left))


def folders(project: Project, places: Places) -> list[Path]:
    """Where engrams of a project are: memd's own, and `.agent/`."""
    return [places.own(project.id), *([project.agent] if project.agent else [])]


def _holds(project: Project, entry: Entry) -> bool:
    path, line = entry.source or ("", 0)
    content = checks.text(project.root, path)
    return content is not None and 0 < line <= len(content.splitlines())


def _promote(project: Project, entry: Entry) -> Tidied:
    """Append it to its module's facts, once."""
    path, line = entry.source or ("", 0)
    source = f" ({path}:{line})"
    name, row = facts.module(path), f"- [confirmed] {entry.text.removesuffix(source)}{source}"
    folder = project.root / AGENT / facts.FOLDER
    before = checks.text(project.root, f"{AGENT}/{facts.FOLDER}/{name}") or ""
    if row not in before.splitlines():
        head = "" if before else f"# {name.removesuffix('.md')}\n\n"
        gap = "\n" if before and not before.endswith("\n") else ""
        kept.append(folder, name, f"{head}{gap}{row}\n", 0o666)
    return Tidied(name, row)
