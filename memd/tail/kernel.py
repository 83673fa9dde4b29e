"""The operating system's watches on directories (inotify, through watchdog; on a Mac what watchdog takes there).

Measured with watchdog 7.1 on Linux, and the reason for each line here: recursive watches over thousands of directories
livelock, so every watch is for one directory; without a filter each of our own reads fires two events; an overflow of
the kernel's queue reaches no handler, only a logger; a directory that is deleted and made anew is never seen again; and
a watch that the kernel refuses without an error is noticed only by counting in /proc/self/fdinfo.

Each watch costs a thread inside watchdog (idle: no CPU), so callers cap their number.
"""

import errno
import logging
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

_FILTER: list[type[FileSystemEvent]] = [
    FileModifiedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
]
_LOGGER = logging.getLogger("watchdog.observers.inotify_c")
_SHORT = {
    errno.ENOSPC: "too few inotify watches: raise fs.inotify.max_user_watches",
    errno.EMFILE: "too few inotify instances or open files: raise fs.inotify.max_user_instances or the limit of files",
}


class Watches:
    """Watches on single directories; used by one thread, `count` and `problems` by any.

    `on_event` and `on_overflow` are called in watchdog's threads.
    """

    def __init__(self, on_event: Callable[[FileSystemEvent], None], on_overflow: Callable[[], None]) -> None:
        self._handler = _Handler(on_event)
        self._overflow = _Overflow(on_overflow)
        self._observer: BaseObserver | None = None
        self._held: dict[str, tuple[tuple[int, int], ObservedWatch]] = {}
        self._want = 0
        self._problems: tuple[str, ...] = ()

    def start(self) -> None:
        """Listen for overflows; watches are added by `keep`."""
        _LOGGER.addHandler(self._overflow)
        if not _LOGGER.isEnabledFor(logging.WARNING):  # a quiet log must not make overflows silent
            _LOGGER.setLevel(logging.WARNING)

    def stop(self) -> None:
        """Drop all watches and end watchdog's threads."""
        _LOGGER.removeHandler(self._overflow)
        self._held.clear()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def keep(self, directories: Iterable[str]) -> list[str]:
        """Watch these directories as far as they exist, and no others; those newly watched, or watched anew.

        The most important come first. A directory under the same path with another inode is watched anew. One inode is
        watched once. When the kernel has no more watches, the rest has to wait for the next call.
        """
        want: dict[tuple[int, int], str] = {}
        for path in directories:
            if identity := _identity(path):
                want.setdefault(identity, path)
        self._want = len(want)
        self._drop_all_but(want)
        problems: set[str] = set()
        new = [
            path for identity, path in want.items() if path not in self._held and self._add(path, identity, problems)
        ]
        self._problems = tuple(sorted(problems))
        return new

    def count(self) -> tuple[int, int]:
        """How many watches there are (as the kernel tells, where it does) and how many there should be."""
        have = len(self._held)
        kernel = _kernel_count()
        return have if kernel is None else min(have, kernel), self._want

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the watches now, a line each."""
        have, want = self.count()
        return self._problems or ((f"only {have} of {want} directories are watched",) if have < want else ())

    def _drop_all_but(self, want: dict[tuple[int, int], str]) -> None:
        if self._observer is None:
            return
        # An emitter ends when its directory is deleted; the directory made anew may have got the same inode.
        alive = {emitter.watch for emitter in list(self._observer.emitters) if emitter.should_keep_running()}
        for path, (identity, watch) in list(self._held.items()):
            if want.get(identity) != path or watch not in alive:
                del self._held[path]
                self._observer.unschedule(watch)

    def _add(self, path: str, identity: tuple[int, int], problems: set[str]) -> bool:
        if not problems.isdisjoint(_SHORT.values()):
            return False
        try:
            if self._observer is None:
                self._observer = _started()
            # follow_symlink: else a root that is a link would be watched as a link, and stay silent
            watch = self._observer.schedule(self._handler, path, event_filter=_FILTER, follow_symlink=True)
        except OSError as error:
            if error.errno != errno.ENOENT:  # deleted this moment
                problems.add(_SHORT.get(error.errno or 0, f"{path} cannot be watched: {error}"))
            return False
        self._held[path] = (identity, watch)
        return True


class _Handler(FileSystemEventHandler):
    def __init__(self, on_event: Callable[[FileSystemEvent], None]) -> None:
        self._on_event = on_event

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._on_event(event)


class _Overflow(logging.Handler):
    """watchdog tells an overflow of the kernel's queue to its logger and to nobody else."""

    def __init__(self, on_overflow: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_overflow = on_overflow

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage():
            self._on_overflow()


def _started() -> "BaseObserver":
    observer = Observer()
    observer.start()
    return observer


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - of each watched directory, each second
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None  # a file may have taken its name


def _kernel_count() -> int | None:
    """The inotify watches of this process; None where the kernel does not tell."""
    try:
        descriptors = list(Path("/proc/self/fdinfo").iterdir())
    except OSError:
        return None
    return sum(_watches_of(descriptor) for descriptor in descriptors)


def _watches_of(descriptor: Path) -> int:
    try:
        return descriptor.read_bytes().count(b"inotify wd:")
    except OSError:  # closed meanwhile
        return 0
