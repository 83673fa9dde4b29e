"""Sessions: lists, and the one that a person means."""

from collections.abc import Iterator, Sequence
from typing import Any

from memd.errors import Ambiguous, NotFound
from memd.model import Session
from memd.store.database import Database

_SHOWN = 5
_NO_LIMIT = -1
_FIELDS = (
    'id, tool, native, parent, path, cwd, title, model, "window", version, entrypoint, forked_from, created_at, last_at,'
    " ended_at, turn_ended_at, tokens, messages, compactions, seen_at"
)
"""The columns in the order of `Session`'s fields."""


def session(database: Database, name: str) -> Session | None:
    """The session with exactly this id."""
    found = database.row(f"SELECT {_FIELDS} FROM session WHERE id = ?", (name,))  # noqa: S608 - a constant
    return Session(*found) if found else None


def each(database: Database, *, children: bool, last: int | None = None) -> Iterator[Session]:
    """All sessions or the last N, the one with the newest entry first."""
    return _each(database, "parent IS NULL OR ?", (children,), last)


def _each(database: Database, condition: str, parameters: Sequence[Any], last: int | None) -> Iterator[Session]:
    """Those for which a condition holds, the same way.

    Which they are is asked first: to sort ten thousand whole rows takes twice as long.
    """
    newest = "ORDER BY ifnull(last_at, seen_at) DESC, row DESC"
    rows = database.each(
        f"SELECT {_FIELDS} FROM session WHERE row IN (SELECT row FROM session WHERE {condition} {newest} LIMIT ?)"  # noqa: S608
        f" {newest}",  # constants
        (*parameters, _NO_LIMIT if last is None else last),
    )
    return (Session(*row) for row in rows)


def find(database: Database, text: str | None, cwd: str | None) -> Session:
    """The session that a person means; see `Store.find`."""
    if text is None:
        return _newest(database, cwd)
    if not text:
        raise NotFound("the name of a session that was given is empty; leave it out, and the newest is meant")
    found = [] if _undecoded(text) else _beginning(database, text)
    exact = [one for one in found if one.id == text] or [one for one in found if _bare(one) == text]
    return _only(text, exact or found)


def _undecoded(text: str) -> bool:
    """Whether bytes of a command line that are no UTF-8 stand in it; SQLite takes no such text, and no id has them."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _newest(database: Database, cwd: str | None) -> Session:
    here = None if cwd is None or _undecoded(cwd) else cwd
    found = next(_each(database, "parent IS NULL AND cwd = ?", (here,), 1), None)
    found = found or next(each(database, children=False, last=1), None)
    if found is None:
        raise NotFound("no session is recorded yet")
    return found


def _beginning(database: Database, text: str) -> list[Session]:
    """Those whose id begins so, with the tool or without it; sub-agents only where the text holds "/"."""
    begins = "substr(id, 1, length(?2)) = ?2 OR substr(id, length(tool) + 2, length(?2)) = ?2"
    condition = f"(parent IS NULL OR ?1) AND ({begins})"
    return list(_each(database, condition, ("/" in text, text), None))


def _bare(one: Session) -> str:
    return one.id.removeprefix(f"{one.tool}:")


def _only(text: str, found: list[Session]) -> Session:
    if not found:
        raise NotFound(f"no session begins with {text!r}; `memd status --all` lists them")
    if len(found) > 1:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        names = ", ".join(one.id for one in found[:_SHOWN])
        raise Ambiguous(f"{text!r} fits {len(found)} sessions: {names}{more}")
    return found[0]


def set_ended(database: Database, name: str, at: int | None) -> None:
    """Write or clear `ended_at`; a session that is not recorded is none of the store's business."""
    with database.transaction() as sql:
        sql.execute("UPDATE session SET ended_at = ? WHERE id = ?", (at, name))


def set_cwd(database: Database, name: str, directory: str) -> None:
    """Write where the session goes on; what a transcript tells of another directory later takes its place."""
    with database.transaction() as sql:
        sql.execute("UPDATE session SET cwd = ? WHERE id = ?", (directory, name))


def set_window(database: Database, name: str, tokens: int) -> None:
    """Write the context window that the client itself tells; what is read of the transcript later has none, or a newer one."""
    with database.transaction() as sql:
        sql.execute('UPDATE session SET "window" = ? WHERE id = ?', (tokens, name))
