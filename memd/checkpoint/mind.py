"""mind.md as values: four sections of bullets, the missions among them with status and citations.

    # Where I am / # Goals (## Mission, ## Workstreams) / # Key decisions / # Lessons
    - M1 [active] Make the gateway survive (#1)

A bullet starts at the line's start with `- `; indented lines go on with it. It ends in a citation, `(#12 …)` or
`(own judgement)`: the last bracket that opens with a number. `(#31 replaces #12)` says that message 31 took back or replaced
message 12.
"""

import re
from collections.abc import Mapping

from msgspec import Struct, field

SECTIONS = ("Where I am", "Goals", "Key decisions", "Lessons")
MISSION, WORKSTREAMS = "Mission", "Workstreams"
HEADINGS = ("# Where I am", "# Goals", "## Mission", "## Workstreams", "# Key decisions", "# Lessons")
"""The headings, fixed and in order, most stable first."""
CITED = ("Where I am", "Key decisions")
"""Where every entry says whose words it rests on."""
NONE = "(none)"
"""What stands in an empty section."""
OWN = "(own judgement)"

_HEADING = re.compile(r"#{1,6}\s")
_MISSION = re.compile(r"- (M[1-9]\d*) \[(active|done|withdrawn|replaced by M[1-9]\d*)\] (?=\S)")
_NUMBER = re.compile(r"#(\d{1,9})\b")
_SETTER = re.compile(r"#\d{1,9}\b(?: of [^\s,;]+)?")
_REPLACES = re.compile(r"#(\d{1,9}) replaces #(\d{1,9})\b(?! of )")


class Bullet(Struct, frozen=True):
    """One entry, with the lines that go on with it."""

    text: str

    @property
    def citation(self) -> str | None:
        """What stands in the closing bracket: "own judgement", or what begins with a number; None without one."""
        text = self.text.rstrip()
        if text.endswith(OWN):
            return OWN.strip("()")
        at = text.rfind("(#")
        return text[at + 1 : -1] if at >= 0 and text.endswith(")") and _NUMBER.match(text, at + 1) else None

    @property
    def own(self) -> bool:
        """Whether it rests on nobody's words."""
        return self.citation == OWN.strip("()")

    @property
    def cites(self) -> tuple[int, ...]:
        """The numbers that it rests on. Those of another session (`#4 of claude-code:…`) are not ours to look up."""
        cited = self.citation or ""
        return tuple(int(found[1]) for found in _NUMBER.finditer(cited) if not cited[found.end() :].startswith(" of "))

    @property
    def replaces(self) -> tuple[tuple[int, int], ...]:
        """Pairs of a message and the earlier one that it took back or replaced."""
        return tuple((int(found[1]), int(found[2])) for found in _REPLACES.finditer(self.citation or ""))

    @property
    def body(self) -> str:
        """What it says, without bullet and citation."""
        cited = self.citation
        text = self.text.rstrip()
        return (text if cited is None else text[: -len(cited) - 2]).removeprefix("- ").strip()


class Mission(Struct, frozen=True):
    """One mission; its words never change.

    Attributes:
        by: the message that set it, `#4` or a fork's source's, `#4 of claude-code:…`; "" where it cites none.
    """

    id: str
    status: str
    words: str
    cites: tuple[int, ...]
    by: str = ""


class Mind(Struct, frozen=True):
    """The file's bullets by heading (without its `#`), and what in it has not the file's form."""

    bullets: Mapping[str, tuple[Bullet, ...]] = field(default_factory=dict)
    headings: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()
    """Lines that are neither heading nor bullet."""

    @property
    def whole(self) -> bool:
        """Whether the headings are there, once and in order."""
        return self.headings == HEADINGS

    @property
    def missions(self) -> dict[str, Mission]:
        """The missions by their id; entries of another form are not among them."""
        found = (mission(bullet) for bullet in self.bullets.get(MISSION, ()))
        return {one.id: one for one in found if one is not None}

    @property
    def all(self) -> tuple[Bullet, ...]:
        """Every bullet, in the file's order."""
        return tuple(bullet for bullets in self.bullets.values() for bullet in bullets)


def mission(bullet: Bullet) -> Mission | None:
    """A bullet as a mission, None when it is none."""
    found = _MISSION.match(bullet.text)
    if found is None:
        return None
    setter = _SETTER.match(bullet.citation or "")
    words = bullet.body[found.end() - 2 :].strip()
    return Mission(found[1], found[2], words, bullet.cites, setter[0] if setter else "")


def parse(text: str) -> Mind:
    """Any text as far as it has the form of a mind.md."""
    bullets: dict[str, list[list[str]]] = {}
    headings, stray, name = list[str](), list[str](), ""
    for row in text.split("\n"):
        if _HEADING.match(row):
            headings.append(row.rstrip())
            name = row.lstrip("#").strip()
            bullets.setdefault(name, [])
        elif row.startswith("- ") and name:
            bullets[name].append([row])
        elif row[:1].isspace() and row.strip() and name and bullets[name]:
            bullets[name][-1].append(row)
        elif row.strip() and row.strip() != NONE:
            stray.append(row)
    made = {heading: tuple(Bullet("\n".join(rows)) for rows in entries) for heading, entries in bullets.items()}
    return Mind(made, tuple(headings), tuple(stray))


def section(text: str, name: str) -> str:
    """What stands under a heading of the first level, other headings below it included; "" where it is not there."""
    found = re.search(rf"^# {re.escape(name)}\s*$(.*?)(?=^# |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""
