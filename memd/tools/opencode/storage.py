"""Sessions in files of their own: the storage of clients before 1.2, and what `opencode export` writes.

    storage/session/<project>/<ses>.json   storage/message/<ses>/<msg>.json   storage/part/<msg>/<prt>.json    (1.1.65)
    storage/session/info/<ses>.json        storage/session/message/<ses>/…    storage/session/part/<ses>/<msg>/…   (older)
    {"info": {…}, "messages": [{"info": {…}, "parts": […]}]}                                                 (an export)

They are history. When a session's files look different from when they were read to their end, they are read again; the ids
keep every entry from being doubled.
"""

import json
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memd.errors import SourceUnreadable
from memd.tail.batch import Batch, Line
from memd.tools.fields import items, string, table
from memd.tools.opencode import place, rows
from memd.tools.opencode.cursor import Cursor

_MOST = 64 << 20
"""Bytes of one file that are read; an export of more is told to be too long."""


def sessions(file: Path) -> list[Path]:
    """The sessions that a file of the old storage, or an export, is about."""
    kind = place.old(file)
    if kind in {None, "session"}:
        return [file]
    ident = file.parent.name if kind == "message" else string(_object(file) or {}, "sessionID")
    base = _base(file)
    if not ident or base is None:
        return []
    return sorted(base.glob(f"session/*/{ident}.json"))


def beside(path: Path) -> Path | None:
    """The database of a later client in the same data directory, if the session's file lies in the old storage."""
    base = _base(path)
    if base is None or place.old(path) is None:
        return None
    found = [data / "opencode.db" for data in (base.parent, base.parent.parent.parent)]
    return next((one for one in found if one.is_file()), None)


def _base(file: Path) -> Path | None:
    return next((parent for parent in file.parents if parent.name == "storage"), None)


def read(path: Path, cursor: Cursor, limit: int) -> tuple[Batch, Cursor]:
    """The rows of a session's files after a cursor.

    Raises:
        SourceUnreadable: they cannot be read now.
    """
    try:
        top = _load(path)
    except (FileNotFoundError, NotADirectoryError):
        return Batch((), cursor, 0, gone=True), cursor
    files = _messages(path) if "messages" not in top else []
    look = _look(path, files)
    if cursor.look == look and cursor.filled:
        return Batch((), cursor, cursor.offset), cursor
    again = cursor.filled or (cursor.look != look and cursor.rows > 0)
    start = cursor.again() if again else cursor
    taken: list[Line] = []
    done = True
    for number, row in enumerate(_rows(path, top, files)):
        if number < start.rows:
            continue
        line = rows.made(number, row)
        limit -= len(line.data)
        if limit < 0 and taken:
            done = False
            break
        taken.append(line)
    end = start.rows + len(taken)
    after = replace(start, rows=end, offset=end, filled=done, look=look)
    return Batch(tuple(taken), after, end + (not done), restarted=again), after


def _rows(path: Path, top: dict[str, Any], files: list[Path]) -> Iterator[rows.Row]:
    info = table(top, "info") if "messages" in top else top
    ident = string(info, "id") or path.stem
    yield rows.session(info)
    for number, one in enumerate(items(top, "messages")):
        held = one if isinstance(one, dict) else {}
        yield from _message(ident, dict(table(held, "info")), f"message:{number}", items(held, "parts"))
    for file in files:
        yield from _message(ident, _object(file), file.stem, [_object(part) for part in _parts(path, file)])


def _message(session: str, info: dict[str, Any] | None, usual: str, parts: list[Any]) -> Iterator[rows.Row]:
    message = string(info or {}, "id") or usual
    yield rows.message(message, session, info)
    for number, part in enumerate(sorted(parts, key=_name)):
        yield rows.part(_name(part) or f"{message}:{number}", message, session, part)


def _name(part: Any) -> str:
    return string(part, "id") if isinstance(part, dict) else ""


def _messages(path: Path) -> list[Path]:
    """A session's message files, in the order of their ids, which is that of time."""
    above = path.parent.parent
    older = path.parent.name == "info" and above.name == "session"
    folder = (above if older else above.parent) / "message" / path.stem
    return sorted(folder.glob("*.json")) if place.old(path) == "session" else []


def _parts(path: Path, message: Path) -> list[Path]:
    older = path.parent.name == "info"
    base = message.parent.parent.parent / "part"
    return sorted((base / path.stem / message.stem if older else base / message.stem).glob("*.json"))


def _look(path: Path, files: list[Path]) -> str:
    """A sign that changes when a session's files do."""
    parts = [folder for file in files for folder in {part.parent for part in _parts(path, file)}]
    found = [(os.fspath(one), *_times(one)) for one in (path, *files, *parts)]
    return blake2b(repr(found).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _times(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _load(file: Path) -> dict[str, Any]:
    """The one JSON object that a session's file is.

    Raises:
        FileNotFoundError: it is not there.
        SourceUnreadable: it cannot be read, or is none.
    """
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:  # noqa: PTH123 - a descriptor
            data = opened.read(_MOST + 1) or b""
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise SourceUnreadable(f"{file}: {error.strerror or error}") from error
    if len(data) > _MOST:
        raise SourceUnreadable(f"{file}: longer than {_MOST >> 20} MB")
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise SourceUnreadable(f"{file}: not the JSON that OpenCode writes") from error
    if not isinstance(value, dict):
        raise SourceUnreadable(f"{file}: not the JSON that OpenCode writes")
    return value


def _object(file: Path) -> dict[str, Any] | None:
    try:
        return _load(file)
    except (SourceUnreadable, OSError):
        return None
