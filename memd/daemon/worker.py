"""The daemon's one working thread: it owns the record, takes jobs by urgency, and refreshes checkpoints when they are due.

Hooks come first, then the command line, live transcripts, checkpoints, and last the old transcripts of the backfill, newest
first. Every job is short (a step reads about a megabyte), so that nothing urgent waits long.
"""

import itertools
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import structlog

from memd import tokens
from memd.daemon.pipeline import Pipeline
from memd.daemon.reader import Step
from memd.errors import Fault
from memd.tools.protocol import Tool

log = structlog.get_logger()

SOON, LATER = 0.05, 2.0
"""Seconds to a refresh: after what a person said or a turn's end, and after anything else."""
IDLE = 60.0
"""Seconds without a job after which the tokenizer's 50 MB are given back."""


class Urgency(IntEnum):
    """What goes first."""

    HOOK = 0
    COMMAND = 1
    LIVE = 2
    BACKFILL = 4


@dataclass(order=True, slots=True)
class _Job:
    urgency: int
    order: float
    serial: int
    run: Callable[[Pipeline], Any] = field(compare=False)
    result: "Future[Any]" = field(compare=False)


class Worker(threading.Thread):
    """Runs jobs against a pipeline that it opens and closes itself."""

    def __init__(self, open_pipeline: Callable[[], Pipeline], trouble: Callable[[str], None]) -> None:
        super().__init__(name="memd-worker", daemon=True)
        self._open = open_pipeline
        self._trouble = trouble
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._serial = itertools.count()
        self._pending: dict[Path, int] = {}
        self._lock = threading.Lock()
        self._due: dict[str, float] = {}
        self._over = threading.Event()
        self.ready: Future[None] = Future()

    def submit(self, urgency: Urgency, run: Callable[[Pipeline], Any], order: float = 0.0) -> "Future[Any]":
        """Have a job done; lower `order` goes first among equals."""
        job = _Job(urgency, order, next(self._serial), run, Future())
        self._jobs.put(job)
        return job.result

    def hint(self, tool: Tool, path: Path, urgency: Urgency = Urgency.LIVE, order: float = 0.0) -> None:
        """A transcript may have grown: read it on, once, however many hints there are."""
        with self._lock:
            known = self._pending.get(path)
            if known is not None and known <= urgency:
                return
            self._pending[path] = urgency
        self.submit(urgency, lambda pipeline: self._read(pipeline, tool, path, urgency, order), order)

    def depth(self) -> int:
        """Jobs that wait."""
        return self._jobs.qsize()

    def stop(self) -> None:
        """End after the job that runs now."""
        self._over.set()
        self.submit(Urgency.HOOK, lambda _: None)

    def run(self) -> None:
        """The thread."""
        try:
            pipeline = self._open()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the thread must hear of it
            self.ready.set_exception(error)
            return
        self.ready.set_result(None)
        try:
            while not self._over.is_set():
                self._next(pipeline)
            self._refresh_due(pipeline, everything=True)
        finally:
            pipeline.close()

    def _next(self, pipeline: Pipeline) -> None:
        try:
            job = self._jobs.get(timeout=self._patience())
        except queue.Empty:
            if not self._due and tokens.loaded():
                tokens.release()
        else:
            self._do(pipeline, job)
            if job.urgency > Urgency.COMMAND and self._jobs.qsize() and not self._overdue():
                return
        self._refresh_due(pipeline)

    def _patience(self) -> float:
        due = min(self._due.values(), default=None)
        return IDLE if due is None else max(0.0, due - time.monotonic())

    def _overdue(self) -> bool:
        return min(self._due.values(), default=float("inf")) <= time.monotonic()

    def _do(self, pipeline: Pipeline, job: _Job) -> None:
        try:
            job.result.set_result(job.run(pipeline))
        except Exception as error:
            self._trouble(f"{type(error).__name__}: {error}")
            log.warning("job failed", error=str(error), exc_info=not isinstance(error, Fault))
            job.result.set_exception(error)

    def _read(self, pipeline: Pipeline, tool: Tool, path: Path, urgency: Urgency, order: float) -> None:
        with self._lock:
            self._pending.pop(path, None)
        step = pipeline.step(tool, path)
        self.note(step)
        if step.more:
            self.hint(tool, path, urgency, order)

    def note(self, step: Step) -> None:
        """Plan the refresh that a step asks for."""
        if step.session is None or not step.changed:
            return
        said = any(record.channel.starts_turn for record in step.added)
        wait = SOON if (step.turn_ended or said) else LATER
        due = time.monotonic() + wait
        self._due[step.session] = min(self._due.get(step.session, due), due)

    def _refresh_due(self, pipeline: Pipeline, *, everything: bool = False) -> None:
        now = time.monotonic()
        for session in [name for name, due in self._due.items() if everything or due <= now]:
            del self._due[session]
            try:
                pipeline.refresh(session, "turn")
            except Exception as error:
                self._trouble(f"{session}: {type(error).__name__}: {error}")
                log.warning(
                    "checkpoint failed", session=session, error=str(error), exc_info=not isinstance(error, Fault)
                )

    def forget_due(self, session: str) -> None:
        """A refresh was just made for another reason."""
        self._due.pop(session, None)
