"""The daemon's one working thread: it owns the record, takes jobs by urgency, and refreshes checkpoints when they are due.

Hooks come first, then the command line, checkpoints that are due, live transcripts, and last the old transcripts of the
backfill, newest first. Every job is short (a step reads two megabytes), so that nothing urgent waits long. Where many
sessions are at work, checkpoints have a quarter of the time, so that neither starves the other. What failed because of the
machine (a full disk, a locked file) is tried again by and by: no hint may come for it any more. A record that is damaged ends
the thread: there is nothing to be done with it.
"""

import itertools
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from memd.daemon import again
from memd.daemon.again import Again, Held
from memd.daemon.ahead import ENOUGH, Ahead
from memd.daemon.jobs import Asked, Job, Jobs, Made, Reading, Refreshing, Urgency
from memd.daemon.life import Came, Chain
from memd.daemon.pipeline import Pipeline
from memd.daemon.reader import Step
from memd.daemon.refreshes import Refreshes
from memd.errors import RecordDamaged, UserError, told
from memd.store.commits import Together
from memd.tools.protocol import Tool

log = structlog.get_logger()

TOGETHER = 0.05
"""Seconds for which steps of old transcripts are recorded as one: in a backfill of 1 GB the commits of eight sessions at a time
take a sixth less than one by one."""
IDLE = 60.0
"""Seconds without a job after which the tokenizer's 50 MB, and what is remembered of texts, are given back."""


Turn = Callable[[float], tuple[Urgency, float] | None]


