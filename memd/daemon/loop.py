"""`memd run`: one daemon a state directory, from its lock to its last breath.

The lock decides who runs, never a pid file; where it or the record is taken away under the daemon, it starts afresh in place.
The worker thread owns the record; the event loop answers hooks; the watcher
hints. SIGTERM and SIGINT end it cleanly, SIGHUP reads the settings again by starting afresh in place; settings that cannot
be read change nothing. A worker that ends by a defect ends the daemon: the service manager starts a sound one.
"""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog
from msgspec import to_builtins

from memd import __version__, config
from memd.config import Config, Paths
from memd.daemon import diary, steps
from memd.daemon.answers import Answers
from memd.daemon.controls import Controls
from memd.daemon.desk import Desk
from memd.daemon.foresight import look_through
from memd.daemon.forgetting import daily
from memd.daemon.jobs import Urgency
from memd.daemon.notify import notify, watchdog_interval
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.daemon.place import LOOK, Place
from memd.daemon.roots import Roots
from memd.daemon.setup.hook import refresh_hook
from memd.daemon.setup.repair import renew
from memd.daemon.setup.standing import standing
from memd.daemon.signals import Signals
from memd.daemon.socket import Server
from memd.daemon.sole import alone
from memd.daemon.statusline import StatusLine
from memd.daemon.thrift import tune_heap
from memd.daemon.troubles import Troubles
from memd.daemon.worker import Worker
from memd.daemon.writing import Writing
from memd.errors import ConfigError, MemdError, RecordDamaged, RecordGone, Refused, told
from memd.store import Store
from memd.store.aside import lately_set_aside, set_aside
from memd.store.folders import Folders
from memd.tail.watch import Watcher
from memd.tools.registry import enabled
from memd.writers.agent import NAME as AGENT

log = structlog.get_logger()

SWITCH = 0.001
"""Seconds for which a thread may keep the interpreter while another waits: a hook's answer takes it several times, and the
worker is busy for long (Python's own 5 ms is the wait each time: measured beside a busy thread: 5.2 ms against 1.2 ms)."""
FRESH = 600.0
"""Seconds since its last change within which a transcript is live; an older one waits for the backfill."""


def run(environ: Mapping[str, str]) -> None:
    """Be the daemon until a signal ends it.

    Raises:
        Refused: another daemon runs on this state directory.
        ConfigError: the settings cannot be read.
    """
    chosen, paths = config.load(environ)
    lock = alone(paths)
    if lock is None:
        raise Refused(f"a daemon already runs on {paths.state}; `memd status` shows it")
    sys.setswitchinterval(SWITCH)
    tune_heap()
    try:
        asyncio.run(_live(chosen, Place(paths, lock), paths, environ))
    finally:
        lock.release()


async def _live(chosen: Config, place: Place, paths: Paths, environ: Mapping[str, str]) -> None:
    signals = Signals()
    again: Config | None = chosen
    lost = ""
    while again is not None:
        diary.begin(again)
        try:
            again, lost = await Daemon(again, paths, environ, signals, place, lost).live(), ""
        except RecordDamaged as error:
            folder = set_aside(paths.state / "memd.db", wall_clock())
            log.warning("record set aside", why=str(error), folder=str(folder))
        except RecordGone as error:
            lost = str(error)
            log.warning("record gone", why=lost)
            place.take_again()


def _journal(name: str, pipeline: Pipeline) -> None:
    pipeline.journalling.step(name)


