"""What models and people left of a session's checkpoints: read back for the next one, and taken from files that were edited.

A `mind.md` or `memo.md` at the top of a session's folder that is not as memd wrote it was edited by a person. Their mind is
taken as it is, if its headings are whole; a mission that they deleted ends and stays. Of their memo the boxes are taken. What
cannot be taken is put beside, not lost.
"""

import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memd import files
from memd.checkpoint import boxes, mind
from memd.checkpoint.carry import NOBODY, Judged, put_back, unended
from memd.checkpoint.heritage import inherited
from memd.daemon import lineage
from memd.model import Checkpoint, Problem, Tick
from memd.store import Store
from memd.store.folders import Folders

HAND = "hand"
"""The writer's name of what a person edited."""
BESIDE = "mind.edited.md"
"""Where a person's mind.md is put that cannot be taken."""


class Edits(Struct, frozen=True):
    """What a person did to the two files."""

    mind: str | None = None
    ticks: tuple[Tick, ...] = ()
    problems: tuple[Problem, ...] = ()
    taken: tuple[bytes, ...] = ()
    """The files as they were, of which nothing more is to be taken."""


class Judging:
    """Knows what was judged before; used in the thread of the store."""

    def __init__(self, store: Store, folders: Folders) -> None:
        self._store = store
        self._folders = folders

    def of(self, name: str) -> Judged:
        """What is carried on in a session's next checkpoint; a fork goes on from its source's until it has its own."""
        own, theirs = self._of(name), self._inherited(name)
        ticks = {**theirs.ticks, **own.ticks}
        return replace(own if own.writer else theirs, ticks=ticks)

    def _inherited(self, name: str) -> Judged:
        """What was judged in a fork's source before they parted."""
        source, numbers = lineage.numbers(self._store, name)
        return inherited(self._of(source, max(numbers)), source, numbers) if numbers else NOBODY

    def _of(self, name: str, upto: int = sys.maxsize) -> Judged:
        """What was judged in a session as of a message."""
        ticks = self._store.judging.ticks(name)
        last = next(self._judged(name, upto), None)
        if last is None:
            return Judged(ticks)
        minded = next((row for row in self._judged(name, upto) if _right(row, "mind")), None)
        model = next((row for row in self._judged(name, upto) if row.writer != HAND), None)
        scene = model if model is not None and _right(model, "scene") else None
        return Judged(
            ticks,
            mind=minded.parts.mind if minded else None,
            mind_upto=minded.upto if minded else 0,
            by_hand=minded is not None and minded.writer == HAND,
            scene=scene.parts.scene if scene else None,
            scene_upto=scene.upto if scene else 0,
            writer=last.writer,
            upto=last.upto,
        )

    def _judged(self, name: str, upto: int) -> Iterator[Checkpoint]:
        """What was written with judgement as of a message, newest first, each read when it is asked for."""
        found = (self._store.checkpoints.get(name, number) for number in self._store.checkpoints.judged(name))
        return (row for row in found if row is not None and row.upto <= upto)

    def edits(self, folder: Path, current: Checkpoint) -> Edits:
        """What a person changed in the files at the top since memd wrote them.

        A crash, or a file that cannot be written, may have left copies of numbers before: all of them are memd's own.
        """
        mine = partial(self._since, self._folders.copied(folder), current)
        found_mind = _edited(folder / "mind.md", (row.parts.mind.encode("utf-8", "replace") for row in mine()))
        found_memo = _edited(folder / "memo.md", (row.parts.listed for row in mine()))
        taken = tuple(one for one in (found_mind, found_memo) if one is not None)
        edited_mind, edited_memo = _text(found_mind), _text(found_memo)
        ticks, problems = _boxes(current.parts.memo, edited_memo) if edited_memo is not None else ((), ())
        if edited_mind is not None and not mind.parse(edited_mind).whole:
            files.write_atomic(folder / BESIDE, edited_mind.encode("utf-8", "replace"))
            told = f"it was edited by hand and its headings are not whole; the edit lies beside it as {BESIDE}"
            return Edits(None, ticks, (*problems, Problem("mind", told, "the mind as it was")), taken)
        if edited_mind is not None and (ended := unended(current.parts.mind, edited_mind)):
            told = f"edited by hand: {len(ended)} of its missions deleted"
            problems = (*problems, Problem("mind", told, "an ended mission stays, as [withdrawn]"))
            edited_mind = put_back(edited_mind, ended)
        return Edits(edited_mind, ticks, problems, taken)

    def _since(self, number: int, current: Checkpoint) -> Iterator[Checkpoint]:
        """The current checkpoint, and those before it from a number on, each read when it is asked for."""
        yield current
        for one in self._store.checkpoints.numbers(current.session):
            row = self._store.checkpoints.get(current.session, one) if number <= one < current.number else None
            if row is not None:
                yield row


def _right(row: Checkpoint, part: str) -> bool:
    return not any(problem.part == part for problem in row.problems)


def _edited(path: Path, mine: Iterable[bytes]) -> bytes | None:
    try:
        if any(files.holds(path, text) for text in mine):
            return None
        content = files.read_bytes_or_none(path)
    except (
        OSError
    ):  # a folder in its place, or closed: told where it is to be written, and the turn's checkpoint is made
        return None
    return None if content is None or (content and not content.strip(b"\0")) else content


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.removeprefix(BOM_UTF8).decode("utf-8", "replace")


def _boxes(listed: str, edited: str) -> tuple[tuple[Tick, ...], tuple[Problem, ...]]:
    """The boxes that differ, of lines that are otherwise as they were."""
    before, after = boxes.read(listed, listed).boxes, boxes.read(listed, edited)
    ticks = [Tick(n, box, person=True) for n, box in after.boxes.items() if n in before and before[n] != box]
    problems = [Problem("memo", f"edited by hand: {fault}", "only boxes are taken") for fault in after.faults]
    return tuple(ticks), tuple(problems)


def by_hand(judged: Judged, edits: Edits, upto: int) -> Judged:
    """What is judged once a person's mind is taken: all of it, as of now."""
    return replace(
        judged, mind=edits.mind, mind_upto=upto, by_hand=True, writer=HAND, upto=upto
    )  # the scene stays a model's, as of its own message


def as_kept(judged: Judged, checkpoint: Checkpoint) -> Judged:
    """What was judged, so that a checkpoint's own texts come out as they are."""
    ever, parts = sys.maxsize, checkpoint.parts
    if judged.mind is None and judged.scene is None:
        return Judged(judged.ticks)
    return Judged(
        judged.ticks,
        mind=parts.mind,
        mind_upto=ever,
        by_hand=True,
        scene=parts.scene,
        scene_upto=ever,
        writer=checkpoint.writer,
        upto=ever,
    )
