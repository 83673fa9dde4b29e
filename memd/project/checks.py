"""What is remembered held against what is really there: paths, names in files, lines. Reads regular files of the project only."""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from memd.model.anchors import Anchor
from memd.project.paths import inside

LARGEST = 1 << 20
"""Bytes of a file up to which it is looked into."""
PATHS, NAMES = 3, 2
"""So many paths and names in files are looked for before anchors are used."""


def there(root: Path, relative: str) -> bool:
    """Whether a path of the project exists, and is in it."""
    real = inside(root, relative)
    return real is not None and os.path.lexists(real)


def text(root: Path, relative: str) -> str | None:
    """What a regular file of the project holds; None where there is none, it is too large, or not readable."""
    real = inside(root, relative)
    try:
        descriptor = None if real is None else _opened(Path(os.path.realpath(root)), real)
    except OSError:
        return None
    if descriptor is None:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        os.close(descriptor)  # a folder opens as well, and is no file to Python
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST).decode("utf-8", "replace")


def _opened(root: Path, real: Path) -> int:
    """A descriptor of a file, reached step by step from the root: what became a link since it was looked at is refused."""
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    *folders, name = real.relative_to(root).parts or (".",)
    try:
        for folder in folders:
            inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=place)
    finally:
        os.close(place)


def holds(root: Path, anchor: Anchor) -> bool:
    """Whether the file, or the name in it, is there; one that cannot be looked into is taken to be as it was."""
    if not there(root, anchor.path):
        return False
    if not anchor.name:
        return True
    content = text(root, anchor.path)
    name = anchor.name.rpartition(".")[2]
    return content is None or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", content) is not None


def spot(root: Path, anchors: Sequence[Anchor], turn: int) -> list[Anchor]:
    """A few of the anchors, looked for: `turn` chooses which, so that in time each has its turn."""
    files, names = ([one for one in anchors if bool(one.name) is named] for named in (False, True))
    chosen = [*_some(files, PATHS, turn), *_some(names, NAMES, turn)]
    return [replace(anchor, stale=not holds(root, anchor)) for anchor in chosen]


def _some(anchors: Sequence[Anchor], count: int, turn: int) -> list[Anchor]:
    if len(anchors) <= count:
        return list(anchors)
    start = turn * count % len(anchors)
    return [anchors[(start + n) % len(anchors)] for n in range(count)]
