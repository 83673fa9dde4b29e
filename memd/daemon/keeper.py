"""Keeping a session's checkpoint current: read the record, let the writer write, render, store, lay out for the hooks."""

import secrets
import string
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from memd import tokens
from memd.checkpoint import shown, turn
from memd.checkpoint.carry import NOBODY, Judged, Writer
from memd.config import Config
from memd.daemon.attaching import attached
from memd.daemon.gathering import Gathering
from memd.daemon.judging import Edits, Judging, as_kept, by_hand
from memd.daemon.leftovers import Leftovers
from memd.daemon.ready import CLOSE, Ready, Situation, limits
from memd.daemon.thrift import MANY, room_for, sparing
from memd.extract import missions, turns
from memd.extract.material import SPEAKING, Material
from memd.model import Boundary, Checkpoint, Message, Problem, Session, Tick
from memd.model.newest import Newest
from memd.render import Content, Rendered, compose, short
from memd.render.compose import SHORT
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.protocol import Tool
from memd.tools.registry import tool as named
from memd.writers.extractive import Extractive

INJECT_CAP, INJECT_SHARE, UNKNOWN_WINDOW = 12_000, 0.08, 200_000
_CODE = string.ascii_uppercase + string.digits

SESSIONS = 1_000
"""So many sessions it is remembered of how they were when they were refreshed last; of others it is worked out again."""


