"""A checkpoint written with judgement: a writer that is passed in works on mind and memo and answers with a scene.

    request -> work -> checks -> (one repair request that names every fault -> work -> checks) -> part by part, what is right

A part in which faults remain falls back: the mind to what it was, the memo to all candidates, the scene to the program's own.
Where nothing is right, nothing changes.
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field

from memd.checkpoint import boxes, checks, request, scene
from memd.checkpoint.checks import Fault, Given, Made
from memd.checkpoint.digest import Digest
from memd.model import Problem, Session
from memd.render import Sizer

FALLBACKS = {
    "mind": "the previous mind stays",
    "memo": "all candidates stay ticked within the memo's room",
    "scene": "the extractive scene",
    "run": "what is right of it is kept",
}

UNSTARTED = "no model was run"


class Task(Struct, frozen=True):
    """What a writer is given; `$mind_path` and `$memo_path` in the request are its to fill in."""

    request: str
    mind: str
    memo: str
    fork: bool = False
    """The session's own conversation goes before the request."""
    scene: str = ""
    """The scene of a first answer that was right, where only the rest is to be mended."""


class Work(Struct, frozen=True):
    """What one run left: the files as they are, its answer, what it cost, and how it failed, if it did.

    Attributes:
        mind, memo: None where the file is no text any more, or gone.
        tokens: input tokens, those from a cache too.
        strayed: other files of its folder that it changed or made.
        ran: whether anything was started; if not, asking again is of no use.
        too_long: the request did not fit into the model's window.
    """

    mind: str | None
    memo: str | None
    answer: str = ""
    tokens: int = 0
    fault: str = ""
    strayed: tuple[str, ...] = ()
    ran: bool = True
    too_long: bool = False


class Author(Protocol):
    """Who edits mind and memo and answers with a scene."""

    name: str

    def work(self, task: Task) -> Work:
        """One run, to its end; never raises for what a model or its program does."""
        ...


class Revision(Struct, frozen=True):
    """What came of it. A part that is None, or has no boxes, falls back.

    Attributes:
        upto: the last message that the writer was told of.
        problems: what was wrong at the end, each with what was taken instead.
    """

    mind: str | None
    boxes: Mapping[int, bool] | None
    scene: str | None
    upto: int
    runs: int
    tokens: int
    problems: tuple[Problem, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing of it is right."""
        return self.mind is None and self.boxes is None and self.scene is None


class _Best(Struct):
    """The newest right form of each part."""

    mind: str | None = None
    boxes: Mapping[int, bool] | None = None
    scene: str | None = None
    faults: tuple[Fault, ...] = ()
    tokens: int = 0
    runs: int = 0
    left: tuple[str, str] = field(default=("", ""))

    def take(self, given: Given, work: Work, sizer: Sizer) -> None:
        """Judge what a run left."""
        made = Made(given.mind if work.mind is None else work.mind, work.memo or "", work.answer)
        gone = {part for part, text in (("mind", work.mind), ("memo", work.memo)) if text is None}
        told = gone | ({"scene"} if work.fault and not work.answer else set())  # once, and not by all that is not in it
        found = tuple(fault for fault in checks.faults(given, made, sizer) if fault.part not in told)
        wrong = {fault.part for fault in found} | gone
        self.mind = self.mind if "mind" in wrong else made.mind
        self.boxes = self.boxes if "memo" in wrong else boxes.read(given.listed, made.memo).boxes
        self.scene = self.scene if "scene" in wrong or not work.answer else scene.block(work.answer)[0]
        self.faults = (*_run(work), *found)
        self.tokens += work.tokens
        self.runs += work.ran
        self.left = (made.mind, made.memo or given.listed)


def _run(work: Work) -> tuple[Fault, ...]:
    """What was wrong with the run itself."""
    gone = [Fault("mind", "mind.md is gone or no text")] if work.mind is None else []
    gone += [Fault("memo", "memo.md is gone or no text")] if work.memo is None else []
    strayed = [Fault("run", f"it wrote {name}, which is not its to write") for name in work.strayed[:3]]
    return (*([Fault("run", work.fault)] if work.fault else []), *strayed, *gone)


def revise(
    session: Session,
    given: Given,
    digests: tuple[Digest, ...],
    author: Author,
    texts: request.Texts,
    sizer: Sizer,
) -> Revision:
    """One turn from start to end, in two runs at most.

    `digests` are what happened, each a shorter one than that before it: where a run did not get through with one, the next is
    tried. One that rests on the conversation itself (`Digest.fork`) is of no use to a run whose fork went wrong.
    """
    best, told = _Best(), digests[0]
    asked = request.first(texts, session, given, told, sizer)
    work = author.work(Task(asked, given.mind, given.listed, told.fork))
    best.take(given, work, sizer)
    if work.too_long or (told.fork and work.fault and work.ran):
        told = digests[1]
        asked = request.first(texts, session, given, told, sizer)
        best.take(given, author.work(Task(asked, given.mind, given.listed)), sizer)
    elif best.faults and work.ran:
        again = request.repair(texts, asked, best.faults, scene=best.scene is not None)
        best.take(given, author.work(Task(again, *best.left, told.fork, best.scene or "")), sizer)
    return _settled(given, best, told)


def _settled(given: Given, best: _Best, told: Digest) -> Revision:
    if not best.runs:  # of work that nobody began there is nothing to be told part by part
        faults = (Problem("run", fault.text, UNSTARTED) for fault in best.faults if fault.part == "run")
        return Revision(None, None, None, told.upto, 0, best.tokens, tuple(faults))
    decided = best.boxes
    if decided == {entry.record.number: entry.ticked for entry in given.memo}:
        decided = {}  # a list that was not touched decides nothing: when in doubt more is kept
    elif decided and not told.whole:  # nothing was told of what came later
        decided = {number: box for number, box in decided.items() if number <= told.upto}
    kept = {"mind": best.mind, "memo": decided, "scene": best.scene}
    problems = [Problem("run", fault.text, FALLBACKS["run"]) for fault in best.faults if fault.part == "run"]
    for part in (part for part in kept if kept[part] is None):
        why = [fault.text for fault in best.faults if fault.part == part] or ["there is none"]
        problems += [Problem(part, text, FALLBACKS[part]) for text in why]
    text = best.mind
    if best.scene is None and text in {None, given.mind} and not decided:
        text, decided = None, None  # files that were never touched are no work
    scene = best.scene if told.whole else None
    return Revision(text, decided, scene, told.upto, best.runs, best.tokens, tuple(problems))
