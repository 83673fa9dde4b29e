"""What was written with judgement is carried on while the program alone writes: until a model writes again, or a person edits.

The mind stays as it was written; what the record has shown since is added where it belongs. The scene is a model's only while
nothing came after it; then its lines stand beside the fresh ones, saying as of which message they are. Both are made anew from
the same two texts each time, so nothing grows by nesting.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from msgspec import Struct, field

from memd.checkpoint import memo, mind, scene
from memd.checkpoint.mind import NONE, Bullet
from memd.extract.material import Material
from memd.model import Tick
from memd.render import outline

_AGEING = frozenset({"Current step", "Progress", "Waiting on", "Next step"})
"""The sections of a scene whose lines may be overtaken by what came since."""
_ADDED = ("Key decisions", "Lessons")
_NAMED = re.compile(r"- M(\d{1,9})\b")
"""A mission, in a form of the person's own too."""
_NUMBER = re.compile(r"#(\d{1,9})\b(?! of )")


class Judged(Struct, frozen=True):
    """What a model or a person left.

    Attributes:
        mind: the text, None where only the memo's boxes were decided; `mind_upto` is the last message that it knows.
        scene: a model's, `scene_upto` the last message that it knows.
        writer: who wrote it, `upto` as of which message.
    """

    ticks: Mapping[int, Tick] = field(default_factory=dict)
    mind: str | None = None
    mind_upto: int = 0
    by_hand: bool = False
    """The mind is as a person edited it: a status in it is changed by what was said later, and by nothing that was taken back."""
    scene: str | None = None
    scene_upto: int = 0
    writer: str = ""
    upto: int = 0

    @property
    def decided(self) -> memo.Decided:
        """The boxes, and the messages that the mind says are replaced."""
        return memo.Decided(self.ticks, replaced(self.mind or ""))

    @property
    def cited(self) -> frozenset[int]:
        """The messages that the mind rests on."""
        if self.mind is None:
            return frozenset()
        return frozenset(number for bullet in mind.parse(self.mind).all for number in bullet.cites)


NOBODY = Judged()


def replaced(text: str) -> dict[int, int]:
    """Messages that were taken back or replaced, by the one that did it: `(#31 replaces #12)`, and missions that were.

    Only where every citation is looked up: a lesson takes nobody's words back.
    """
    read = mind.parse(text)
    cited = (bullet for name in mind.CITED for bullet in read.bullets.get(name, ()))
    found = {old: new for bullet in cited for new, old in bullet.replaces}
    for mission in read.missions.values():
        if mission.status.startswith(("replaced", "withdrawn")) and len(mission.cites) > 1:
            found.setdefault(mission.cites[0], mission.cites[-1])
    return found


class Writer(Protocol):
    """Who writes mind and scene."""

    name: str

    def mind(self, material: Material) -> str:
        """The text of mind.md."""
        ...

    def scene(self, material: Material, mind: str) -> str:
        """The text of scene.md, beside the mind that stands."""
        ...


class Carried:
    """The program's writer with what was judged before."""

    def __init__(self, fresh: Writer, judged: Judged) -> None:
        self._fresh = fresh
        self._judged = judged
        self.name = fresh.name

    def write(self, material: Material) -> tuple[str, str]:
        """The judged texts with what came since."""
        judged = self._judged
        if judged.writer and material.upto <= judged.upto:
            self.name = judged.writer
        gone = frozenset(record.number for record in material.gone)
        text = self._fresh.mind(material)
        if judged.mind is not None:
            stands = judged.mind if judged.by_hand else standing(judged.mind, gone)
            heir = not judged.by_hand and all(r.copy_of for r in material.said if r.number <= judged.mind_upto)
            text = carried_mind(stands, judged.mind_upto, text, heir=heir)
        new_scene = self._fresh.scene(material, text)
        return text, new_scene if judged.scene is None else carried_scene(judged, new_scene, material.upto, gone)


def standing(text: str, gone: frozenset[int]) -> str:
    """The mind with the missions' statuses as they are without messages that were taken back; words and citations stay.

    A mission that such a message ended is active again, one that it set is withdrawn.
    """
    for bullet in mind.parse(text).bullets.get(mind.MISSION, ()):
        one = mind.mission(bullet)
        if one is None or not one.cites or one.cites[-1] not in gone:
            continue
        status = "withdrawn" if one.by in {f"#{number}" for number in gone} else "active"
        text = text.replace(bullet.text, bullet.text.replace(f"[{one.status}]", f"[{status}]", 1), 1)
    return text


def unended(before: str, edited: str) -> list[str]:
    """The missions of a mind that an edit of it names no more, as entries to put back: a mission ends, it is never dropped."""
    rows = [bullet.text for bullet in mind.parse(edited).bullets.get(mind.MISSION, ())]
    gone = [
        (one, bullet.text)
        for bullet in mind.parse(before).bullets.get(mind.MISSION, ())
        if (one := mind.mission(bullet)) is not None and not any(re.match(rf"- {one.id}\b", row) for row in rows)
    ]
    return [text.replace("[active]", "[withdrawn]", 1) if one.status == "active" else text for one, text in gone]


def put_back(edited: str, missions: list[str]) -> str:
    """The edit with missions at the end of theirs; all else byte for byte."""
    return _with(edited, {mind.MISSION: missions})


