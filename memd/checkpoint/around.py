"""What stands around mind, memo and scene: skills whose text left the context, and files that a model's scene may not name."""

from collections.abc import Iterator, Sequence

from memd.checkpoint.beside import Beside
from memd.extract import files
from memd.extract.material import Material
from memd.model.text import line

CHANGED, READ = 10, 5
"""So many of the files last changed, and of those last read and not changed, are named; the rest is counted."""


def sections(material: Material, beside: Beside, *, listed: bool) -> str:
    """Sections in the form of a scene's; "" where there is nothing.

    Args:
        material: everything that is recorded.
        beside: the skills whose text left the context, and where it is.
        listed: the scene is the program's, which names the files.
    """
    found = {
        "Skills": beside.rows,
        "Files": [] if listed else list(_files(material)),
    }
    return "".join(f"\n## {name}\n\n" + "\n".join(rows) + "\n" for name, rows in found.items() if rows)


def _files(material: Material) -> Iterator[str]:
    touched, root = files.of(material), material.session.cwd
    changed = [files.relative(file.path, root) for file in files.changed(touched) if not file.gone]
    read = [files.relative(file.path, root) for file in files.only_read(touched)]
    yield from _named("last changed", changed, CHANGED)
    yield from _named("last read", read, READ)


def _named(what: str, paths: Sequence[str], most: int) -> Iterator[str]:
    if paths:
        more = f" and {len(paths) - most} before them" if len(paths) > most else ""
        yield f"- {what}: {', '.join(f'`{line(path, 200)}`' for path in paths[:most])}{more}"
