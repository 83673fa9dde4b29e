"""What `memd show` says of the project: its parts as text, and what JSON output adds to that."""

from typing import Any

from memd.model import Session
from memd.model.journal import JournalEntry
from memd.model.text import clock
from memd.store import Store

ENTRIES = 10_000
"""The newest entries of a session that are shown."""


def shown(store: Store, session: Session, part: str) -> tuple[str, dict[str, Any]]:  # noqa: ARG001 - one part so far
    """A part as text, and its JSON fields beside `text`."""
    return _journal(store, session)


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