class Worker(threading.Thread):
    """Runs jobs against a pipeline that it opens and closes itself.

    `turn` says when a transcript is read that changed at a time (seconds since the epoch), None: not at all; `trouble`
    whether a trouble is news.

    `refreshes` belongs to the thread.

    `ready` is done when the record is open, `ended` when the thread is over; both carry what went wrong.
    """

    def __init__(self, open_pipeline: Callable[[], Pipeline], turn: Turn, trouble: Callable[[str], bool]) -> None:
        super().__init__(name="memd-worker", daemon=True)
        self._open = open_pipeline
        self._turn = turn
        self._trouble = trouble
        self._jobs = Jobs()
        self._serial = itertools.count()
        self._pending: dict[str, Urgency] = {}
        self._lock = threading.Lock()  # for _pending
        self._over = threading.Event()
        self._again = Again()
        self._ahead = Ahead(self._came, self._say)
        self.ready: Future[None] = Future()
        self.ended: Future[None] = Future()
        # What only the thread itself touches.
        self.refreshes = Refreshes(self._again, self._tell, self._wake)
        self._refreshed = False  # the last thing done was a refresh
        self._together: Together | None = None

    def submit(self, urgency: Urgency, run: Callable[[Pipeline], Any], order: float = 0.0) -> "Future[Any]":
        """Have a job done; lower `order` goes first among equals."""
        result: Future[Any] = Future()
        self._jobs.put(Asked(urgency, order, next(self._serial), run, result))
        return result

    def hint(self, tool: Tool, path: Path | str, urgency: Urgency = Urgency.LIVE, order: float = 0.0) -> None:
        """A transcript, or a file that holds some, may have grown: read it on, once, however many hints there are."""
        with self._lock:
            known = self._pending.get(name := os.fspath(path))
            if known is not None and known <= urgency:
                return
            self._pending[name] = urgency
        self._jobs.put(Reading(urgency, order, next(self._serial), tool, name))

    def waits(self, path: str) -> bool:
        """Whether a live transcript waits to be read: what comes until then is read with it."""
        return self._pending.get(path, Urgency.LAST) <= Urgency.LIVE

    def depth(self) -> int:
        """Jobs that wait."""
        return self._jobs.waiting() + self._ahead.in_hand + self.refreshes.held_up()

    def held(self) -> tuple[Held, ...]:
        """What failed and was not done since, the newest."""
        return self._again.held()

    def stop(self) -> None:
        """End after the job that runs now and the checkpoints that are due."""
        self._over.set()
        self._wake()

    def run(self) -> None:
        """The thread."""
        try:
            pipeline = self._open()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the thread must hear of it
            self.ready.set_exception(error)
            return
        self.ready.set_result(None)
        try:
            with closing(pipeline):
                try:
                    while not self._over.is_set():
                        self._next(pipeline)
                finally:
                    self._ahead.stop()
                    self.refreshes.stop()
                for session in self.refreshes.plan.sessions:
                    self.refreshes.make(pipeline, session)
        except BaseException as error:  # noqa: BLE001 - a defect of the thread's own: the daemon must not live on without it
            self.ended.set_exception(error)
        else:
            self.ended.set_result(None)

    def _next(self, pipeline: Pipeline) -> None:
        """Do one thing, the most urgent, or wait for it."""
        job = self._take(pipeline)
        urgent = job is not None and job.urgency <= Urgency.COMMAND
        turn = job is not None and self._refreshed
        session = None if urgent or turn else self.refreshes.overdue(pipeline)
        self._refreshed = session is not None
        if session is not None:
            if job is not None:
                self._jobs.put(job)
            self.refreshes.make(pipeline, session)
        elif job is not None and job.old:
            self._do_old(pipeline, job)
        elif job is not None:
            self._do(pipeline, job)

    def _do_old(self, pipeline: Pipeline, job: Job) -> None:
        """Steps of old transcripts, recorded as one as long as nothing else is to be done; what follows comes one by one."""
        end = time.monotonic() + TOGETHER
        with self._troubled(pipeline), pipeline.together(partial(self._do_live, pipeline)) as together:
            self._together = together
            self._do(pipeline, job)
            while (
                time.monotonic() < end and (other := self._jobs.another_old(feeding=self._ahead.hungry())) is not None
            ):
                self._do(pipeline, other)
            self._together = None

    def _do_live(self, pipeline: Pipeline) -> None:
        """One thing that somebody waits for, if there is any."""
        if (job := self._jobs.another_live()) is not None:
            self._do(pipeline, job)

    def _kept(self, tool: Tool, path: str, turn: tuple[Urgency, float]) -> None:
        """A step is written; if that is taken back, the transcript is read on again."""
        if self._together is not None:
            self._together.otherwise(partial(self._lost, tool, path, turn))

    def _lost(self, tool: Tool, path: str, turn: tuple[Urgency, float], error: BaseException | None) -> None:
        hint = partial(self.hint, tool, path, *turn)
        if isinstance(error, Exception):  # a defect too: at once it would be met again, and again
            self._again.failed(path, "store-trouble", error, hint)
        else:
            hint()

    def _wake(self) -> None:
        self.submit(Urgency.HOOK, lambda _: None)

    def _take(self, pipeline: Pipeline) -> Job | None:
        """The next job; None when a checkpoint, or something that failed, is due before one comes."""
        if not self._jobs.waiting():
            with self._troubled(pipeline):
                self.refreshes.draft_ahead(pipeline)
        if not self._jobs.waiting() and (idle := self._ahead.take_back()) is not None:
            self.hint(idle.tool, idle.path, Urgency(idle.turn[0]), idle.turn[1])
        try:
            return self._jobs.get(self._patience(), feeding=self._ahead.hungry())
        except queue.Empty:
            self._again.hint()
            if not self.refreshes.plan.sessions:
                self._ahead.rest()
                pipeline.release()
            return None

    def _patience(self) -> float:
        due = min([*self.refreshes.moments(), *self._again.moments()], default=None)
        return IDLE if due is None else max(0.0, due - time.monotonic())

    def _do(self, pipeline: Pipeline, job: Job) -> None:
        match job:
            case Reading():
                with self._troubled(pipeline):
                    self._read(pipeline, job)
            case Made():
                with self._troubled(pipeline):
                    self._settle(pipeline, job.chain)
            case Refreshing():
                with self._troubled(pipeline):
                    self.refreshes.make_some_time(pipeline, job.session, partial(self._jobs.put, job))
            case Asked() if job.result.set_running_or_notify_cancel():
                with self._troubled(pipeline, job.result):
                    job.result.set_result(job.run(pipeline))

    @contextmanager
    def _troubled(self, pipeline: Pipeline, result: "Future[Any] | None" = None) -> Iterator[None]:
        """What goes wrong is told, to the one who waits too; only a damaged record ends the thread."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, UserError):  # that is for the one who asked
                self._tell("job failed", "", error)
            if result is not None:
                result.set_exception(error)
            if isinstance(error, RecordDamaged) and not pipeline.store.sound():
                raise

    def _read(self, pipeline: Pipeline, job: Reading) -> None:
        tool, path, turn = job.tool, Path(job.path), (job.urgency, job.order)
        with self._lock:
            self._pending.pop(job.path, None)
        with self._again.reading(job.path, partial(self.hint, tool, job.path, *turn)):
            news = pipeline.news(tool, path)
            own = any(one.path == path for one in news)
            old = job.urgency is Urgency.BACKFILL
            elsewhere = own and (old or self._ahead.holds(path)) and self._offer(pipeline, tool, path, turn)
            step = pipeline.step(tool, path) if own and not elsewhere else None
            if step is not None:
                self._kept(tool, job.path, turn)
            if step is not None and step.more and not (step.left >= ENOUGH and self._offer(pipeline, tool, path, turn)):
                self.hint(tool, job.path, *turn)
        for one in news:
            its = turn if one.changed is None else self._turn(one.changed)
            if one.path != path and its is not None:
                self.hint(tool, one.path, *its)
        if step is not None:
            self._note(step, turn)

    def _offer(self, pipeline: Pipeline, tool: Tool, path: Path, turn: tuple[Urgency, float]) -> bool:
        patient = turn[0] is Urgency.BACKFILL
        return self._ahead.offer(pipeline, tool, path, turn, patient=patient, behind=self._jobs.old() if patient else 0)

    def _came(self, came: Came) -> None:
        """From another thread: a step that the second process made.

        A later one of a transcript may be more urgent, and is taken behind the others all the same.
        """
        came.chain.answers.append(came)
        self._jobs.put(Made(min(Urgency(came.chain.turn[0]), Urgency.MADE), 0.0, next(self._serial), came.chain))

    def _settle(self, pipeline: Pipeline, chain: Chain) -> None:
        """Record the next such step; behind the last one, and where nothing came of it, the transcript is looked at here."""
        came, turn = chain.answers.popleft(), (Urgency(chain.turn[0]), chain.turn[1])
        if chain.over:  # with it nothing is recorded, so nothing is known to go well again
            self._ahead.settle(pipeline, came)
            return
        try:
            with self._again.reading(chain.path, partial(self.hint, chain.tool, chain.path, *turn)):
                step = self._ahead.settle(pipeline, came)
                self._kept(chain.tool, chain.path, turn)
            if step is not None and turn[0] is not Urgency.BACKFILL:
                self._note(step, turn)
        finally:
            if chain.over:
                if chain.changed is not None and turn[0] is Urgency.BACKFILL:
                    self._note(chain.changed, turn)
                self.hint(chain.tool, chain.path, *turn)

    def _note(self, step: Step, turn: tuple[Urgency, float]) -> None:
        """Have the checkpoint made that a step asks for: of the backfill's those of the newest transcripts first."""
        if turn[0] is not Urgency.BACKFILL:
            self.refreshes.note(step, busy=self._ahead.in_hand > 0)
        elif (session := self.refreshes.old(step)) is not None:
            self.refresh(session, Urgency.LAST, turn[1])

    def refresh(self, session: str, urgency: Urgency, order: float) -> None:
        """Have a checkpoint made when there is time."""
        self._jobs.put(Refreshing(urgency, order, next(self._serial), session))

    def _say(self, text: str) -> None:
        if self._trouble(text):
            log.warning("trouble", what=text)

    def _tell(self, what: str, about: str, error: Exception) -> None:
        if self._trouble(f"{about}{told(error)}"):
            log.warning(what, about=about, error=str(error), exc_info=not isinstance(error, again.MACHINE))