class Daemon:
    """Everything that lives while the daemon does."""

    def __init__(
        self, chosen: Config, paths: Paths, environ: Mapping[str, str], signals: Signals, place: Place, lost: str
    ) -> None:
        self._settings = chosen
        self._paths = paths
        self._environ = environ
        self._signals = signals
        self._place = place
        self._since = int(time.time() * 1000)
        self._troubles = Troubles()
        if lost:
            self._troubles.tell(lost)
        self._tools = enabled(chosen.tools, paths.config)
        self._rebuilding = lately_set_aside(paths.state, time.time())
        self._worker = Worker(self._open, self._turn, self._troubles.tell)
        self._roots = roots = Roots(self._tools, paths, environ)
        self._watcher = Watcher(roots.folders(), roots.wanted, roots.enters, self._hint, waits=self._worker.waits)
        self._reading: Store | None = None
        self._answers = Answers(
            self._worker, Folders(paths.state), chosen, self._reader, self._watcher.activate, self._trouble
        )
        self._desk = Desk(
            Writing(chosen, paths, environ), self._worker, self._trouble, automatic=chosen.checkpoint.writer == AGENT
        )
        self._worker.refreshes.refreshed = self._desk.look
        look = partial(standing, paths, environ)
        self._answers.status_line = StatusLine(self._worker, self._reader, look, self._about, chosen)
        self._answers.controls = Controls(self._worker, self._about, self._desk).table()
        self._server = Server(paths.socket, self._answers, lambda error: self._trouble(told(error)))
        self._watching = False

    def _open(self) -> Pipeline:
        """The record, with what a damaged one before it knew of forgotten sessions before anything is read."""
        pipeline = Pipeline(self._settings, self._paths, trouble=self._unwritten, strange=self._trouble)
        for name in pipeline.store.rescue():
            self._trouble(f"the list of {name} sessions could not be taken over from the record that was damaged")
        return pipeline

    async def live(self) -> Config | None:
        """Run until a signal; the fresh settings to start again with, None for the end.

        Raises:
            Refused: a newer memd wrote the record, or the socket's folder is another user's.
            StoreTrouble: the record cannot be opened.
            RecordGone: the record is not where it was.
        """
        self._worker.start()
        await asyncio.wrap_future(self._worker.ready)
        self._place.settle()
        try:
            self._refresh_hook()
            await self._server.start()
            self._watcher.start()
            self._watching = True
            self._reader()  # no hook shall wait until it is open
            self._worker.submit(Urgency.COMMAND, self._catch_up)
            watched = {tool.name: [str(root) for root in tool.place(self._environ).roots] for tool in self._tools}
            log.info("running", version=__version__, pid=os.getpid(), socket=str(self._paths.socket), watching=watched)
            notify("READY=1")
            keeping = asyncio.create_task(daily(self._worker, self._settings.keep_days))
            try:
                return await self._until_over()
            finally:
                keeping.cancel()
        finally:
            notify("STOPPING=1")
            await self._stop()

    async def _stop(self) -> None:
        if self._watching:
            await asyncio.to_thread(self._watcher.stop)
        await self._server.stop()
        await asyncio.to_thread(self._desk.stop)
        self._worker.stop()
        await asyncio.to_thread(self._worker.join)
        if self._reading is not None:
            self._reading.close()
        log.info("stopped")

    async def _until_over(self) -> Config | None:
        """Wait for a signal; meanwhile tell the service manager that the worker still takes jobs, and look after the record."""
        interval, ended = watchdog_interval(), asyncio.wrap_future(self._worker.ended)
        while True:
            await self._signals.wait(ended, min(LOOK, interval or LOOK))
            if ended.done():
                ended.result()
                return None
            if self._signals.over:
                return None
            if self._signals.again:
                if (fresh := self._read_again()) is not None:
                    return fresh
            elif interval is not None:
                await self._beat(interval)
            self._place.check()

    async def _beat(self, interval: float) -> None:
        try:
            await asyncio.wait_for(steps.run(self._worker, Urgency.HOOK, lambda _: None), interval)
        except TimeoutError:
            self._trouble("the worker takes no jobs")
        else:
            notify("WATCHDOG=1")

    def _read_again(self) -> Config | None:
        """The settings as they are now; None, and a trouble, where they cannot be read: then the old ones hold."""
        self._signals.begin()
        try:
            fresh = config.read(self._paths.config)
            enabled(fresh.tools, self._paths.config)
        except ConfigError as error:
            self._trouble(f"the settings stay as they were: {error}")
            return None
        return fresh

    def _trouble(self, text: str) -> None:
        if self._troubles.tell(text):
            log.warning("trouble", what=text)

    def _unwritten(self, error: OSError) -> None:
        """From the worker's thread."""
        self._trouble(f"what is kept of the project waits: {error.filename or ''}: {error.strerror or error}")

    def _refresh_hook(self) -> None:
        """Without it the hooks of the last start are still there, or `memd status` says that they are not."""
        try:
            refresh_hook(self._paths)
        except (OSError, MemdError) as error:
            self._trouble(f"the hook's file could not be brought up to date: {error}")
        try:
            for path in renew(self._paths, self._environ):
                log.info("renewed", path=str(path))
        except (OSError, MemdError) as error:
            self._trouble(f"memd's own files among the agents' settings could not be brought up to date: {error}")

    def _catch_up(self, pipeline: Pipeline) -> None:
        """What a crash, or the time without a daemon, left undone: checkpoints behind their record, transcripts deleted."""
        self._worker.submit(Urgency.COMMAND, Pipeline.prepare)
        for age, name in enumerate(pipeline.unfinished()):
            self._worker.refresh(name, Urgency.BACKFILL, age)
        for name in pipeline.journalling.behind():
            self._worker.submit(Urgency.BACKFILL, partial(_journal, name))
        self._worker.submit(Urgency.BACKFILL, lambda pipeline: pipeline.journalling.catch_up())
        for tool, path in pipeline.missing():
            self._worker.hint(tool, path, Urgency.BACKFILL)
        self._worker.submit(Urgency.LAST, partial(look_through, self._worker, time.time() - FRESH))

    def _reader(self) -> Store:
        """A read-only view of the record for the event loop's thread."""
        if self._reading is None:
            self._reading = Store.open(self._paths.state / "memd.db", readonly=True)
        return self._reading

    def _about(self) -> dict[str, Any]:
        have, want = self._watcher.watches()
        return {
            "running": True,
            "pid": os.getpid(),
            "version": __version__,
            "since": self._since,
            "socket": str(self._paths.socket),
            "watches": {"have": have, "want": want},
            "queue": self._worker.depth(),
            "waiting": [to_builtins(one) for one in self._worker.held()],
            "errors": [*self._troubles.lines(), *self._watcher.problems()],
        }

    def _hint(self, path: str) -> None:
        """From the watcher's threads."""
        tool = self._roots.owner(path)
        if tool is None:
            return
        try:
            changed = os.stat(path).st_mtime  # noqa: PTH116 - of every transcript at the start
        except OSError:
            changed = time.time()  # gone: the reader notes it
        if (turn := self._turn(changed)) is not None:
            self._worker.hint(tool, path, *turn)

    def _turn(self, changed: float) -> tuple[Urgency, float] | None:
        """A live transcript is read at once, an old one when there is time, newest first; one that is too old is not.

        Unless the record was lost: then it is made again from all that is still there.
        """
        age = time.time() - changed
        if age <= FRESH:
            return Urgency.LIVE, 0.0
        wanted = self._rebuilding or age <= self._settings.backfill_days * 86_400
        return (Urgency.BACKFILL, age) if wanted else None
