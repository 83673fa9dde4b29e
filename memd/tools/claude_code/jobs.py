"""Work that goes on outside the turn: which job a text or an answer speaks of, and whether that job is over."""

from collections.abc import Mapping
from typing import Any

from memd.later import pattern
from memd.tools.fields import string, table

_JOB = pattern(r"<(?:task|shell)-id>([^<]{1,200})</")
_STATUS = pattern(r"<status>([^<]{1,40})</status>")
_OVER = frozenset({"completed", "failed", "killed", "stopped"})


def told(text: str) -> dict[str, Any]:
    """The job that a notification is about, and its status; that it is one has been told by its row, not by this text."""
    head = text[:2_000]
    found = {"job": _JOB.search(head), "status": _STATUS.search(head)}
    return {name: match[1].strip() for name, match in found.items() if match}


def ended(known: Mapping[str, Any]) -> dict[str, Any]:
    """What the structured answer of a look at a job says of it, if it is over (`TaskOutput`, seen in 2.1.49)."""
    task = table(known, "task")
    name, status = string(task, "task_id"), string(task, "status")
    return {"ends": name, "status": status} if name and status in _OVER else {}
