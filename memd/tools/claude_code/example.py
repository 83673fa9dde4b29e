"""The made-up session of docs/example.jsonl, moved to another place and time, and what the client writes when it compacts.

For `memd demo`, and for the tests that play it. The shapes are those of 2.1.332.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

SESSION = "example"
WRITTEN_IN = "/home/dev/work/invoices"
_LAST = "00000035-0000-4000-8000-000000000001"

Row = Mapping[str, Any]


def rows(written: str, project: Path, end: datetime) -> list[Row]:
    """The rows of the file in another directory, the last of them written at `end`."""
    found = [json.loads(line) for line in written.replace(WRITTEN_IN, str(project)).splitlines()]
    late = end - datetime.fromisoformat(found[-1]["timestamp"])
    return [row | {"timestamp": stamp(datetime.fromisoformat(row["timestamp"]) + late)} for row in found]


def report(claim: str, at: datetime) -> Row:
    """The client's notification that the session's background job is done; its output says what it likes."""
    told = f"<task-notification>\n<task-id>b7ub21hom</task-id>\n<summary>{claim}</summary>\n</task-notification>"
    origin = {"origin": {"kind": "task-notification"}, "promptSource": "system", "turnOrigin": "task_notification"}
    return _row("99", _LAST, at) | {"type": "user", "message": {"role": "user", "content": told}} | origin


def compaction(outputs: Iterable[bytes | str], at: datetime, summary: str | None = None) -> list[Row]:
    """The boundary, the summary that takes the conversation's place, and the texts of all SessionStart hooks in one row."""
    texts = [json.loads(output)["hookSpecificOutput"]["additionalContext"] for output in outputs]
    given = {"type": "hook_additional_context", "content": texts, "hookName": "SessionStart:compact"}
    metadata = {"trigger": "auto", "preTokens": 167_000, "postTokens": 9_000}
    bound = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": _LAST, "compactMetadata": metadata}
    message = {"role": "user", "content": summary}
    told = {"type": "user", "isCompactSummary": True, "message": message}
    found = [_row("100", None, at) | bound]
    found += [_row("102", _id("100"), at) | told] if summary else []
    return [*found, _row("101", str(found[-1]["uuid"]), at) | {"type": "attachment", "attachment": given}]


def lines(found: Sequence[Row]) -> bytes:
    """Rows as the client appends them to its transcript."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in found)


def stamp(at: datetime) -> str:
    """A time as the client writes it."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _row(number: str, parent: str | None, at: datetime) -> dict[str, Any]:
    own = {"uuid": _id(number), "parentUuid": parent, "timestamp": stamp(at)}
    return {"isSidechain": False, "sessionId": SESSION, "entrypoint": "cli", "version": "2.1.332", **own}


def _id(number: str) -> str:
    return f"{number:0>8}-0000-4000-8000-000000000001"
