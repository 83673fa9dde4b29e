"""Skills whose text left the context: brought in by the tool's own call, by the client for the person, or by reading a SKILL.md.

A compaction takes their text away. Where the tool puts it back itself (Claude Code does) nothing is to be said; being put back is
no use of a skill, so the order is that of the last real use.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from memd.extract import files
from memd.extract.material import Material
from memd.model import Done, Kind, State

MOST = 20
_FILE = "SKILL.md"


class Skill(Struct, frozen=True):
    """One skill, its last use, and its file where that is known."""

    name: str
    number: int
    path: str = ""


def used(calls: Iterable[Done], touched: Iterable[files.Touched]) -> list[Skill]:
    """Every skill that was used, last used first, by the calls for one and the files that were touched."""
    found: dict[str, Skill] = {}
    for done in (call for call in calls if call.kind is Kind.SKILL):
        if done.state is State.DONE and done.target:
            name = done.target.removeprefix("/")
            found[name] = Skill(name, done.number, str(done.detail.get("path") or ""))
    for file in touched:
        place = PurePosixPath(file.path)
        if place.name == _FILE and file.reads and not file.changes:
            name = place.parent.name
            known = found.get(name, Skill(name, 0))
            found[name] = replace(known, number=max(file.number, known.number), path=file.path)
    return sorted(found.values(), key=lambda skill: -skill.number)


def gone(material: Material) -> list[Skill]:
    """Those that were last used before the last compaction."""
    before = material.boundaries[-1].number if material.boundaries else 0
    return [skill for skill in used(material.of(Kind.SKILL), files.of(material)) if skill.number <= before][:MOST]
