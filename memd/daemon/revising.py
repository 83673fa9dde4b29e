"""One turn of a model writer on the record's side: what it is given, and whether what it made still fits.

Between the two the record goes on: turns start, a compaction comes, messages are withdrawn, the person edits a file, the session
is deleted. What was made is used where all that it was made from is still so, else dropped; it is never mixed with other work.
"""

import sys

from msgspec import Struct
from msgspec.structs import replace

from memd import tokens
from memd.checkpoint import boxes, memo, turn
from memd.checkpoint.caps import Caps
from memd.checkpoint.carry import Judged, Writer
from memd.checkpoint.checks import Given
from memd.checkpoint.digest import ROOM, Digest, digest, index
from memd.checkpoint.evidence import Evidence
from memd.checkpoint.revision import FALLBACKS, Revision
from memd.daemon.keeper import Keeper, first
from memd.extract import turns
from memd.extract.material import SPEAKING
from memd.model import Channel, Checkpoint, Done, Problem, Record, Session, Tick
from memd.model.secrets import mask
from memd.store import Store
from memd.tools.registry import tool as named

_TOLD = SPEAKING | {Channel.AGENT_TEXT}


class Assignment(Struct, frozen=True):
    """What a writer is given for one session, and what that was made from.

    Attributes:
        since, records, calls: what happened after the last checkpoint that a model wrote.
        judged: the numbers of judged checkpoints when this was made.
    """

    session: Session
    given: Given
    records: tuple[Record, ...]
    calls: tuple[Done, ...]
    judged: tuple[int, ...]
    ticks: tuple[Tick, ...]

    @property
    def upto(self) -> int:
        """The last message."""
        return self.session.messages

    def digests(self, *, fork: bool = False) -> tuple[Digest, ...]:
        """What happened, within the room for one; and within half of it, for a model that says it is too long. Takes a while.

        For a run that has the conversation itself the numbers come first.
        """
        room = int(ROOM * self.given.caps.scale)
        whole = digest(self.records, self.calls, self.upto, room, tokens)
        half = digest(self.records, self.calls, self.upto, tokens.count(whole.text) // 2, tokens)
        numbers = [index(self.records, self.upto, room // 3, tokens)] if fork else []
        return (*numbers, whole, half)


class Reviser:
    """Prepares and adopts; used in the thread of the store."""

    def __init__(self, store: Store, keeper: Keeper, writer: Writer) -> None:
        self._store = store
        self._keeper = keeper
        self._writer = writer

    def prepare(self, name: str) -> Assignment | None:
        """What a writer is given now; None where there is nothing to write about."""
        session = self._store.session(name)
        if session is None or session.parent is not None or not session.messages:
            return None
        material, judged = self._keeper.material(session), self._keeper.judging.of(name)
        made = turn.draft(material, self._writer, first(material), judged)
        offered = boxes.offered(made.content.memo, judged.decided)
        said = {record.number: record for record in material.said}
        before = frozenset(record.copy_of for record in material.before if record.copy_of)
        request = turns.current(material).request
        given = Given(
            made.parts.mind,
            offered,
            memo.document(offered).decode(),
            Evidence(said, self._store.channels(name), before),
            Caps(session.window or named(session.tool).window(session.model)),
            judged=judged.mind is not None,
            request=request.number if request is not None else None,
        )
        since = self._store.judging.told(name) or (0 if self._store.checkpoints.judged(name) else judged.upto)
        return Assignment(
            session,
            given,
            tuple(self._store.messages(name, after=since, channels=_TOLD)),
            tuple(self._store.operations(name, after=since)),
            tuple(self._store.checkpoints.judged(name)),
            tuple(judged.ticks.values()),
        )

    def fits(self, work: Assignment) -> str:
        """What has changed under a writer's hands; "" when its work can be used."""
        name = work.session.id
        if self._store.session(name) is None:
            return "the session is gone"
        if tuple(self._store.checkpoints.judged(name)) != work.judged:
            return "another checkpoint was written or edited meanwhile"
        if tuple(self._keeper.judging.of(name).ticks.values()) != work.ticks:
            return "boxes of the memo were decided meanwhile"
        now = {r.number: r for r in self._store.messages(name, channels=SPEAKING, upto=work.upto)}
        then = work.given.evidence.said
        if any(number not in now or now[number].in_force != then[number].in_force for number in then):
            return "messages were withdrawn or came back meanwhile"
        return ""

    def adopt(self, work: Assignment, made: Revision, author: str, trigger: str) -> Checkpoint | None:
        """Make a revision that fits the session's checkpoint, then bring it up to what came since, but for leftovers."""
        name, session = work.session.id, self._store.session(work.session.id)
        if session is None:
            return None
        material, problems = self._keeper.material(session), made.problems
        if made.scene is None and not any(problem.part == "scene" for problem in problems):
            problems = (*problems, Problem("scene", "it tells of the older part only", FALLBACKS["scene"]))
        decided = [Tick(number, box, person=False) for number, box in (made.boxes or {}).items()]
        judged = self._revised(work, made, author, decided)
        draft = replace(self._keeper.draft(session, material, self._writer, judged), upto=made.upto)
        self._keeper.keep(session, material, draft, trigger, problems, decided)
        return self._keeper.refresh(name, trigger, self._writer)

    def _revised(self, work: Assignment, made: Revision, author: str, decided: list[Tick]) -> Judged:
        """What the revision says, so that it comes out as it is."""
        ticks = {tick.number: tick for tick in work.ticks}
        ticks |= {one.number: one for one in decided if not (one.number in ticks and ticks[one.number].person)}
        text = work.given.mind if made.mind is None else _masked(made.mind, work.given.mind)
        scene = None if made.scene is None else mask(made.scene)
        ever = sys.maxsize
        return Judged(ticks, text, ever, scene=scene, scene_upto=ever, writer=author, upto=ever)


def _masked(text: str, before: str) -> str:
    """Lines that are new, without secrets; those that were there may quote the person exactly."""
    known = set(before.split("\n"))
    return "\n".join(row if row in known else mask(row) for row in text.split("\n"))
