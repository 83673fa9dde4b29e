"""Checkpoints that are to be made because a transcript went on: which are due, and what comes of making one."""

import time
from collections.abc import Callable

from memd.daemon import again
from memd.daemon.again import Again
from memd.daemon.counting import Counting
from memd.daemon.pipeline import Pipeline
from memd.daemon.planning import Plan
from memd.daemon.reader import Step
from memd.errors import RecordDamaged

Tell = Callable[[str, str, Exception], None]


class Refreshes:
    """Belongs to the worker's thread; `wake` is called in another one.

    `tell` is told what failed; `refreshed` is called after a session's checkpoint was made because its transcript went on.
    """

    def __init__(self, held: Again, tell: Tell, wake: Callable[[], None]) -> None:
        self._again = held
        self._tell = tell
        self._wake = wake
        self._counting = Counting()
        self.refreshed: Callable[[Pipeline, str], None] = lambda *_: None
        self.plan = Plan()
        self._soon: str | None = None
        """The session whose checkpoint was planned last for soon."""
        self._old = set[str]()
        """Sessions of the backfill whose checkpoint is still to be made."""

    def note(self, step: Step, *, busy: bool = False) -> None:
        """Plan the refresh that a step asks for; `busy`: old transcripts are read meanwhile."""
        if step.session is None or not step.changed:
            return
        said = any(record.channel.starts_turn for record in step.added)
        soon = (step.turn_ended or said) and not step.more
        self.plan.due(step.session, soon=soon, busy=busy)
        if soon:
            self._soon = step.session

    def draft_ahead(self, pipeline: Pipeline) -> None:
        """Nothing else is to be done: make the draft of the checkpoint that is due soon, for a hook may come before that."""
        session, self._soon = self._soon, None
        if session in self.plan.sessions and not self.plan.crowded:
            pipeline.draft_ahead(session)

    def old(self, step: Step) -> str | None:
        """The session of a step of the backfill whose checkpoint is to be made some time, where that is news.

        Nobody waits for it; a hook that asks for it has it made at once.
        """
        session = step.session
        if session is None or not step.changed or session in self._old:
            return None
        self._old.add(session)
        return session

    def drop(self, session: str) -> None:
        """One was just made for another reason."""
        self.plan.drop(session)
        self._again.done(session)

    def moments(self) -> list[float]:
        """When those that are planned are due; while the tokenizer is loaded for them somebody will wake the worker."""
        return [] if self._counting.under_way else self.plan.moments()

    def overdue(self, pipeline: Pipeline) -> str | None:
        """The session whose checkpoint is to be made now."""
        session = None if self._counting.under_way else self.plan.overdue()
        return session if session is None or self._counts(pipeline, session, self._wake) else None

    def _counts(self, pipeline: Pipeline, session: str, then: Callable[[], None]) -> bool:
        return not pipeline.counts(session) or self._counting.ready(then)

    def held_up(self) -> int:
        """How many wait for the tokenizer; from any thread."""
        return self._counting.waiting()

    def stop(self) -> None:
        """Nothing is made beside the worker any more."""
        self._counting.stop()

    def make_some_time(self, pipeline: Pipeline, session: str, later: Callable[[], None]) -> None:
        """There is time for one, unless it was asked for meanwhile; `later` is called where it has to wait, in another thread."""
        if self._counts(pipeline, session, later):
            old = session in self._old
            self._old.discard(session)
            self.make(pipeline, session, unless_current=old)

    def make(self, pipeline: Pipeline, session: str, *, unless_current: bool = False) -> None:
        """Make one.

        Raises:
            RecordDamaged: the record is; anything else that fails is told.
        """
        start = time.monotonic()
        try:
            if unless_current and pipeline.current(session):
                return
            self.plan.drop(session)
            pipeline.refresh(session, "turn")
            self._again.done(session)
            self._look_after_copies(pipeline, session)
            self.refreshed(pipeline, session)
        except Exception as error:  # a failed checkpoint changes nothing, the next may succeed
            self._tell("checkpoint failed", f"{session}: ", error)
            if isinstance(error, RecordDamaged) and not pipeline.store.sound():
                raise
            if isinstance(error, again.MACHINE):
                self._wait(session, "checkpoint-failed", error)
        self.plan.took(session, start)

    def finish(self, pipeline: Pipeline, session: str) -> None:
        """What was left of one because a hook waited."""
        pipeline.finish(session)
        self._look_after_copies(pipeline, session)

    def _look_after_copies(self, pipeline: Pipeline, session: str) -> None:
        if (error := pipeline.unwritten(session)) is not None:
            self._tell("copies not written", f"{session}: ", error)
            self._wait(session, "copies-unwritten", error)

    def _wait(self, session: str, code: str, error: Exception) -> None:
        self.plan.later(session, again.AGAIN)
        self._again.failed(session, code, error)
