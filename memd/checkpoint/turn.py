"""One checkpoint turn: the writer's mind and scene, the program's memo, a number only when the content is new."""

import hashlib
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from memd.checkpoint import around, memo, shown
from memd.checkpoint.beside import NEWEST, NOTHING, Beside
from memd.checkpoint.carry import NOBODY, Carried, Judged, Writer, replaced
from memd.extract import missions, turns
from memd.extract.material import Material
from memd.model import Checkpoint, Parts
from memd.model.checkpoint import TokenCounts
from memd.render import Content, Sizer

_AT_ONCE = 1 << 16
"""Bytes of a memo that are made text at a time: one of tens of thousands of lines would take its room two or three times more."""


class Draft(Struct, frozen=True):
    """A checkpoint before it has a number: its three texts, and the digest that tells whether they are new."""

    parts: Parts
    content: Content
    upto: int
    beside: Beside = NOTHING

    @property
    def digest(self) -> str:
        """A hash of all that would be shown but for number, time and receipt."""
        waits = (words.text for words in self.content.queued)
        skills = (text for named in self.content.skills for text in named)
        asks = ["asks"] if self.content.asks else []
        asks += ["unsummed"] if self.content.unsummed else []
        earlier = (entry.record.text for one in self.content.earlier for entry in one.entries)
        mind, scene, writer = self.parts.mind, self.parts.scene, self.content.writer
        shown: tuple[str | bytes, ...] = (mind, self.parts.listed, scene, writer, *waits, *skills, *asks, *earlier)
        whole = hashlib.blake2b(digest_size=16)
        for place, text in enumerate(shown):
            whole.update(b"\0" if place else b"")
            whole.update(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return whole.hexdigest()


def draft(
    material: Material,
    writer: Writer,
    first: int | None,
    judged: Judged = NOBODY,
    beside: Beside = NOTHING,
    *,
    asks: bool = False,
) -> Draft:
    """What the session's checkpoint would be now.

    Args:
        material: everything that is recorded.
        writer: who writes mind and scene from structure.
        first: the number of the message that set the mission.
        judged: what a model or a person left, which is carried on.
        beside: the files that it names.
        asks: the agent is asked to say the receipt.
    """
    carried = Carried(writer, judged)
    mind, scene = carried.write(material)
    turn = turns.current(material)
    found = missions.missions(material)
    decided = memo.Decided(judged.ticks, {**judged.decided.replaced, **replaced(mind)})
    listed = memo.entries(material.said, first, judged.cited | {one.by.number for one in found}, decided)
    ended = {one.by.copy_of: one.ended.number for one in found if one.ended and one.by.copy_of}
    parts = Parts(mind, memo.document(listed), scene)
    told = shown.parts(parts, material) if judged.mind is not None or judged.scene is not None else parts
    content = Content(
        session=material.session.id,
        number=0,
        at=0,
        writer=carried.name,
        receipt="",
        parts=replace(told, scene=told.scene + around.sections(material, beside, listed=judged.scene is None)),
        request=turn.request,
        added=turn.added,
        queued=tuple(turns.queued(material)),
        running=not turn.ended,
        memo=listed,
        earlier=memo.earlier(material.before, missions.directing(material), ended),
        unstated=tuple(turns.unstated(material)),
        recent=tuple(record for record in material.telling if record != material.agent[-1]),
        skills=tuple((one.skill.name, one.text) for one in beside.texts),
        newest=f"{beside.folder}/{NEWEST}" if beside.recent else "",
        asks=asks,
        unsummed=material.unsummed,
        operator=memo.operators(listed),
    )
    return Draft(parts, content, material.upto, beside)


def number(made: Draft, number: int, at: int, trigger: str, receipt: str) -> tuple[Checkpoint, Content]:
    """The draft as the numbered checkpoint of a session, and the content to render with the same marks."""
    content = _stamped(made.content, number, at, receipt)
    checkpoint = Checkpoint(content.session, number, at, content.writer, trigger, made.upto, receipt, made.parts)
    return checkpoint, content


def _stamped(content: Content, number: int, at: int, receipt: str) -> Content:
    return replace(content, number=number, at=at, receipt=receipt)


def sizes(parts: Parts, total: int, sizer: Sizer) -> TokenCounts:
    """Raw tokens of each part and of what is given back."""
    memo = sum(map(sizer.count, _pieces(parts.listed)))
    return TokenCounts(sizer.count(parts.mind), memo, sizer.count(parts.scene), total)


def _pieces(listed: bytes) -> Iterator[str]:
    """The memo in runs of whole lines, which count as much as they do together: no token spans two entries."""
    start = 0
    while start < len(listed):
        end = listed.find(b"\n", start + _AT_ONCE) + 1 or len(listed)
        yield listed[start:end].decode("utf-8", "replace")
        start = end
