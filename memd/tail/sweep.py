"""Every file under the roots, and when it is time to look again.

Events get lost (a full queue, a network mount, too few watches); the sweep is what nothing escapes. It follows links,
because people link their profiles together, but enters a directory and counts a file once, by (device, inode). What is
reached through links comes last: where a file has two paths, the real one is named.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from errno import ELOOP, ENOENT, ENOTDIR
from pathlib import Path

ACTIVE = 10.0  # seconds between sweeps while a client is active
IDLE = 300.0  # and at most, when nothing has happened for hours
ASLEEP = 5.0  # seconds between two ticks of a second that mean the machine, or this process, stood still

_GONE = {ENOENT, ENOTDIR, ELOOP}  # deleted meanwhile, or a link to nowhere


@dataclass(frozen=True, slots=True)
class Found:
    """One file: its path, what identifies it, its size in bytes, the time of its last change in nanoseconds."""

    path: Path
    device: int
    inode: int
    size: int
    mtime_ns: int


def due(now: float, last_activity: float, last_sweep: float, last_tick: float) -> bool:
    """Whether to sweep; all in seconds of one clock that never steps and counts sleep (`watch.clock`).

    Every 10 s while a client is active; ten minutes after its last sign of life the interval starts to grow, to 5 min
    after five hours. A tick that came late means that the machine slept: events may be lost.
    """
    interval = min(IDLE, max(ACTIVE, (now - last_activity) / 60))
    return now - last_sweep >= interval or now - last_tick >= ASLEEP


def sweep(
    roots: Iterable[Path],
    wanted: Callable[[str], bool],
    enters: Callable[[str], bool] = lambda _: True,
    on_error: Callable[[OSError], None] = lambda _: None,
) -> Iterator[Found]:
    """All regular files under `roots` whose path is `wanted`, each once, in no particular order.

    A directory below a root is looked into if `enters` says so.

    What is not there (a root, a file deleted meanwhile, a link to nowhere) is not an error. What cannot be read is
    given to `on_error`, and the sweep goes on.
    """
    top = [os.fspath(root) for root in roots]
    directories, links = list(top), list[str]()
    entered, counted = set[tuple[int, int]](), set[tuple[int, int]]()
    while directories or links:
        path = directories.pop() if directories else links.pop()
        if path not in top and not (enters(path) or wanted(path)):
            continue
        try:
            for name, status in _look(path, wanted, directories, links, entered):
                if (status.st_dev, status.st_ino) not in counted:
                    counted.add((status.st_dev, status.st_ino))
                    yield Found(Path(name), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError as error:
            if error.errno not in _GONE:
                on_error(error)


def _look(
    path: str, wanted: Callable[[str], bool], directories: list[str], links: list[str], entered: set[tuple[int, int]]
) -> Iterator[tuple[str, os.stat_result]]:
    """The files that `path` holds, or is (behind a link); what else it holds goes to `directories` and `links`."""
    status = Path(path).stat()
    if stat.S_ISREG(status.st_mode) and wanted(path):
        yield path, status
    if not stat.S_ISDIR(status.st_mode) or (status.st_dev, status.st_ino) in entered:
        return
    entered.add((status.st_dev, status.st_ino))
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                links.append(entry.path)
            elif entry.is_dir():
                directories.append(entry.path)
            elif entry.is_file() and wanted(entry.path):
                yield from _status(entry)


def _status(entry: os.DirEntry[str]) -> Iterator[tuple[str, os.stat_result]]:
    try:
        yield entry.path, entry.stat()
    except FileNotFoundError:  # deleted since it was listed: the rest of its directory is still to come
        return
