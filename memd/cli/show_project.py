"""What `memd show` says of the project: its parts as text, and what JSON output adds to that."""

from typing import Any

from msgspec.structs import replace

from memd.daemon import layer, pipeline
from memd.errors import NotFound
from memd.model import Session
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry, iso
from memd.model.text import clock
from memd.project import checks, identity
from memd.store import Store

ENTRIES, ANCHORS = 10_000, 200
"""The newest entries of a session, and the most recently used anchors of a project, that are shown."""


def shown(store: Store, session: Session, part: str) -> tuple[str, dict[str, Any]]:
    """A part as text, and its JSON fields beside `text`.

    Raises:
        NotFound: the part is the project's, and the session's directory is not on this machine.
    """
    if part == "journal":
        return _journal(store, session)
    found = identity.find(session.cwd)
    if found is None:
        raise NotFound(f"{session.id} has no project here: {session.cwd or 'its directory'} is not on this machine")
    return _anchors(store, found) if part == "anchors" else (layer.state(store, found, pipeline.wall_clock()), {})


def _anchors(store: Store, found: identity.Project) -> tuple[str, dict[str, Any]]:
    """Each is looked for now."""
    known = [replace(one, stale=not checks.holds(found.root, one)) for one in store.projects.anchors(found.id, ANCHORS)]
    rows = [f"{one.shown} ({one.kind}, {clock(one.at)}{', not there' if one.stale else ''})" for one in known]
    return "\n".join(rows) or "no anchors yet", {"anchors": [_anchor(one) for one in known]}


def _anchor(one: Anchor) -> dict[str, Any]:
    return {"path": one.path, "name": one.name or None, "kind": one.kind, "at": iso(one.at), "stale": one.stale}


def _journal(store: Store, session: Session) -> tuple[str, dict[str, Any]]:
    entries = store.projects.done_by(session.id, ENTRIES)
    text = "\n".join(map(_line, entries)) or "nothing that changed anything is recorded"
    return text, {"entries": [entry.shown() for entry in entries]}


def _line(entry: JournalEntry) -> str:
    change = "" if entry.old is None and entry.new is None else f": {_told(entry.old)} -> {_told(entry.new)}"
    who = f", {entry.agent}" if entry.agent else ""
    return f"{clock(entry.at)} {entry.op} {entry.target}{change} ({entry.result}, #{entry.number}{who})"


def _told(value: str | None) -> str:
    return "nothing" if value is None else f"`{value}`"
