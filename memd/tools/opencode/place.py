"""Where OpenCode keeps its things, and what a path says (measured on 1.18.33, 1.2.6 and 1.1.65).

    ${XDG_DATA_HOME:-~/.local/share}/opencode/opencode.db[-wal|-shm]     all sessions since 1.2; OPENCODE_DB names another file
                                     opencode-<channel>.db               development builds
                                     storage/session/<project>/<ses_…>.json                       clients of 1.1
                                     storage/message/<ses_…>/<msg_…>.json, storage/part/<msg_…>/<prt_…>.json
                                     project/<folder>/storage/session/info|message|part/…         before that
    ${XDG_STATE_HOME:-~/.local/state}/opencode/prompt-history.jsonl      what was typed on the screen
    ${XDG_CONFIG_HOME:-~/.config}/opencode/                              opencode.json, plugin/, plugins/

A session in a database has the path `<database>/<session id>`; one of the old storage that of its own JSON file.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memd.errors import SourceUnreadable
from memd.later import later, pattern
from memd.tools.protocol import Place

if TYPE_CHECKING:
    from memd.tail import rows
else:
    (rows,) = later("memd.tail", "rows")

SESSION = pattern(r"ses_[A-Za-z0-9_-]{1,128}\Z")
_DATABASE = pattern(r"opencode(?:-[\w.-]{1,60})?\.db\Z")
_SESSION_FILE = pattern(rb'\s*\{\s*"id"\s*:\s*"ses_?[A-Za-z0-9_-]+"')
_EXPORT = pattern(rb'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_?[A-Za-z0-9_-]+"')
_PASSED_BY = frozenset(
    {"snapshot", "tool-output", "log", "repos", "bin", "cache", "session_diff", "session_share", "todo", "migration"}
)

_MANY = frozenset({"message", "part"})
"""Of the old storage the folders with a file for each message and part."""


def place(environ: Mapping[str, str]) -> Place:
    """OpenCode's places in an environment."""
    data, config = _home(environ, "XDG_DATA_HOME", ".local/share"), _home(environ, "XDG_CONFIG_HOME", ".config")
    given = named(environ)
    roots = (data,) if given is None or given.is_relative_to(data) else (data, given.parent)
    history = _home(environ, "XDG_STATE_HOME", ".local/state") / "prompt-history.jsonl"
    present = config.is_dir() or data.is_dir() or (given is not None and given.is_file())
    return Place(config, roots, present, history)


def named(environ: Mapping[str, str]) -> Path | None:
    """The database that the environment names instead of the usual one; relative names lie in the data directory."""
    given = environ.get("OPENCODE_DB", "")
    if not given or given == ":memory:":
        return None
    return _home(environ, "XDG_DATA_HOME", ".local/share") / given


def _home(environ: Mapping[str, str], name: str, usual: str) -> Path:
    given = environ.get(name)
    base = Path(given) if given else Path(environ.get("HOME") or Path.home()) / usual
    return base / "opencode"


def enters(directory: str, environ: Mapping[str, str]) -> bool:
    """Whether transcripts can lie below a directory; beside a database that the environment names nothing else is looked at."""
    path, given = Path(directory), named(environ)
    beside = given is not None and path != given.parent and path.is_relative_to(given.parent)
    if beside and not path.is_relative_to(_home(environ, "XDG_DATA_HOME", ".local/share")):
        return False
    return path.name not in _PASSED_BY and not (path.name in _MANY and "storage" in path.parts)


def database(path: Path, given: Path | None) -> Path | None:
    """The database that a file is or belongs to as its log; None for other files."""
    main = path.with_name(path.name.removesuffix("-wal"))
    return main if main == given or _DATABASE.match(main.name) else None


def wanted(path: Path, given: Path | None) -> bool:
    """Whether a change of a file can be news: a database, its log, a session's file of the old storage.

    Old clients wrote that one again with each turn (measured on 1.1.65), so their many others need no look.
    """
    return database(path, given) is not None or (path.suffix == ".json" and old(path) == "session")


def old(path: Path) -> str | None:
    """Of a file in the old storage its kind: `session`, `message` or `part`.

    >>> old(Path("/d/storage/session/p1/ses_1.json")), old(Path("/d/storage/part/msg_1/prt_1.json"))
    ('session', 'part')
    >>> old(Path("/d/project/x/storage/session/part/ses_1/msg_1/prt_1.json")), old(Path("/d/storage/project/p1.json"))
    ('part', None)
    """
    parts = path.parts
    if "storage" not in parts:
        return None
    below = parts[len(parts) - parts[::-1].index("storage") :]
    match below:
        case ("session", "info", _):
            return "session"
        case ("session", "message", _, _) | ("session", "part", _, _, _):
            return below[1]
        case ("session" | "message" | "part", _, _):
            return below[0]
        case _:
            return None


def split(path: Path) -> tuple[Path, str] | None:
    """Database and session id of a path that names a session in a database; None for a file's own path."""
    if not SESSION.match(path.name) or os.path.isdir(path.parent):  # noqa: PTH112 - never raises
        return None
    return path.parent, path.name


def claims(path: Path, head: Sequence[bytes]) -> bool:
    """Whether a file of unknown origin is a database of OpenCode's, a session's file of the old storage, or an export. Reads."""
    start = b"\n".join(head)
    if rows.is_database(start):
        return _has_tables(path)
    return _SESSION_FILE.match(start) is not None or _EXPORT.match(start) is not None


def _has_tables(path: Path) -> bool:
    try:
        with rows.opened(path) as sql:
            return all("session_id" in rows.columns(sql, table) for table in ("message", "part"))
    except (FileNotFoundError, SourceUnreadable):
        return _DATABASE.match(path.name) is not None
