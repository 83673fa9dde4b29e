"""`memd run`: one daemon a state directory, from its lock to its last breath.

The lock decides who runs, never a pid file. The worker thread owns the record; the event loop answers hooks; the watcher
hints. SIGTERM and SIGINT end it cleanly, SIGHUP reads the settings again by starting afresh in place.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from memd import __version__, config, files
from memd.config import Config, Paths
from memd.daemon.answers import Answers
from memd.daemon.notify import notify, watchdog_interval
from memd.daemon.pipeline import Pipeline, tool_named
from memd.daemon.setup.hook import refresh_hook
from memd.daemon.socket import Server
from memd.daemon.worker import Urgency, Worker
from memd.errors import Refused
from memd.store import Store
from memd.store.folders import Folders
from memd.tail.watch import Watcher
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS

log = structlog.get_logger()

FRESH = 600.0
"""Seconds since its last change within which a transcript is live; an older one waits for the backfill."""
ERRORS = 20
"""The newest troubles that `memd status` shows."""


def run(environ: Mapping[str, str]) -> None:
    """Be the daemon until a signal ends it.

    Raises:
        Refused: another daemon runs on this state directory.
        ConfigError: the settings cannot be read.
    """
    settings, paths = config.load(environ)
    files.private_dir(paths.state)
    lock = files.Lock(paths.state / "memd.lock")
    if not lock.acquire():
        raise Refused(
            f"a daemon already runs on {paths.state} (pid {lock.holder() or 'unknown'}); `memd status` shows it"
        )
    try:
        _log_to(settings)
        while asyncio.run(Daemon(settings, paths, environ).live()):
            settings, paths = config.load(environ)
    finally:
        lock.release()


def _log_to(settings: Config) -> None:
    """One line an event on stderr, which the service manager keeps."""
    level = logging.getLevelNamesMapping()[settings.log.level.upper()]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=open(2, "w", buffering=1, closefd=False)),  # noqa: SIM115
    )


class Daemon:
    """Everything that lives while the daemon does."""

    def __init__(self, settings: Config, paths: Paths, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._paths = paths
        self._since = int(time.time() * 1000)
        self._errors: list[str] = []
        self._tools = [tool for tool in TOOLS.values() if not settings.tools or tool.name in settings.tools]
        self._roots = [root for tool in self._tools for root in tool.place(environ).roots]
        self._worker = Worker(partial(Pipeline, settings, paths), self._trouble)
        self._watcher = Watcher(self._roots, self._wanted, self._hint)
        self._reading: Store | None = None
        self._answers = Answers(self._worker, Folders(paths.state), settings, self._reader)
        self._server = Server(
            paths.socket, self._answers, lambda error: self._trouble(f"{type(error).__name__}: {error}")
        )
        self._over = asyncio.Event()
        self._again = False
        self._watching = False

    async def live(self) -> bool:
        """Run until a signal; whether to start again with fresh settings."""
        self._listen_to_signals()
        self._answers.controls = {
            "ping": self._ping,
            "status": self._status,
            "ingest": self._ingest,
            "checkpoint": self._checkpoint,
        }
        self._worker.start()
        await asyncio.wrap_future(self._worker.ready)
        try:
            refresh_hook(self._paths)
            await self._server.start()
            self._watcher.start()
            self._watching = True
            log.info("running", version=__version__, pid=os.getpid(), socket=str(self._paths.socket))
            notify("READY=1")
            await self._beat()
        finally:
            notify("STOPPING=1")
            await self._stop()
        return self._again

    async def _stop(self) -> None:
        if self._watching:
            self._watcher.stop()
        await self._server.stop()
        self._worker.stop()
        await asyncio.to_thread(self._worker.join)
        if self._reading is not None:
            self._reading.close()
        log.info("stopped")

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._over.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload)

    def _reload(self) -> None:
        self._again = True
        self._over.set()

    async def _beat(self) -> None:
        """Wait for the end; meanwhile tell the service manager that the worker still takes jobs."""
        interval = watchdog_interval()
        while not self._over.is_set():
            try:
                await asyncio.wait_for(self._over.wait(), interval or 3600)
            except TimeoutError:
                if interval is not None and self._worker.is_alive():
                    notify("WATCHDOG=1")

    def _trouble(self, text: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._errors = [*self._errors, f"{stamp} {text}"][-ERRORS:]

    def _reader(self) -> Store:
        """A read-only view of the record for the event loop's thread."""
        if self._reading is None:
            self._reading = Store.open(self._paths.state / "memd.db", readonly=True)
        return self._reading

    def _wanted(self, path: str) -> bool:
        return self._owner(Path(path)) is not None

    def _owner(self, path: Path) -> Tool | None:
        return next((tool for tool in self._tools if tool.wanted(path)), None)

    def _hint(self, path: Path) -> None:
        """From the watcher's threads: a live transcript is read at once, an old one when there is time, newest first."""
        tool = self._owner(path)
        if tool is None:
            return
        try:
            changed = path.stat().st_mtime
        except OSError:
            changed = time.time()  # gone: the reader notes it
        age = time.time() - changed
        if age <= FRESH:
            self._worker.hint(tool, path, Urgency.LIVE)
        elif age <= self._settings.backfill_days * 86_400:
            self._worker.hint(tool, path, Urgency.BACKFILL, order=age)

    # What the command line asks.

    async def _ping(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"version": __version__, "pid": os.getpid()}

    async def _status(self, _: Mapping[str, Any]) -> dict[str, Any]:
        have, want = self._watcher.watches()
        return {
            "running": True,
            "pid": os.getpid(),
            "version": __version__,
            "since": self._since,
            "socket": str(self._paths.socket),
            "watches": {"have": have, "want": want},
            "queue": self._worker.depth(),
            "errors": [*self._errors, *self._watcher.problems()],
        }

    async def _ingest(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        paths = [Path(path) for path in asked.get("paths", [])]
        tool = tool_named(asked.get("tool"))
        job = self._worker.submit(Urgency.COMMAND, lambda pipeline: list(pipeline.ingest(paths, tool)))
        return {"sessions": await asyncio.wrap_future(job)}

    async def _checkpoint(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        name = str(asked.get("session"))
        job = self._worker.submit(Urgency.COMMAND, lambda pipeline: pipeline.checkpoint(name))
        made = await asyncio.wrap_future(job)
        return {"number": made.number if made else None}
