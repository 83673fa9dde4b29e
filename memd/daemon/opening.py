"""The bootstrap: what a session is told of its project at its start, made from the record and the tree. Reads only."""

import secrets
import string

from memd.daemon.constraints import TOGETHER, WINDOW, block
from memd.daemon.layer import state
from memd.project import agent
from memd.project.identity import Project
from memd.render import project
from memd.store import Store

ANCHORS, ENTRIES = 30, 3
_CODE = string.ascii_uppercase + string.digits


def bootstrap(store: Store, found: Project | None, room: int, window: int | None, now: int) -> str:
    """State, anchors, journal, receipt and constraints in `room` tokens; nothing for a project without `.agent/`."""
    if found is None or found.agent is None:
        return ""
    return _made(store, found, room, window, block(agent.constraints(found), window, room * 2 // 3), now)


def beside(store: Store, found: Project | None, rules: str, window: int | None, now: int) -> str:
    """The short form where the constraints stand before it in the same text."""
    if found is None or found.agent is None:
        return ""
    room = min(project.SHORT, int((window or WINDOW) * TOGETHER / 2))  # the constraints have the other half
    return _made(store, found, room, window, "as they stand above" if rules else "", now)


def _made(store: Store, found: Project, room: int, window: int | None, constraints: str, now: int) -> str:
    known = project.Known(
        found.root.name,
        now,
        state(store, found, now),
        store.projects.anchors(found.id, ANCHORS),
        store.projects.journal(found.id, ENTRIES),
        "".join(secrets.choice(_CODE) for _ in range(6)),
        constraints,
    )
    return project.bootstrap(known, min(room, int((window or WINDOW) * TOGETHER)))
