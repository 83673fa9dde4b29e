"""The daemon's side of model writers: looks after each refresh whether one is due, and runs it beside everything else."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import structlog

from memd.daemon import steps
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.worker import Worker
from memd.daemon.writing import AT_ONCE, Job, Outcome, Writing
from memd.errors import MemdError, told

log = structlog.get_logger()

CLOSING = 60.0
"""Seconds that the worker may take until it uses what was written; it may be gone."""


class Desk:
    """`writing` does it; `automatic` says whether a model writes without being asked."""

    def __init__(self, writing: Writing, worker: Worker, tell: Callable[[str], None], *, automatic: bool) -> None:
        self._writing = writing
        self._worker = worker
        self._tell = tell
        self._automatic = automatic
        self._over = False
        self._pool = ThreadPoolExecutor(AT_ONCE, "memd-writer")

    def look(self, pipeline: Pipeline, name: str) -> None:
        """After a refresh, in the worker's thread: begin if it is due."""
        trigger = self._writing.due(pipeline, name) if self._automatic and not self._over else ""
        if not trigger:
            return
        try:
            job = self._writing.open(pipeline, name, trigger)
        except MemdError as error:
            self._tell(f"{name}: no model can write its checkpoint: {error}")
            return
        self._pool.submit(self._write, job).add_done_callback(self._told)

    async def now(self, name: str) -> Outcome:
        """A person asked for it: the same, awaited.

        Raises:
            Refused, NotFound: it cannot be.
        """
        job = await steps.run(self._worker, Urgency.COMMAND, lambda p: self._writing.open(p, name, "command"))
        return await steps.wrapped(self._pool.submit(self._write, job))

    def _write(self, job: Job) -> Outcome:
        """In a thread of the pool. A run that a defect ended is entered as lost, so that the next one may begin."""
        try:
            return self._written(job)
        except BaseException:
            if not self._over:
                self._worker.submit(Urgency.COMMAND, lambda p: self._writing.abandon(p, job))
            raise

    def _written(self, job: Job) -> Outcome:
        made = self._writing.write(job)
        if self._over:  # entered as begun, and nothing came of it
            raise InterruptedError("memd is ending")
        closed = self._worker.submit(Urgency.COMMAND, lambda p: self._writing.close(p, job, made))
        wait([closed], timeout=CLOSING)
        outcome: Outcome = closed.result(0)
        told = [f"{problem.part}: {problem.fault}" for problem in outcome.problems]
        name, cost = job.work.session.id, {"tokens": made.tokens, "runs": made.runs}
        log.info("a model wrote", session=name, outcome=outcome.outcome, **cost, problems=told)
        return outcome

    def _told(self, done: "Future[Any]") -> None:
        error = done.exception()
        if error is not None and not self._over:
            self._tell(f"a model writer: {told(error)}")

    def stop(self) -> None:
        """End what runs; the worker must still take jobs."""
        self._over = True
        self._writing.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
