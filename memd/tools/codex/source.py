"""Reading a rollout: plain, compressed, or a fork that holds only what came after the fork.

- Plain: `memd.tail.lines`. Compressed (`.jsonl.zst`): `memd.tools.codex.packed`; offsets count decompressed bytes.
- A delta fork's first line says after how many lines of which file it goes on. It is read as one stream: that first line
  (it says whose transcript this is), the lines of its source below that ordinal, and of its source's source, oldest first,
  then its own. The store knows the source's lines by their keys. Ordinals count, not byte offsets: those change when a
  file is compressed or migrated. Where a source is not there any more, that is a gap, and the rest is read.
- A person who rewinds on the screen makes the client go on in another file of the same thread, with a second id in its
  name (`rollout-<time>-<thread>_<id>.jsonl`, measured on 0.171.0); nothing is written into the first. It goes on from a file
  as a fork does, or from nothing. Before its lines stands one of our own, `TURNED`: what is not in this stream is withdrawn.
  Where such a file is there already when an older one is first read, one of our own says so (`SUPERSEDED`).

A line of a source has no place in the fork's file: its offset and length are 0.
"""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from memd.errors import StoreTrouble
from memd.later import later, pattern
from memd.tail import lines
from memd.tail.batch import Batch, Gap, Line
from memd.tools.fields import string, table, whole
from memd.tools.jsonl import objects

if TYPE_CHECKING:
    from memd.tools.codex import packed
else:
    (packed,) = later(__package__, "packed")

