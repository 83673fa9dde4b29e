"""Where Codex keeps its things, and what a file's place and first line say (measured on codex-cli 0.171.0).

    ${CODEX_HOME:-~/.codex}/sessions/YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl
                            sessions/YYYY/MM/DD/rollout-<local time>-<thread id>_<another id>.jsonl     (after a rewind)
                            archived_sessions/rollout-...      (moved there and back by `codex archive` and `unarchive`)
                            history.jsonl                      (what people submitted on a screen)

A file can be compressed in place, to `.jsonl.zst`. Sub-agents' files lie among the others; only their first line tells.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.errors import SourceUnreadable
from memd.later import later, pattern
from memd.tools.protocol import Identity, Place

if TYPE_CHECKING:
    from memd.tools import fields, jsonl
    from memd.tools.codex import delivery, source
else:
    fields, jsonl = later("memd.tools", "fields", "jsonl")
    delivery, source = later(__package__, "delivery", "source")

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_NAME = pattern(rf"rollout-.*?({_UUID})(?:_{_UUID})?\.jsonl(?:\.zst)?\Z")
_ID = pattern(r"[A-Za-z0-9_-]{1,128}\Z")
_ENDS = (".jsonl", ".jsonl.zst")
_ROWS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_BARE = frozenset({"message", "function_call", "function_call_output"})
OWN = "memd-"
"""How the `--thread-source` of a run of memd's own begins: the client writes it into the first row."""


def place(environ: Mapping[str, str]) -> Place:
    """Codex's places in an environment."""
    given = environ.get("CODEX_HOME")
    home = Path(given) if given else Path(environ.get("HOME") or Path.home()) / ".codex"
    roots = (home / "sessions", home / "archived_sessions")
    return Place(home, roots, home.is_dir(), home / "history.jsonl")


def wanted(path: str) -> bool:
    """Whether a file under the roots is a transcript."""
    return path.endswith(_ENDS) and path.rpartition("/")[2].startswith("rollout-")


def identify(path: Path, head: Sequence[bytes]) -> Identity | None:
    """The session of a transcript by its first `session_meta`, else by its name. memd's own runs are none."""
    named = _NAME.search(path.name)
    meta = _meta(head)
    if fields.string(meta, "thread_source").startswith(OWN) or fields.string(meta, "originator").startswith(OWN):
        return None
    native = fields.string(meta, "id") or (named[1] if named else "")
    if not _ID.match(native):
        return None
    parent = _parent(meta) if delivery.born_of_agent(meta) else ""
    return Identity(native, parent) if _ID.match(parent) and parent != native else Identity(native)


def _parent(meta: Mapping[str, Any]) -> str:
    """The session that all sub-agents of a tree belong to: its root, or with an old client the one that started this one."""
    spawned = fields.table(fields.table(fields.table(meta, "source"), "subagent"), "thread_spawn")
    root = fields.string(meta, "session_id")
    named = root if root != fields.string(meta, "id") else ""
    return named or fields.string(meta, "parent_thread_id") or fields.string(spawned, "parent_thread_id")


def claims(path: Path, head: Sequence[bytes]) -> bool:
    """Whether a file that begins so is one of this tool's."""
    rows = _rows(source.plain(path, head))
    return any(_is_row(row) for row in rows)


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = fields.string(row, "type")
    if kind in _ROWS and fields.table(row, "payload"):
        return True
    bare = kind in _BARE and ("role" in row or "call_id" in row)
    return bare or ("instructions" in row and "timestamp" in row and bool(fields.string(row, "id")) and not kind)


def on_screen(path: Path) -> bool:
    """Whether a transcript was begun on the client's own screen: its first line is on disk before the first hook runs."""
    try:
        return delivery.client(_meta(source.first(path))).screen
    except (OSError, SourceUnreadable):
        return False


def children(path: Path) -> list[Path]:
    """The transcripts of a session's sub-agents that were begun on the same day, or lie in the same folder."""
    named = _NAME.search(path.name)
    if named is None:
        return []
    found = []
    for other in sorted(path.parent.glob("rollout-*.jsonl*")):
        if other != path and wanted(str(other)):
            identity = identify(other, source.first(other))
            found += [other] if identity is not None and identity.parent == named[1] else []
    return found


def _rows(head: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    return (row for line in head[:40] for row in jsonl.objects(line)[0])


def _meta(head: Sequence[bytes]) -> Mapping[str, Any]:
    """The first row that says whose transcript it is, in the form of any generation."""
    for row in _rows(head):
        if fields.string(row, "type") == "session_meta":
            return fields.table(row, "payload")
        if not fields.string(row, "type") and fields.string(row, "id") and "timestamp" in row:
            return row
    return {}
