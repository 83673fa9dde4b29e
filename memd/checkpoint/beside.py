"""What lies beside a checkpoint as files that it names: texts of skills that left the context, and the newest messages. Pure.

Both are made from what is on disk and in the record at that moment, so the checkpoint's number does not keep them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from memd.extract.material import Material
from memd.extract.skills import Skill
from memd.model import MEMO_CHANNELS, Record, marks
from memd.model.once import once
from memd.model.secrets import mask
from memd.model.text import clock, line
from memd.render.sizing import Sizer, head_and_tail

SKILL, SKILLS = 5_000, 25_000
"""Tokens of one skill's text, and of all together, where a tenth of the window is not less."""
RECENT = 20_000
"""Tokens of the newest messages, where a quarter of what the tool's context holds is not less."""
NEWEST = "recent.md"
FOLDER = "skills"


class Text(Struct, frozen=True):
    """A skill's text, and the file beside the checkpoint that has it."""

    skill: Skill
    file: str
    text: str


class Beside(Struct, frozen=True):
    """The files beside one checkpoint.

    Attributes:
        folder: where they lie.
        gone: every skill whose text left the context, the last used first; `texts` are those that there was a text and room for.
        recent: gives the newest messages as they were, when they are written; None where nothing was said.
    """

    folder: str = ""
    gone: tuple[Skill, ...] = ()
    texts: tuple[Text, ...] = ()
    recent: Callable[[], str] | None = None

    @property
    def files(self) -> dict[str, str]:
        """What is to be written, by name below the folder."""
        found = {one.file: one.text for one in self.texts}
        return found | ({NEWEST: self.recent()} if self.recent else {})

    @property
    def rows(self) -> list[str]:
        """The skills, a line each: where its text is, or how it comes back."""
        files = {one.skill.name: one.file for one in self.texts}
        return [
            _told(skill, f"{self.folder}/{files[skill.name]}" if skill.name in files else "") for skill in self.gone
        ]


NOTHING = Beside()


def _told(skill: Skill, file: str) -> str:
    where = file or line(skill.path, 200)
    how = f"`{where}` has its text" if where else "calling it again brings its text back"
    return f"- skill `{line(skill.name, 80)}`, last used at #{skill.number}: its text left the context; {how}"


def texts(gone: tuple[Skill, ...], found: Mapping[str, str], window: int, sizer: Sizer) -> Iterator[Text]:
    """The texts of skills within their room, the last used first; `found` has them by path."""
    room, names = min(SKILLS, window // 10), set[str]()
    for skill in (skill for skill in gone if skill.path in found):
        text = _clipped(mask(found[skill.path]), skill, min(SKILL, room), sizer)
        name = _file(skill.name, names)
        room -= sizer.count(text)
        if room < 0:
            return
        yield Text(skill, f"{FOLDER}/{name}", text)


def _clipped(text: str, skill: Skill, room: int, sizer: Sizer) -> str:
    if sizer.count(text) <= room:
        return text
    pointer = f"\n[… cut here; the whole: {skill.path}]\n"
    return sizer.clip(text, max(room - sizer.count(pointer) - 2, 0)) + pointer


def _file(name: str, names: set[str]) -> str:
    """A name that no two skills of a checkpoint share, without a sign that means something in a path."""
    plain = re.sub(r"[^\w.-]", "-", name, flags=re.ASCII).strip(".")[:60] or "skill"
    made = next(one for n in range(len(names) + 1) if (one := f"{plain}{f'-{n}' if n else ''}.md") not in names)
    names.add(made)
    return made


def newest(material: Material, room: int, sizer: Sizer) -> Callable[[], str] | None:
    """What gives the newest messages, None where nothing was said."""
    said = any(_kept(record) for record in reversed(material.said))
    bare = replace(material, done=())  # it waits to be written, without all that was worked out of it
    return partial(recent, bare, room, sizer) if said or material.agent else None


def _kept(record: Record) -> bool:
    return record.channel in MEMO_CHANNELS and record.in_force


def recent(material: Material, room: int, sizer: Sizer) -> str:
    """What people and the agent said last, oldest first; "" where nothing was said."""
    said = filter(_kept, material.said)
    blocks = list[str]()
    for record in sorted((*said, *material.agent), key=lambda one: -one.number):
        block = _block(record, record.text) if blocks else _newest(record, room, sizer)
        room -= sizer.count(block)
        if blocks and room < 0:
            break
        blocks.append(block)
    head = (
        f"The newest messages of {material.session.id}, oldest first, as memd recorded them up to #{material.upto}.\n"
    )
    return "\n".join([head, *reversed(blocks)]) if blocks else ""


def _newest(record: Record, room: int, sizer: Sizer) -> str:
    """The newest message; it is cut where it alone is too long."""
    pointer = f"[… cut here; the record has all of #{record.number} …]"
    return _block(record, head_and_tail(record.text, room, pointer, sizer))


@once(1_024)
def _block(record: Record, text: str) -> str:
    return f"#{record.number} {clock(record.at)} {record.channel.value}\n{marks.escape(text)}\n"
