"""Reading a rollout: plain, compressed, or a fork that holds only what came after the fork.

- Plain: `memd.tail.lines`. Compressed (`.jsonl.zst`): `memd.tools.codex.packed`; offsets count decompressed bytes.
- A delta fork's first line says after how many lines of which thread it goes on. It is read as one stream: that first line
  (it says whose transcript this is), the lines of its source below that ordinal, and of its source's source, oldest first,
  then its own. The store knows the source's lines by their keys. Ordinals count, not byte offsets: those change when a
  file is compressed or migrated. Where a source is not there any more, that is a gap, and the rest is read.

A line of a source has no place in the fork's file: its offset and length are 0.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memd.errors import StoreTrouble
from memd.tail import lines
from memd.tail.batch import Batch, Gap, Line
from memd.tools.codex import packed
from memd.tools.fields import string, table, whole
from memd.tools.jsonl import objects

_HEAD = 1 << 16
_DEPTH = 64
"""So many forks of forks are followed."""


@dataclass(frozen=True, slots=True)
class Base:
    """What a fork goes on from: the lines of a thread whose ordinal is below `end`."""

    thread: str
    end: int


@dataclass(frozen=True, slots=True)
class Within:
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
    if cursor is not None and within is None:
        batch = _one(path, cursor, limit)
        if not batch.restarted or _base(path) is None:
            return batch
        again = read(path, None, limit)  # a fork's file was replaced: the whole stream again
        return replace(again, gaps=(*batch.gaps, *again.gaps), restarted=True)
    start = first(path)
    base = _fork(start)
    if base is None:
        return _one(path, None, limit)
    chain, gaps = _chain(path, base)
    if within is not None:
        return _before(path, chain, within, limit, ())
    batch = _before(path, chain, Within(0, None), limit, gaps)
    return replace(batch, lines=(Line(0, len(start[0]), start[0]), *batch.lines))


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
    """Lines of the fork's sources from a place on, then its own where they are through."""
    part, inner = within.part, within.inner
    for number in range(part, len(chain)):
        source, end = chain[number]
        batch = _one(source, inner if number == part else None, limit)
        found = [line for line in batch.lines if _ordinal(line) < end]
        over = batch.gone or not batch.lines or len(found) < len(batch.lines)
        if found:
            place = Within(number + 1, None) if over else Within(number, batch.cursor.dumps())
            return Batch(tuple(_placeless(found)), place, max(1, _size(path)), gaps)
    batch = _one(path, None, limit)
    return replace(batch, gaps=(*gaps, *batch.gaps))


def _placeless(found: Sequence[Line]) -> Iterator[Line]:
    return (Line(0, 0, line.data, line.elided) for line in found)


def _ordinal(line: Line) -> int:
    """The number of a row in its thread's stream; a row without one belongs to the rows before it."""
    rows, _ = objects(line.data)
    return max((whole(row, "ordinal") or 0 for row in rows), default=0)


def _chain(path: Path, base: Base) -> tuple[list[tuple[Path, int]], tuple[Gap, ...]]:
    """The files that a fork goes on from, oldest first, each with the ordinal at which it is left."""
    chain: list[tuple[Path, int]] = []
    seen: set[str] = set()
    following: Base | None = base
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
    """The transcript of a thread, among the files of the home that `path` lies in, or beside it."""
    if not thread or any(letter in thread for letter in "/*?[]"):
        return None
    homes = [folder.parent for folder in path.parents if folder.name in {"sessions", "archived_sessions"}]
    names = (f"rollout-*{thread}.jsonl", f"rollout-*{thread}.jsonl.zst")
    folders = [path.parent, *(home / name for home in homes[:1] for name in ("sessions", "archived_sessions"))]
    for number, folder in enumerate(folders):
        for name in names:
            found = next(iter(folder.rglob(name) if number else folder.glob(name)), None)
            if found is not None and found != path:
                return found
    return None


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
