"""Where Claude Code keeps its things, and what a file's place says (measured on 2.1.332 and 2.0.76).

    ${CLAUDE_CONFIG_DIR:-~/.claude}/projects/<slug>/<session id>.jsonl
                                             <session id>/subagents/agent-<agent id>.jsonl
                                             agent-<agent id>.jsonl            (clients before 2.1)

The slug is a lossy form of the working directory; the directory itself is read from the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.later import later, pattern
from memd.tools.protocol import Identity, Place

if TYPE_CHECKING:
    from memd.tools import fields, jsonl
    from memd.tools.claude_code import own
else:
    fields, jsonl = later("memd.tools", "fields", "jsonl")
    (own,) = later(__package__, "own")

_AGENT = pattern(r"agent-([A-Za-z0-9_-]+)\Z")
_ID = pattern(r"[A-Za-z0-9_-]{1,128}\Z")
_TYPES = frozenset(
    {"user", "assistant", "system", "attachment", "summary", "queue-operation", "file-history-snapshot", "mode"}
)
_HEAD = 40
OWN = "memd-"
"""How the entry point of a run of memd's own begins: the client writes it into every row (measured on 2.1.332)."""


def place(environ: Mapping[str, str]) -> Place:
    """Claude Code's places in an environment."""
    given = environ.get("CLAUDE_CONFIG_DIR")
    home = Path(given) if given else Path(environ.get("HOME") or Path.home()) / ".claude"
    return Place(home, (home / "projects",), home.is_dir(), home / "history.jsonl")


def wanted(path: str) -> bool:
    """Whether a file under the root is a transcript (not the spilled output of a tool)."""
    folder, _, name = path.rpartition("/")
    return name.endswith(".jsonl") and name != ".jsonl" and folder.rpartition("/")[2] != "tool-results"


def identify(path: Path, head: Sequence[bytes]) -> Identity | None:
    """The session of a transcript by its place; by its rows where the place does not tell. memd's own runs are none."""
    ours = [line for line in head if own.marked(line)]
    if any(fields.string(row, "entrypoint").startswith(OWN) for row in _rows(ours)):
        return None
    agent = _AGENT.match(path.stem)
    if agent and path.parent.name == "subagents":
        return Identity(agent[1], path.parent.parent.name)
    if not agent and _ID.match(path.stem):
        return Identity(path.stem)
    inside = _session(head)
    if agent:
        return Identity(agent[1], inside) if inside else None
    return Identity(inside) if inside else None


def children(path: Path) -> list[Path]:
    """The sub-agents' transcripts in a session's side folder."""
    return sorted((path.with_suffix("") / "subagents").glob("agent-*.jsonl"))


def claims(head: Sequence[bytes]) -> bool:
    """Whether the first lines of a file look like this tool's rows."""
    return any(fields.string(row, "sessionId") and fields.string(row, "type") in _TYPES for row in _rows(head))


def _rows(head: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    return (row for line in head[:_HEAD] for row in jsonl.objects(line)[0])


def _session(head: Sequence[bytes]) -> str | None:
    ids = (fields.string(row, "sessionId") for row in _rows(head))
    return next((found for found in ids if _ID.match(found)), None)