def carried_mind(text: str, upto: int, fresh: str, *, heir: bool = False) -> str:
    """The judged mind, and of the program's what rests on later messages: a new mission, decisions, lessons.

    `heir`: it was judged in a fork's source, where what came later may have no row in the fork.
    """
    now = mind.parse(fresh)
    judged = mind.parse(text)
    known = {number for bullet in judged.all for number in bullet.cites}
    added = {
        name: [b.text for b in now.bullets.get(name, ()) if _later(b, upto) and not known.issuperset(b.cites)]
        for name in _ADDED
    }
    found = [(one, b) for b in now.bullets.get(mind.MISSION, ()) if (one := mind.mission(b)) is not None and one.by]
    missions = [one for one, _ in found]
    new = [one for one in missions if (heir or " of " not in one.by) and _new(one, judged, upto, known)]
    names = _names(text, missions, new)
    added[mind.MISSION] = [
        f"- {names[one.id]} [{_status(one, names)}] {one.words} ({bullet.citation})"
        for one, bullet in found
        if one in new
    ]
    ended = [(one, b) for one, b in found if one not in new and (_later(b, upto) or (heir and " of " in _end(b)))]
    return _with(_ended(text, ended, names), added)


def _new(one: mind.Mission, judged: mind.Mind, upto: int, known: Collection[int]) -> bool:
    """Whether a mission came after the judged mind, which may have none at all: what was taken back can come back.

    Of a fork's source nothing tells here what came later; but missions keep their words, or the message that set them.
    """
    told = judged.missions.values()
    if " of " in one.by:
        return not any(one.by == other.by or one.words == other.words for other in told)
    return not judged.bullets.get(mind.MISSION) or (one.cites[0] > upto and one.cites[0] not in known)


def _later(bullet: Bullet, upto: int) -> bool:
    return bool(bullet.cites) and bullet.cites[-1] > upto


def _end(bullet: Bullet) -> str:
    """The last message that an entry cites, as it stands there."""
    return (bullet.citation or "").rpartition(", ")[2]


def _names(text: str, missions: Iterable[mind.Mission], new: Iterable[mind.Mission]) -> dict[str, str]:
    """What the judged mind calls the program's missions: by the message that set them, new ones by the next free numbers."""
    judged = mind.parse(text)
    own = {one.by: name for name, one in judged.missions.items() if one.by}
    taken = (_NAMED.match(bullet.text) for bullet in judged.bullets.get(mind.MISSION, ()))
    last = max((int(found[1]) for found in taken if found), default=0)
    fresh = {one.id: f"M{number}" for number, one in enumerate(new, last + 1)}
    return {one.id: own[one.by] for one in missions if one.by in own} | fresh


def _status(one: mind.Mission, names: Mapping[str, str]) -> str:
    """A mission's status with the judged mind's names; what replaced it may have none there."""
    status, _, by = one.status.partition(" by ")
    return f"{status} by {names[by]}" if by in names else "withdrawn" if by else status


def _ended(text: str, ended: Iterable[tuple[mind.Mission, Bullet]], names: Mapping[str, str]) -> str:
    """The mind with the end of its missions that a later message of the person's ended."""
    found = {names[one.id]: (one, b) for one, b in ended if one.id in names and one.status != "active"}
    for bullet in mind.parse(text).bullets.get(mind.MISSION, ()):
        old = mind.mission(bullet)
        if old is not None and old.status == "active" and old.id in found:
            now, by = found[old.id]
            row = bullet.text.rstrip().replace("[active]", f"[{_status(now, names)}]", 1)
            text = text.replace(bullet.text, f"{row[:-1]}, {_end(by)})", 1)
    return text


def _with(text: str, added: Mapping[str, list[str]]) -> str:
    """The text with lines added at the end of their sections; all else byte for byte."""
    rows, place = text.split("\n"), ""
    ends = dict[str, int]()
    for at, row in enumerate(rows):
        if row.startswith("#"):
            place = row.lstrip("#").strip()
            ends[place] = at
        elif row.strip():
            ends[place] = at
    for name in sorted((name for name in added if added[name] and name in ends), key=lambda name: -ends[name]):
        at = ends[name]
        if rows[at].strip() == NONE:
            rows[at : at + 1] = added[name]
        else:
            gap = [""] if rows[at].startswith("#") else []
            rows[at + 1 : at + 1] = [*gap, *added[name]]
    return "\n".join(rows)


def carried_scene(judged: Judged, fresh: str, upto: int, gone: frozenset[int] = frozenset()) -> str:
    """The model's scene while nothing came after it; then its lines beside the program's.

    Where the request that its next step serves was taken back, it tells of a way that was left: what ages is left out.
    """
    if judged.scene is None or upto <= judged.scene_upto:
        return judged.scene or fresh
    old, new = outline.sections(judged.scene), outline.sections(fresh)
    if gone.intersection(map(int, _NUMBER.findall("\n".join(old.get("Next step", []))))):
        old = {name: blocks for name, blocks in old.items() if name not in _AGEING}
    found = {}
    for name in scene.HEADINGS:
        kept = [_aged(block, judged.scene_upto, name) for block in old.get(name, []) if block.strip() != NONE]
        now = [block for block in new.get(name, []) if block.strip() != NONE]
        found[name] = "\n".join([*now, *kept] if name in _AGEING else [*kept, *now])
    return scene.document(found)


def _aged(block: str, upto: int, name: str) -> str:
    words = block.removeprefix("- ")
    return f"- (as of #{upto}) {words}" if name in _AGEING else f"- {words}"