class Keeper:
    """Makes and lays out checkpoints; `clock` gives milliseconds since the epoch."""

    def __init__(self, store: Store, folders: Folders, config: Config, clock: Callable[[], int]) -> None:
        self._store = store
        self._folders = folders
        self._config = config
        self._clock = clock
        self._gathering = Gathering(store)
        self.ready = Ready(store, folders, clock)
        self.judging = Judging(store, folders)
        self._laid = Newest[str, tuple[int, Situation]](SESSIONS)
        """What the ready replies on disk were made for."""
        self.left = Leftovers(store, folders)
        self._prompts = Newest[str, int](SESSIONS)
        """How many prompts a session had when its checkpoint was last refreshed."""
        self._ahead: tuple[tuple[object, ...], turn.Draft] | None = None
        """The draft that was made ahead last, and before it what it was made from."""
        self._queued = Newest[str, tuple[Message, ...]](SESSIONS)
        """What waited in the client's queue when a session's checkpoint was last refreshed."""

    def material(self, session: Session, upto: int | None = None) -> Material:
        """See `Gathering.material`."""
        return self._gathering.material(session, upto)

    def foreseen(self, session: Session, boundary: Boundary) -> Rendered:
        """The text that the program alone makes of what was recorded before a compaction, in the form that fits it."""
        then = replace(
            session,
            messages=boundary.number,
            compactions=boundary.ordinal - 1,
            last_at=boundary.at,
            ended_at=None,
            turn_ended_at=boundary.at if boundary.trigger == "manual" else None,  # a person compacts between two turns
        )
        material, tool = self.material(then, boundary.number), named(session.tool)
        made = self.draft(then, material, Extractive(), NOBODY)
        _, content = turn.number(made, boundary.ordinal, boundary.at or 0, "report", "0" * 6)
        if material.boundaries and turns.since_boundary(material) < CLOSE:
            return short(content, SHORT, tokens, limits(tool))
        return compose(content, self.budget(then, tool), tokens, limits(tool))

    def settled(self, name: str) -> bool:
        """Whether what waits in the client's queue is what waited at the last refresh: it is no entry that is counted."""
        session = self._store.session(name)
        return session is None or self._gathering.waiting(session) == self._queued.get(name, ())

    def refresh(self, name: str, trigger: str, writer: Writer) -> Checkpoint | None:
        """Bring a session's checkpoint up to its newest record but for leftovers; the current one when nothing changed.

        What a person edited in its files meanwhile is taken first, as a number of its own.
        """
        with suppress(
            OSError
        ):  # who asked for it last was told; what hooks give back is not held up by what people read
            self.finish(name)
        session = self._store.session(name)
        if session is None or session.parent is not None:
            return None
        release = partial(self._store.release, name)
        with room_for(self._counted(session), release):
            material = self.material(session)
        self._prompts[name] = len(material.said)
        with room_for(len(material.said), release):
            return self._refreshed(session, material, trigger, writer)

    def _refreshed(self, session: Session, material: Material, trigger: str, writer: Writer) -> Checkpoint:
        name, judged = session.id, self.judging.of(session.id)
        self._queued[name] = material.queued
        edits = self._edits(session)
        if edits.ticks:
            self._store.judging.tick(name, edits.ticks)
            judged = self.judging.of(name)
        if edits.mind is not None:
            judged = by_hand(judged, edits, material.upto)
            trigger = "edit"
        made = self.draft(session, material, writer, judged)
        self.let_go()
        current = self.keep(session, material, made, trigger, noted=edits.problems)
        self.left.note(session, made.beside, edits.taken)
        return current

    def _counted(self, session: Session) -> int:
        """About how many prompts a session has, before they are read."""
        known = self._prompts.get(session.id)
        if known is None:
            known = self._store.glances.behind(session.id, 0, SPEAKING)[0] if session.messages > MANY else 0
        return known

    def finish(self, name: str) -> bool:
        """See `Leftovers.finish`."""
        with sparing(self._prompts.get(name, 0)):
            return self.left.finish(name)

    def long(self, name: str) -> bool:
        """Whether a session had so many prompts at its last refresh that no tokenizer is loaded beside them."""
        return self._prompts.get(name, 0) > MANY

    def foresee(self, name: str) -> None:
        """Work out what a session's next checkpoint will rest on, and leave all as it is: what texts say is remembered."""
        session = self._store.session(name)
        if session is None or session.parent is not None or self._counted(session) > MANY:
            return  # of many it would be let go of before the checkpoint is made
        material, tool = self.material(session), named(session.tool)
        made = self.draft(session, material, Extractive(), self.judging.of(name))
        beside = self.ready.situation(material).beside
        compose(made.content, self.budget(session, tool), tokens, limits(tool, beside))

    def draft_ahead(self, name: str, writer: Writer) -> None:
        """Make a session's next draft before its checkpoint is due: it is taken then if all that it rests on is as it was."""
        session = self._store.session(name)
        if session is not None and session.parent is None and self._counted(session) <= MANY:  # see `foresee`
            material, judged = self.material(session), self.judging.of(name)
            made = self.draft(session, material, writer, judged)
            self._ahead = (material, writer, judged, made.beside.texts), made

    def let_go(self) -> None:
        """Give the draft that was made ahead back."""
        self._ahead = None

    def _edits(self, session: Session) -> Edits:
        """What a person changed in the files of the current checkpoint."""
        current = self._store.checkpoints.current(session.id)
        return Edits() if current is None else self.judging.edits(self._folder(session), current)

    def draft(self, session: Session, material: Material, writer: Writer, judged: Judged) -> turn.Draft:
        """What a session's checkpoint would be now, with what lies beside it."""
        tool = named(session.tool)
        beside = attached(material, tool, self._folder(session), _window(session, tool))
        if self._ahead is not None and self._ahead[0] == (material, writer, judged, beside.texts):
            return self._ahead[1]
        return turn.draft(material, writer, first(material), judged, beside, asks=self._config.receipt.ask)

    def keep(
        self,
        session: Session,
        material: Material,
        made: turn.Draft,
        trigger: str,
        problems: tuple[Problem, ...] = (),
        ticks: Iterable[Tick] = (),
        noted: tuple[Problem, ...] = (),
    ) -> Checkpoint:
        """Make a draft the session's current checkpoint but for leftovers; the current one stays where it says the same."""
        self.left.note(session, made.beside)
        now, digest = self.ready.situation(material), f"{made.digest}:{len(material.boundaries)}"
        same = self._store.checkpoints.digest(session.id) == digest
        current = self._store.checkpoints.current(session.id) if same else None
        if current is not None:
            self._store.checkpoints.confirm(session.id, made.upto)
            if problems or noted:
                self._store.checkpoints.note(session.id, (*problems, *noted))
            laid = self._laid.get(session.id) == (current.number, now)
            if not (laid and self._folders.ready(self._folder(session), current.number)):
                self._lay_again(session, made, current, now)
            return current
        last = self._store.checkpoints.numbers(session.id)
        number = (last[-1] if last else self._folders.last(self._folder(session))) + 1
        checkpoint, content = turn.number(made, number, self._clock(), trigger, _code())
        return self._lay(session, replace(checkpoint, problems=problems, noted=noted), content, digest, now, ticks)

    def _folder(self, session: Session) -> Path:
        return self._folders.session(session.tool, session.native)

    def _lay(
        self,
        session: Session,
        checkpoint: Checkpoint,
        content: Content,
        digest: str,
        now: Situation,
        ticks: Iterable[Tick],
    ) -> Checkpoint:
        tool, folder = named(session.tool), self._folder(session)
        budget = self.budget(session, tool)
        full = compose(content, budget, tokens, limits(tool, now.beside))
        checkpoint = replace(checkpoint, tokens=turn.sizes(checkpoint.parts, full.tokens, tokens))
        replies = self.ready.replies(tool, content, full, now, budget)
        self._folders.write(folder, checkpoint, full.text, replies, self._patch(checkpoint))
        self._store.checkpoints.add(checkpoint, digest, ticks)
        self._folders.publish(folder, checkpoint.number)
        self._laid[session.id] = (checkpoint.number, now)
        return checkpoint

    def _patch(self, checkpoint: Checkpoint) -> str:
        """What a model or a person changed; the program alone has no say."""
        if checkpoint.writer == Extractive.name:
            return ""
        before = self._store.checkpoints.current(checkpoint.session)
        return "" if before is None else shown.diff(before.parts, checkpoint.parts)

    def _lay_again(self, session: Session, made: turn.Draft, current: Checkpoint, now: Situation) -> None:
        """The same content, but what lies behind the session changed, or a crash came between the row and the files."""
        tool, folder = named(session.tool), self._folder(session)
        _, content = turn.number(made, current.number, current.at, current.trigger, current.receipt)
        budget = self.budget(session, tool)
        full = compose(content, budget, tokens, limits(tool, now.beside))
        replies = self.ready.replies(tool, content, full, now, budget)
        if not self._folders.kept(folder, current.number):
            self._folders.write(folder, current, full.text, replies)
        self._folders.publish(folder, current.number)  # first: when hooks find the number, all of it is there
        self._folders.replace_replies(folder, current.number, replies)
        self._laid[session.id] = (current.number, now)

    def budget(self, session: Session, tool: Tool) -> int:
        """Tokens that may be given back."""
        if self._config.inject.max_tokens is not None:
            return self._config.inject.max_tokens
        return min(INJECT_CAP, int(_window(session, tool) * INJECT_SHARE))

    def rendered(self, session: Session, checkpoint: Checkpoint, budget: int) -> Rendered:
        """A kept checkpoint's text at another budget."""
        material = self.material(session)
        judged = as_kept(self.judging.of(session.id), checkpoint)
        made = self.draft(session, material, _Kept(checkpoint), judged)
        _, content = turn.number(made, checkpoint.number, checkpoint.at, checkpoint.trigger, checkpoint.receipt)
        tool = named(session.tool)
        return compose(content, budget, tokens, limits(tool, self.ready.situation(material).beside))


class _Kept:
    """A writer that gives back what was written."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.writer
        self._parts = checkpoint.parts

    def mind(self, material: Material) -> str:  # noqa: ARG002 - the writer's shape
        return self._parts.mind

    def scene(self, material: Material, mind: str) -> str:  # noqa: ARG002 - the writer's shape
        return self._parts.scene


def _window(session: Session, tool: Tool) -> int:
    return session.window or tool.window(session.model) or UNKNOWN_WINDOW


def first(material: Material) -> int | None:
    """The number of the message that set the mission."""
    mission = missions.directing(material)
    return None if mission is None else mission.number


def _code() -> str:
    return "".join(secrets.choice(_CODE) for _ in range(6))