TURNED = "memd.turned"
"""The type of the row that says: of what this thread's other files hold, only what was read up to here is in force."""
SUPERSEDED = "memd.superseded"
"""The type of the row that says from which ordinal on the rows of this file were taken back: its thread has a newer one."""
_MARK, _OWN = (Line(0, 0, json.dumps({"type": TURNED, "payload": {"own": own}}).encode()) for own in (False, True))
"""The second stands where nothing was said in the file that is read yet: it takes back at once what the first does with the
next entry. Where the file is read again its own entries are recorded, and must not be taken for other files'."""
_SECOND = pattern(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_[0-9a-f-]{36}\.jsonl(?:\.zst)?\Z")
_HEAD = 1 << 16
_WEEKS = 5
_DEPTH = 64
"""So many forks of forks are followed."""


class Base(Struct, frozen=True):
    """What a fork goes on from: the lines of a file, named by the id at its end, whose ordinal is below `end`."""

    thread: str
    end: int


class Within(Struct, frozen=True):
    """A place in the lines that a fork goes on from: in the source number `part`, oldest first."""

    part: int
    inner: str | None
    offset: int = 0

    def dumps(self) -> str:
        """As text, for the record."""
        return json.dumps({"v": 1, "base": self.part, "cursor": self.inner}, separators=(",", ":"))


def read(path: Path, cursor: str | None, limit: int) -> Batch:
    """The rows of a transcript after a cursor; see `Tool.read`."""
    within = _within(cursor)
    if cursor is not None and within is None and not _unread(cursor):
        batch = _one(path, cursor, limit)
        if not batch.restarted or _base(path) is None:
            return batch
        again = read(path, None, limit)  # a fork's file was replaced: the whole stream again
        return replace(again, gaps=(*batch.gaps, *again.gaps), restarted=True)
    start = first(path)
    base = _fork(start)
    if not start or (base is None and not _turned(path, start)):
        batch = _one(path, None if within else cursor, limit)
        return replace(batch, lines=(*batch.lines[:1], *_superseded(path, start), *batch.lines[1:]))
    chain, gaps = _chain(path, base)
    if within is not None:
        return _before(path, chain, within, limit, gaps)
    batch = _before(path, chain, Within(0, None), limit, gaps)
    return replace(batch, lines=(Line(0, 0, start[0]), *batch.lines), gaps=(*gaps, *batch.gaps))


def _unread(cursor: str) -> bool:
    """Whether no line of a file was read yet: its first, which says what it goes on from, was not whole when it was looked at."""
    return '"offset":0,' in cursor


def _within(cursor: str | None) -> Within | None:
    if cursor is None or '"base"' not in cursor:
        return None
    try:
        values = json.loads(cursor)
        inner = values["cursor"]
        if values["v"] == 1 and type(values["base"]) is int and (inner is None or isinstance(inner, str)):
            return Within(values["base"], inner)
    except (ValueError, KeyError, TypeError):
        pass
    raise StoreTrouble(f"a cursor in the store is damaged or from a newer memd: {cursor[:80]!r}")


def _before(path: Path, chain: Sequence[tuple[Path, int]], within: Within, limit: int, gaps: tuple[Gap, ...]) -> Batch:
    """Lines of the fork's sources from a place on, then its own where they are through; `gaps`: not all of them are there."""
    for number in range(within.part, len(chain)):
        source, end = chain[number]
        inner = within.inner if number == within.part else None
        batch = _one(source, inner, limit)
        found = [line for line in batch.lines if _ordinal(line) < end]
        over = batch.gone or not batch.lines or len(found) < len(batch.lines)
        if found:
            place = Within(number + 1, None) if over else Within(number, batch.cursor.dumps())
            mark = () if inner is not None or gaps else _mark(source, _MARK)
            return Batch((*mark, *_placeless(found)), place, max(1, _size(path)))
    batch = _one(path, None, limit)
    bare = batch.size <= limit and not any(b'"response_item"' in line.data for line in batch.lines)
    mark = () if gaps else _mark(path, _OWN if bare else _MARK)
    return replace(batch, lines=(*_superseded(path, first(path)), *mark, *batch.lines))


def _mark(path: Path, mark: Line) -> tuple[Line, ...]:
    return (mark,) if _turned(path, first(path)) else ()


def _turned(path: Path, start: Sequence[bytes]) -> bool:
    """Whether a file goes on with a thread that was rewound: by its name, else by a base that is no other thread's."""
    row = next(iter(objects(start[0])[0]), {}) if start else {}
    meta = table(row, "payload")
    return _SECOND.search(path.name) is not None or (
        bool(table(meta, "history_base")) and not meta.get("forked_from_id")
    )


def _superseded(path: Path, start: Sequence[bytes]) -> tuple[Line, ...]:
    """The row that says what of a file was taken back, where its thread goes on in a newer one."""
    row = next(iter(objects(start[0])[0]), {}) if start else {}
    thread = string(table(row, "payload"), "id")
    newer = max(_later(path, thread), key=lambda file: file.name, default=path)
    if newer.name.partition(".jsonl")[0] <= path.name.partition(".jsonl")[0]:
        return ()
    chain, gaps = _chain(newer, _base(newer))
    ends = [end for file, end in chain if file.name == path.name]
    if gaps and not ends:
        return ()  # how it goes on from this one cannot be told
    payload = {"from": ends[0] if ends else 0}
    return (Line(0, 0, json.dumps({"type": SUPERSEDED, "payload": payload}).encode()),)


def _later(path: Path, thread: str) -> Iterator[Path]:
    """The files in which a thread went on after rewinds, of the weeks after a file's own day: a look at all would be dear."""
    if not thread:
        return
    folders = [
        path.parent,
        *(folder.parent / "archived_sessions" for folder in path.parents if folder.name == "sessions"),
    ]
    try:
        day = date(*(int(part) for part in path.parent.parts[-3:]))
        days = [day + timedelta(days=number) for number in range(1, _WEEKS * 7)]
    except (TypeError, ValueError, OverflowError):
        days = []  # not among the client's own folders
    folders += [path.parents[3] / f"{day:%Y/%m/%d}" for day in days]
    for folder in folders:
        for name in _names(folder):
            if name.startswith("rollout-") and f"{thread}_" in name and name.endswith((".jsonl", ".jsonl.zst")):
                yield folder / name


def _names(folder: Path) -> list[str]:
    """What lies in a folder, nothing where there is none: most of the days have none."""
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are compared by the hundred, a path is made of few
    except OSError:
        return []


def _placeless(found: Sequence[Line]) -> Iterator[Line]:
    return (Line(0, 0, line.data, line.elided) for line in found)


def _ordinal(line: Line) -> int:
    """The number of a row in its thread's stream; a row without one belongs to the rows before it."""
    rows, _ = objects(line.data)
    return max((whole(row, "ordinal") or 0 for row in rows), default=0)


def _chain(path: Path, base: Base | None) -> tuple[list[tuple[Path, int]], tuple[Gap, ...]]:
    """The files that a fork goes on from, oldest first, each with the ordinal at which it is left."""
    chain: list[tuple[Path, int]] = []
    seen: set[str] = set()
    following = base
    while following is not None and following.thread not in seen and len(chain) < _DEPTH:
        seen.add(following.thread)
        file = find(path, following.thread)
        if file is None:
            gap = Gap("absent", following.end, f"rows of {following.thread}, from which this session was forked")
            return chain[::-1], (gap,)
        chain.append((file, following.end))
        before = _base(file)
        following = None if before is None else Base(before.thread, min(before.end, following.end))
    return chain[::-1], ()


def _base(path: Path) -> Base | None:
    return _fork(first(path))


def _fork(start: Sequence[bytes]) -> Base | None:
    """What a file's first line says that it goes on from; a copy that begins at the start goes on from nothing."""
    row = next(iter(objects(start[0])[0]), {}) if start else {}
    meta = table(row, "payload")
    base = table(meta, "history_base")
    thread = string(base, "thread_id") or string(meta, "forked_from_id")
    end = whole(base, "end_ordinal_exclusive")
    end = whole(meta, "forked_from_ordinal_exclusive") if end is None else end
    if string(row, "type") != "session_meta" or not thread or not end or end < 0 or not whole(row, "ordinal"):
        return None
    return Base(thread, end)


def find(path: Path, thread: str) -> Path | None:
    """The transcript whose name ends with an id, among the files of the home that `path` lies in, or beside it."""
    return next((found for found in _files(path, thread) if found != path), None)


def _files(path: Path, ending: str) -> Iterator[Path]:
    """The transcripts whose names end so."""
    if not ending or any(letter in ending for letter in "/*?[]"):
        return
    homes = [folder.parent for folder in path.parents if folder.name in {"sessions", "archived_sessions"}]
    for name in (f"rollout-*{ending}.jsonl", f"rollout-*{ending}.jsonl.zst"):
        yield from path.parent.glob(name)
        for home in homes[:1]:
            for folder in ("sessions", "archived_sessions"):
                yield from (home / folder).rglob(name)


def first(path: Path) -> list[bytes]:
    """The first whole line of a transcript, in a list; nothing where there is none."""
    batch = _one(path, None, _HEAD)
    return [line.data for line in batch.lines[:1]]


def plain(path: Path, head: Sequence[bytes]) -> Sequence[bytes]:
    """The first lines of a file from its first bytes, split at line ends, decompressed if they are compressed."""
    return packed.opened(b"\n".join(head)).split(b"\n")[:-1] if packed.is_packed(path) else head


def _one(path: Path, cursor: str | None, limit: int) -> Batch:
    return packed.read(path, cursor, limit) if packed.is_packed(path) else lines.read_on(path, cursor, limit)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
