"""A project that is moved or renamed: its sessions go on in the directory that it is in now.

The tool's hook names it when a session is taken up again; the transcript's rows may name the old one for ever.
"""

import os
from collections.abc import Iterable

from msgspec.structs import replace

from memd.model import Event, Facts, Session


def gone_on(session: Session, directory: str | None) -> bool:
    """Whether a session whose own directory is not here is taken up in one that is."""
    return directory is not None and session.cwd is not None and not _here(session.cwd) and _here(directory)


def told(events: Iterable[Event], session: Session | None) -> list[Event]:
    """What a transcript tells of a session that is recorded, without a directory that is not here where the session's own is."""
    return [_without(event, session) if isinstance(event, Facts) and session is not None else event for event in events]


def _without(facts: Facts, session: Session) -> Facts:
    moved = facts.cwd is not None and session.cwd not in {None, facts.cwd} and not _here(facts.cwd)
    return replace(facts, cwd=None) if moved and _here(session.cwd or "") else facts


def _here(directory: str) -> bool:
    return os.path.isdir(directory)  # noqa: PTH112 - never raises
