"""The project's constraints as a text for the context, within what is allowed for them."""

from memd.model import Session
from memd.project import agent, identity
from memd.project.agent import Constraints
from memd.render import project

WINDOW = 200_000
"""Tokens, where the window is not known."""
TOGETHER = 0.05
"""Of the window: bootstrap and constraints together."""


def block(rules: Constraints | None, window: int | None, room: int = project.RULES) -> str:
    """The constraints as they are put into the context; empty where there are none."""
    if rules is None:
        return ""
    most = int((window or WINDOW) * TOGETHER / 2)
    return project.constraints(rules.name, rules.lines, rules.digest, min(room, most))


def of_session(session: Session, window: int | None) -> str:
    """The constraints that hold for a session."""
    return of_directory(session.cwd, window)


def of_directory(directory: str | None, window: int | None) -> str:
    """The constraints that hold in a directory."""
    found = identity.find(directory)
    return "" if found is None else block(agent.constraints(found), window)
