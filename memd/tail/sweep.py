"""Every file under the roots, and when it is time to look again.

Events get lost (a full queue, a network mount, too few watches); the sweep is what nothing escapes. It follows links,
because people link their profiles together, but enters a directory and counts a file once, by (device, inode). What is
reached through links comes last: where a file has two paths, the real one is named.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from errno import ELOOP, ENOENT, ENOTDIR
from typing import NamedTuple

ACTIVE = 10.0  # seconds between sweeps while a client is active
IDLE = 300.0  # and at most, when nothing has happened for hours
AT_WORK = 60.0  # seconds after its last sign of life for which a client is active, whatever a sweep costs
SHARE = 1000  # later sweeps take at most one part in so many of a core
ASLEEP = 5.0  # seconds between two ticks of a second that mean the machine, or this process, stood still

_GONE = {ENOENT, ENOTDIR, ELOOP}  # deleted meanwhile, or a link to nowhere


class Found(NamedTuple):
    """One file: its path, and what tells whether it is as it was."""

    path: str
    status: os.stat_result


def due(now: float, last_activity: float, last_sweep: float, last_tick: float, *, began: float, cost: float) -> bool:
    """Whether to sweep; all in seconds of one clock that never steps and counts sleep (`watch.clock`), but for `cost`.

    Every 10 s while a client is active. A minute after its last sign of life the interval may be longer, by the `cost` of the
    last sweep (seconds of processor time: 8 ms for a thousand files); ten minutes after it, or after what `began` last (the
    daemon, or a day of the machine's), it starts to grow, to 5 min after five hours. A tick that came late means that the machine
    slept: events may be lost.
    """
    interval = ACTIVE
    if now - last_activity >= AT_WORK:
        interval = min(IDLE, max(ACTIVE, cost * SHARE, (now - max(last_activity, began)) / 60))
    return now - last_sweep >= interval or now - last_tick >= ASLEEP


def sweep(
    roots: Iterable[str],
    wanted: Callable[[str], bool],
    enters: Callable[[str], bool] = lambda _: True,
    on_error: Callable[[OSError], None] = lambda _: None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Iterator[Found]:
    """All regular files under `roots` whose path is `wanted`, each once.

    Those of one directory come one after the other; those that links lead to come later, by the links' directory too.
    A directory below a root is looked into if `enters` says so. `goes_on` is asked before each: where links lead to large
    trees, or a mount is slow, a sweep is long.

    What is not there (a root, a file deleted meanwhile, a link to nowhere) is not an error. What cannot be read is
    given to `on_error`, and the sweep goes on.
    """
    walk, top = _Walk(list(roots), wanted), set(roots)
    while (waiting := walk.directories or walk.links or walk.linked) and goes_on():
        path, linked = waiting.pop(), waiting is walk.links
        if path not in top and not (enters(path) or wanted(path)):
            continue
        try:
            yield from walk.follow(path) if linked else walk.look(path)
        except OSError as error:
            if error.errno not in _GONE:
                on_error(error)


class _Walk:
    """What is still to be looked at, and what was.

    Nothing is held of a plain file: it is met once, in its directory. Only where several names or links may lead to one, it is
    remembered; and a link's end was met, if the directory was listed in which it lies.
    """

    def __init__(self, roots: list[str], wanted: Callable[[str], bool]) -> None:
        self.directories, self.links = roots, list[str]()
        self.linked = list[str]()  # directories that links lead to: after all files that do
        self._wanted = wanted
        self._entered: dict[tuple[int, int], str] = {}  # each directory, by the path under which it was listed
        self._counted = set[tuple[int, int]]()

    def look(self, path: str) -> Iterator[Found]:
        """The files that `path` holds, or is; what else it holds goes to `directories` and `links`."""
        status = os.stat(path)  # noqa: PTH116 - a Path keeps the names of all files that there ever were
        identity = status.st_dev, status.st_ino
        if stat.S_ISREG(status.st_mode) and self._wanted(path) and not self._was_met(path, status):
            self._counted.add(identity)
            yield Found(path, status)
        if not stat.S_ISDIR(status.st_mode) or identity in self._entered:
            return
        self._entered[identity] = path
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_symlink():
                    self.links.append(entry.path)
                elif entry.is_dir():
                    self.directories.append(entry.path)
                elif entry.is_file() and self._wanted(entry.path):
                    yield from self._plain(entry)

    def follow(self, path: str) -> Iterator[Found]:
        """The file that a link leads to; a directory goes to `linked`."""
        if os.path.isdir(path):  # noqa: PTH112 - see above
            self.linked.append(path)
        else:
            yield from self.look(path)

    def _plain(self, entry: os.DirEntry[str]) -> Iterator[Found]:
        try:
            status = entry.stat()
        except FileNotFoundError:  # deleted since it was listed: the rest of its directory is still to come
            return
        identity = status.st_dev, status.st_ino
        if identity in self._counted:
            return
        if status.st_nlink > 1:
            self._counted.add(identity)
        yield Found(entry.path, status)

    def _was_met(self, path: str, status: os.stat_result) -> bool:
        if (status.st_dev, status.st_ino) in self._counted:
            return True
        folder, name = os.path.split(os.path.realpath(path))
        there = os.stat(folder)  # noqa: PTH116 - see above
        listed = self._entered.get((there.st_dev, there.st_ino))
        return listed is not None and self._wanted(os.path.join(listed, name))  # noqa: PTH118 - see above
