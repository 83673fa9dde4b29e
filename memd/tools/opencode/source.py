"""Reading OpenCode's sessions on: which have news, and their rows after a cursor. All of the tool's reading is here.

A look is one short transaction (`tail.rows`). A whole log is read by its numbers. Where it does not begin with the session's
creation (a session from before there was a log, or an imported one) the tables are read first, up to their end, and then the
log from where it stood when that began: what happened in between comes twice and is known by its ids.
"""

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from sqlite3 import Connection

from msgspec import Struct
from msgspec.structs import replace

from memd.errors import SourceUnreadable
from memd.tail import lines
from memd.tail.batch import Batch, Gap, Line
from memd.tail.rows import opened
from memd.tools.opencode import copies, database, place, rows, storage
from memd.tools.opencode.cursor import Cursor
from memd.tools.protocol import Known, News


def sources(file: Path, known: Known, given: Path | None) -> list[News]:
    """The sessions that a change of a file concerns; a session's own path stands for itself."""
    if place.split(file) is not None:
        return [News(file)]
    base = place.database(file, given) or (file if place.claims(file, [_start(file)]) else None)
    if base is None or base.suffix == ".json":
        return [News(path) for path in storage.sessions(file) if not _newer(path)]
    try:
        with opened(base) as sql:
            found = database.standings(sql)
    except FileNotFoundError:
        found = []
    before = {path: at for path, at in known().items() if path.parent == base}
    there = {base / one.session: one for one in found if place.SESSION.match(one.session)}
    news = [News(path, one.changed / 1000) for path, one in there.items() if before.get(path) != one.upto]
    return [*sorted(news, key=lambda one: one.changed or 0), *(News(path) for path in before if path not in there)]


def _start(file: Path) -> bytes:
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as head:  # noqa: PTH123 - a descriptor
            return head.read(1 << 10) or b""
    except OSError:
        return b""


def _newer(path: Path) -> bool:
    """Whether the database beside the old storage has a session too: then that one is read, the file is a stale copy."""
    base = storage.beside(path)
    return base is not None and there(base / path.stem)


def there(path: Path) -> bool:
    """Whether a session can still be read; what cannot be looked at now is taken to be there."""
    inside = place.split(path)
    if inside is None:
        return os.path.isfile(path)  # noqa: PTH113 - never raises
    try:
        with opened(inside[0]) as sql:
            return database.session(sql, inside[1]) is not None
    except FileNotFoundError:
        return False
    except SourceUnreadable:
        return True


def read(path: Path, cursor: str | None, limit: int, notes: Path) -> Batch:
    """The rows of a session after a cursor, the plugin's notes first; see `Tool.read`."""
    start = Cursor() if cursor is None else Cursor.loads(cursor)
    inside = place.split(path)
    noted = lines.read_on(notes / (inside[1] if inside else path.stem) / "notes.jsonl", start.notes, limit)
    batch, end = storage.read(path, start, limit) if inside is None else _from_database(*inside, start, limit)
    if batch.gone:
        return batch
    said = tuple(rows.note(start.offset, line) for line in noted.lines)
    kept = replace(end, notes=start.notes if noted.gone else noted.cursor.dumps())
    taken = sum(line.length + 1 for line in noted.lines)
    waiting = taken > 0 and noted.size - noted.cursor.offset + taken > limit
    return replace(batch, lines=(*said, *batch.lines), cursor=kept, size=max(batch.size, kept.offset + waiting))


class _Look(Struct):
    """One look at one session: what has been taken so far, and where that ends."""

    sql: Connection
    session: str
    created: int
    cursor: Cursor
    limit: int
    taken: list[Line]
    waits: bool = False
    """Whether the log ends with a row that is not read before the next one comes."""

    def full(self, size: int) -> bool:
        """Whether there is no room for `size` bytes more; something is always taken."""
        self.limit -= size
        return self.limit < 0 and bool(self.taken)


