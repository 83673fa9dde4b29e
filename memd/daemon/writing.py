"""A model writes a checkpoint: who may, now or not, and the three steps of it.

    open (the record's thread)  ->  write (any other; minutes)  ->  close (the record's thread)

Nothing waits for it but a person who asked with `memd checkpoint`. Two write at a time at most. What is spent is entered when
it is begun, so that the day's caps hold over a crash.
"""

import queue
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memd import assets, files, tokens
from memd.checkpoint import due
from memd.checkpoint.request import NEEDED, Texts, lacking
from memd.checkpoint.revision import Author, Revision, Task, Work, revise
from memd.config import Config, Paths
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.revising import Assignment
from memd.errors import NotFound, Refused
from memd.model import Problem, Run, Session, Spent
from memd.model.channels import Channel
from memd.tools.registry import tool as named
from memd.tools.scribe import ROUNDS, Scribe
from memd.writers.agent import NAME, Agent, Children

DAY = 86_400_000
AT_ONCE = 2
_BYTES_A_TOKEN = 3


class Job(Struct, frozen=True):
    """One checkpoint that a model is to write."""

    key: int
    work: Assignment
    trigger: str
    scribe: Scribe
    left: Spent
    """What the day's caps still allow."""
    texts: Texts
    """The requests, as they were when it began."""
    fork: bool = False
    """A fork of the session is surely in the provider's cache."""


class Outcome(Struct, frozen=True):
    """What came of it: `written`, `failed`, `unstarted` or `dropped`, and the number that is current now."""

    outcome: str
    number: int | None
    problems: tuple[Problem, ...]


def as_answer(outcome: Outcome) -> dict[str, Any]:
    """The same for the command line."""
    problems = [{"part": p.part, "fault": p.fault, "fallback": p.fallback} for p in outcome.problems]
    return {"number": outcome.number, "outcome": outcome.outcome, "problems": problems}


