"""Hints: "look at this file". Three sources, each for what the others miss.

- Events of the operating system, in a millisecond: on the roots and on the directories from a root down to a file that
  is active. A new directory is watched before it is listed, so that no file falls in between.
- A look at each active file every second: where events do not come (network mounts, too few watches).
- A sweep over everything (`sweep.due`): at the start, after an overflow, after sleep, when a root was made anew.

A hint promises nothing: it may come twice, late, or for a file that is gone. Whoever gets it reads from a cursor.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from pathlib import Path

from watchdog.events import FileSystemEvent

from memd.errors import told
from memd.tail.active import HOT_FOR, MOST_DIRECTORIES, MOST_HOT, Active
from memd.tail.kernel import Watches
from memd.tail.seen import Seen, state_of
from memd.tail.sweep import ASLEEP, due, sweep

TICK = 1.0  # seconds between looks at the active files
MOST_FRESH = 128  # new directories looked into at once; if more come, a sweep finds what is in them


def clock() -> float:
    """Seconds that never step and that count the time the machine slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Watcher:
    """Calls `on_hint(path)`, a text, whenever a wanted file may have changed, appeared or gone.

    `wanted(path)` decides by the path alone, as `enters(path)` does for directories below a root. `on_hint` is called from
    two threads, also at the same time; it has to be quick (put the path into a queue) and must not raise. The first sweep
    gives a hint for every wanted file.
    `waits(path)`: whether a hint was given that nobody followed yet. Then an event more is let go at once: in a storm watchdog
    queues them without end, some 500 bytes each, and who has not looked yet will see what it tells.
    All methods can be called from any thread; `start` and `stop` once.
    """

    def __init__(
        self,
        roots: Iterable[Path],
        wanted: Callable[[str], bool],
        enters: Callable[[str], bool],
        on_hint: Callable[[str], None],
        *,
        waits: Callable[[str], bool] = lambda _: False,
        most_directories: int = MOST_DIRECTORIES,
    ) -> None:
        self._roots = [os.fspath(root) for root in roots]
        self._wanted = wanted
        self._enters = enters
        self._on_hint = on_hint
        self._waits = waits
        self._kernel = Watches(self._on_event, self.sweep_soon)
        self._thread = threading.Thread(target=self._run, name="memd-watch", daemon=True)
        self._wake = threading.Event()
        self._stopping = False
        self._sweep_asked = True
        self._unreadable: tuple[str, ...] = ()
        self._looked = 0.0  # when the active files were looked at last
        self._fresh: deque[str] = deque()  # directories that just appeared
        self._lock = threading.Lock()  # for the two below
        self._active = Active(self._roots, most_directories)
        self._seen = Seen()

    def start(self) -> None:
        """Start watching; the first sweep begins at once, in the watcher's thread."""
        self._kernel.start()
        self._thread.start()

    def stop(self) -> None:
        """End the threads; no hint comes after this."""
        self._stopping = True
        self._wake.set()
        self._thread.join()
        self._kernel.stop()

    def activate(self, path: Path) -> None:
        """A client works on this file: look at it each second, watch its directory, sweep often."""
        with self._lock:
            self._active.touch(os.fspath(path), clock())

    def sweep_soon(self) -> None:
        """Sweep at the next opportunity, whatever the time."""
        self._sweep_asked = True
        self._wake.set()

    def watches(self) -> tuple[int, int]:
        """How many directories are watched, and how many should be."""
        return self._kernel.count()

    def problems(self) -> tuple[str, ...]:
        """What is wrong now, a line each. Files are still found by looking and by sweeps, unless the thread died."""
        died = () if self._thread.is_alive() or self._stopping else ("watching has ended: a defect",)
        return (*died, *self._kernel.problems(), *self._unreadable)

    # What the watcher's own thread does

    def _run(self) -> None:
        began = swept = ticked = clock()
        cost = 0.0
        while not self._stopping:
            self._keep_watches()
            now = clock()
            if now - ticked >= ASLEEP:  # whoever opens a laptop goes on working
                began = now
            if self._sweep_asked or due(now, self._active.last, swept, ticked, began=began, cost=cost):
                before = time.thread_time()
                self._sweep()
                cost, now = time.thread_time() - before, clock()
                swept = now
                self._keep_watches()  # what it found active is told of at once, not from the next round on
            self._look_at_hot(now)
            ticked = self._looked = now
            self._wake.wait(TICK)
            self._wake.clear()
            self._adopt()

    def _keep_watches(self) -> None:
        """Watch what is active now, and look for what came before the watch."""
        with self._lock:
            directories = self._active.directories()
        for directory in self._kernel.keep(directories):
            if directory in self._roots:
                self._sweep_asked = True
            else:
                self._list(directory)

    def _sweep(self) -> None:
        self._sweep_asked = False
        errors: list[str] = []
        visited, fresh = set[str](), list[tuple[float, str]]()
        folder, met = "", set[str]()  # the directory whose files come now, and those of them that were compared
        found: dict[str, os.stat_result] = {}  # and those that were not

        def between() -> bool:
            """After each directory or link: a long sweep holds up neither what is active, as far as it is found, nor the end."""
            if (now := clock()) - self._looked >= TICK:
                self._looked = now
                self._compare(folder, found, met, fresh)
                self._note_active(fresh)
                self._keep_watches()
                self._look_at_hot(now)
            return not self._stopping

        def through() -> None:
            """All of a directory came: what did not is looked at, each once."""
            visited.add(folder)
            self._compare(folder, found, met, fresh)
            self._look_at_others(folder, met)
            met.clear()

        for file in sweep(self._roots, self._wanted, self._enters, lambda error: errors.append(told(error)), between):
            place, name = os.path.split(file.path)
            if place != folder:
                through()
                folder = place
            found[name] = file.status
        if self._stopping:
            return
        through()
        self._unreadable = tuple(errors)
        self._note_active(fresh)
        with self._lock:
            left = [folder for folder in self._seen.folders() if folder not in visited]
        for folder in left:
            self._look_at_others(folder, met)

    def _note_active(self, fresh: list[tuple[float, str]]) -> None:
        with self._lock:
            for changed, path in sorted(fresh):  # the latest last: they stay active longest
                self._active.touch(path, changed)
        fresh.clear()

    def _compare(
        self, folder: str, found: dict[str, os.stat_result], met: set[str], fresh: list[tuple[float, str]]
    ) -> None:
        """Hint at the files of a directory that are not as they were; `fresh` takes the last that changed. `found` goes to `met`.

        A file that changed long ago is none that a client works on: the first sweep finds thousands of them.
        """
        with self._lock:
            changed = self._seen.update(folder, {name: state_of(status) for name, status in found.items()})
        now, ticks = time.time(), clock()
        for name in changed:
            path = os.path.join(folder, name)  # noqa: PTH118 - of every file
            age = max(0.0, now - found[name].st_mtime)
            if age < HOT_FOR:
                heappush(fresh, (ticks - age, path))
                if len(fresh) > MOST_HOT:
                    heappop(fresh)
            self._on_hint(path)
        met.update(found)
        found.clear()

    def _look_at_others(self, folder: str, met: set[str]) -> None:
        """Hint at the known files of a directory that were not met and are gone, or not as they were."""
        with self._lock:
            others = [name for name in self._seen.names(folder) if name not in met]
        for name in others:
            self._look(os.path.join(folder, name))  # noqa: PTH118 - of every file

    def _look_at_hot(self, now: float) -> None:
        with self._lock:
            hot = self._active.files(now)
        for path in hot:
            self._look(path)

    def _adopt(self) -> None:
        """Watch new directories, then those in them, level by level, each before it is listed."""
        while self._fresh:
            level = [self._fresh.popleft() for _ in range(len(self._fresh))]
            with self._lock:
                for directory in level:
                    self._active.remember(directory)
            self._keep_watches()
            if len(level) > MOST_FRESH:
                self.sweep_soon()
                level = []
            for directory in level:
                self._fresh.extend(self._list(directory))

    def _list(self, directory: str) -> list[str]:
        """Compare the files of one directory; the directories in it."""
        try:
            with os.scandir(directory) as listed:
                entries = list(listed)
        except OSError:  # gone again, or unreadable: the sweep tells which
            return []
        for entry in entries:
            if self._wanted(entry.path) and _is_file(entry):
                self._look(entry.path)
        return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False) and self._enters(entry.path)]

    def _look(self, path: str) -> None:
        """Hint if the file is not as it was last seen."""
        state = _state(path)
        with self._lock:
            changed = self._seen[path] != state
            if changed:
                self._record(path, state)
        if changed:
            self._on_hint(path)

    # What watchdog's thread does

    def _on_event(self, event: FileSystemEvent) -> None:
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory:
            if self._enters(paths[-1]):
                self._fresh.append(paths[-1])
                self._wake.set()
            return
        for path in paths:
            if self._waits(path) or not self._wanted(path):
                continue
            with self._lock:
                self._record(path, _state(path))
            self._on_hint(path)

    def _record(self, path: str, state: int) -> None:
        """Note how a file is now; one that is gone is no client's sign of life."""
        self._seen.put(path, state)
        if state:
            self._active.touch(path, clock())
        else:
            self._active.forget(path)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


def _state(path: str) -> int:
    """A number that changes when the file does; 0 when it is not there."""
    try:
        return state_of(os.stat(path))  # noqa: PTH116 - hundreds of times a second: a Path of each costs more than the look
    except OSError:
        return 0