def _from_database(base: Path, ident: str, cursor: Cursor, limit: int) -> tuple[Batch, Cursor]:
    try:
        with opened(base) as sql:
            return _look(sql, ident, cursor, limit)
    except FileNotFoundError:
        return Batch((), cursor, 0, gone=True), cursor


def _look(sql: Connection, ident: str, cursor: Cursor, limit: int) -> tuple[Batch, Cursor]:
    info = database.session(sql, ident)
    if info is None:
        return Batch((), cursor, 0, gone=True), cursor
    upto, whole = database.logged(sql, ident)
    moved = cursor.seq > upto or (cursor.mark != "" and database.mark(sql, ident, cursor.seq - 1) != cursor.mark)
    if moved:  # another log than the one that was read: the session was deleted, and imported or made anew
        cursor = cursor.again()
    if cursor == cursor.again():
        cursor = replace(cursor, whole=whole, seq=0 if whole else upto)
        if not whole and upto:
            cursor = replace(cursor, mark=database.mark(sql, ident, upto - 1))
    created = info["time"].get("created", 0)
    look = _Look(sql, ident, created, cursor, limit, [])
    if not cursor.whole:
        _tables(look, info, logs=upto > 0)
    if (look.cursor.whole or look.cursor.filled) and upto:
        _log(look)
    size = upto - look.waits or look.cursor.rows  # what waits holds no words, and nothing behind it does
    if not (look.cursor.whole or look.cursor.filled):
        size = max(size, database.count(sql, ident), look.cursor.offset + 1)
    lost = (Gap("overwritten", 0, "events"),) if moved else ()  # how many were never seen is nobody's to know
    return Batch(tuple(look.taken), look.cursor, size, lost, restarted=moved), look.cursor


def _log(look: _Look) -> None:
    """The events from the cursor on."""
    found = database.events(look.sql, look.session, look.cursor.seq)
    copier = copies.Copier(look.sql, look.session, look.created, look.cursor.origin, look.cursor.message)
    for seq, ident, kind, data in found:
        if copier.waits(seq, kind, data):
            look.waits = True
            break
        line = rows.event(seq, kind, data, copier.source(kind, data))
        if look.full(len(line.data)):
            break
        look.taken.append(line)
        look.cursor = replace(look.cursor, seq=seq + 1, mark=ident)
    look.cursor = replace(look.cursor, offset=look.cursor.seq, origin=copier.origin, message=copier.message)


def _tables(look: _Look, info: database.Row, *, logs: bool) -> None:
    """What the tables hold behind the cursor; later, where no log tells them, the changes."""
    cursor = look.cursor
    if cursor.filled and logs:
        return
    changed = database.renewed(look.sql, look.session, cursor.seen) if cursor.filled else iter(())
    fresh = database.behind(look.sql, look.session, (cursor.at, cursor.id))
    if cursor.at < 0:
        look.taken.append(rows.made(0, rows.session(info)))
    for stored in chain(changed, fresh):
        made = list(_stored(look, stored))
        if look.full(sum(len(line.data) for line in made)):
            look.cursor = replace(look.cursor, offset=look.cursor.rows)
            return
        look.taken += made
        past = max((look.cursor.at, look.cursor.id), (stored.at, stored.id))
        total = look.cursor.rows + (len(made) if past != (look.cursor.at, look.cursor.id) else 0)
        seen = max(look.cursor.seen, stored.changed)
        look.cursor = replace(look.cursor, at=past[0], id=past[1], seen=seen, rows=total)
    total = database.count(look.sql, look.session)
    look.cursor = replace(look.cursor, filled=True, at=max(look.cursor.at, 0), rows=total, offset=total)


def _stored(look: _Look, stored: database.Stored) -> Iterator[Line]:
    number = look.cursor.rows
    yield rows.made(number, rows.message(stored.id, look.session, database.parsed(stored.info)))
    for at, (ident, body) in enumerate(stored.parts, number + 1):
        yield rows.made(at, rows.part(ident, stored.id, look.session, database.parsed(body)))