class Writing:
    """Runs models for one record; `environ` is what their programs get."""

    def __init__(self, settings: Config, paths: Paths, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._paths = paths
        self._environ = environ
        self._children = Children()
        self._slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(1, AT_ONCE + 1):
            self._slots.put(slot)

    def due(self, pipeline: Pipeline, name: str) -> str:
        """Why a model should write a session's checkpoint now; "" when it should not, or may not."""
        store = pipeline.store
        session = store.session(name)
        if session is None or session.parent is not None or session.tokens is None:
            return ""
        tool, runs, boundaries = named(session.tool), store.judging.runs(name), store.boundaries(name)
        window = session.window or tool.window(session.model)
        threshold = tool.threshold(window) or (window - due.RESERVE if window else 0)
        if tool.writer is None or threshold <= 0 or self._left(pipeline).runs <= 0 or self._left(pipeline).tokens <= 0:
            return ""
        if due.resting(runs, boundaries, store.judging.taken_up(name)):
            return ""
        fill = session.tokens + _since(pipeline, session)
        settings = self._settings
        start = min(int(settings.checkpoint.at * threshold), settings.checkpoint.price_step or threshold)
        return due.trigger(fill, threshold, start, session.messages, runs, boundaries)

    def open(self, pipeline: Pipeline, name: str, trigger: str) -> Job:
        """Prepare a run, and enter it.

        Raises:
            NotFound: there is nothing to write about.
            Refused: the tool's own model cannot write or does already, the person's own request is no good, a cap is reached.
        """
        left = self._left(pipeline)
        if left.runs <= 0 or left.tokens <= 0:
            caps = f"{self._settings.checkpoint.runs_per_day} runs, {self._settings.checkpoint.tokens_per_day:,} input tokens"
            raise Refused(
                f"the caps of a day are reached ({caps}): checkpoint.runs_per_day and .tokens_per_day set them"
            )
        work = pipeline.reviser.prepare(name)
        if work is None:
            raise NotFound(f"{name}: nothing is recorded that a checkpoint could be written of")
        scribe = named(work.session.tool).writer
        if scribe is None:
            raise Refused(f"{work.session.tool}'s own model cannot write a checkpoint in this version")
        asked = texts(self._paths)
        if any(run.outcome == "running" for run in pipeline.store.judging.runs(name)):
            raise Refused(f"{name}: a model is writing its checkpoint already")
        key = pipeline.store.judging.start_run(Run(name, work.session.tool, wall_clock(), work.upto))
        return Job(key, work, trigger, scribe, left, asked, self._warm(work.session, scribe, left))

    def _warm(self, session: Session, scribe: Scribe, left: Spent) -> bool:
        """Whether a fork costs little: all that it sends was sent a moment ago, and the day's caps allow it every round."""
        asked = session.last_at or 0
        fits = session.tokens is not None and session.tokens * (ROUNDS + 1) <= left.tokens
        own = self._settings.checkpoint.model is None
        return own and fits and wall_clock() - asked < scribe.warm(session) * 1000

    def write(self, job: Job) -> Revision:
        """Let the model write. Takes minutes; never raises for what it does."""
        slot = self._slots.get()
        try:
            session = job.work.session
            agent = Agent(
                job.scribe,
                self._children,
                self._paths.state / "writing" / str(slot),
                self._environ,
                cwd=session.cwd,
                model=self._settings.checkpoint.model or session.model,
                fork=session.native,
            )
            digests = job.work.digests(fork=job.fork)
            return revise(session, job.work.given, digests, _Capped(agent, job.left), job.texts, tokens)
        finally:
            self._slots.put(slot)

    def close(self, pipeline: Pipeline, job: Job, made: Revision) -> Outcome:
        """Use what was made if it still fits; enter what it cost."""
        name, store = job.work.session.id, pipeline.store
        unfit = pipeline.reviser.fits(job.work)
        outcome = _outcome(made, unfit)
        problems = made.problems
        if unfit and (not made.empty or store.session(name) is None):  # of a session that is gone nothing is quoted
            problems = (Problem("run", unfit, "what it wrote is not used"),)
        checkpoint = store.checkpoints.current(name)
        if outcome == "written":
            checkpoint = pipeline.reviser.adopt(job.work, made, NAME, job.trigger)
            store.judging.tell(name, made.upto)
            pipeline.finish(name)
        elif checkpoint is not None:
            store.checkpoints.note(name, problems)
        store.judging.end_run(job.key, made.tokens, outcome, problems)
        for _ in range(1, made.runs):
            store.judging.start_run(Run(name, job.work.session.tool, wall_clock(), job.work.upto, outcome="repair"))
        return Outcome(outcome, checkpoint.number if checkpoint else None, problems)

    def abandon(self, pipeline: Pipeline, job: Job) -> None:
        """Nothing will come of it any more: it no longer keeps another from beginning."""
        pipeline.store.judging.end_run(job.key, 0, "lost")

    def stop(self) -> None:
        """End every run; none is started any more."""
        self._children.close()

    def _left(self, pipeline: Pipeline) -> Spent:
        spent = pipeline.store.judging.spent(wall_clock() - DAY)
        return Spent(
            self._settings.checkpoint.runs_per_day - spent.runs, self._settings.checkpoint.tokens_per_day - spent.tokens
        )


def _outcome(made: Revision, unfit: str) -> str:
    if made.empty:
        return "failed" if made.runs else "unstarted"
    return "dropped" if unfit else "written"


class _Capped:
    """An author that is not asked again when the day's caps are reached."""

    def __init__(self, author: Author, left: Spent) -> None:
        self.name = author.name
        self._author = author
        self._left = left

    def work(self, task: Task) -> Work:
        if self._left.runs <= 0 or self._left.tokens <= 0:
            return Work(task.mind, task.memo, fault="the caps of a day are reached", ran=False)
        work = self._author.work(task)
        self._left = replace(self._left, runs=self._left.runs - 1, tokens=self._left.tokens - work.tokens)
        return work


def texts(paths: Paths) -> Texts:
    """The requests: the person's own, where they lie beside the settings, else those of the package.

    Raises Refused for one that lacks what every run needs.
    """
    folder = paths.config.parent / "requests"
    found = Texts(*(_text(folder, name) for name in NEEDED))
    for name, gone in lacking(found).items():
        raise Refused(f"{folder / name} lacks {' and '.join(gone)}: put it in, or take the file away")
    return found


def _text(folder: Path, name: str) -> str:
    own = files.read_bytes_or_none(folder / name)
    return (own if own is not None else assets.read("requests", name)).decode("utf-8", "replace")


def _since(pipeline: Pipeline, session: Session) -> int:
    """Tokens, roughly, of what came after the agent's last words, which the last usage does not count."""
    last = pipeline.store.messages(session.id, channels={Channel.AGENT_TEXT}, last=1)
    newer = pipeline.store.messages(session.id, after=last[-1].number if last else 0, last=50)
    return sum(len(record.text.encode("utf-8", "surrogatepass")) for record in newer) // _BYTES_A_TOKEN
