"""The files beside a checkpoint: the texts of skills are read from where they are now."""

from pathlib import Path

from memd import tokens
from memd.checkpoint.beside import RECENT, Beside, newest, texts
from memd.extract import skills
from memd.extract.material import Material
from memd.tools.protocol import Tool

LARGEST = 256 << 10
"""Bytes of a skill's file that are looked at."""


def attached(material: Material, tool: Tool, folder: Path, window: int) -> Beside:
    """What lies beside a session's checkpoint; skills that the tool puts back itself are none of it."""
    gone = () if tool.restores_skills else tuple(skills.gone(material))
    found = {skill.path: text for skill in gone if (text := _read(skill.path)) is not None}
    room = min(RECENT, (tool.threshold(window) or window) // 4)
    return Beside(str(folder), gone, tuple(texts(gone, found, window, tokens)), newest(material, room, tokens))


def _read(name: str) -> str | None:
    """A regular file's text, None for anything else: the path comes out of a transcript."""
    path = Path(name)
    try:
        if not path.is_absolute() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
