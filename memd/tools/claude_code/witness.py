"""The client's own prompt history as second witness: `history.jsonl`, a line for each thing that was typed on its screen.

Clients before 2.1 state no origin, so their rows cannot tell a typed prompt from a finished job's notification; the history
has the one and not the other (measured on 2.0.76). A line lifts an entry of its session with the same words, written within
half a minute, once; never one that the client's queue delivered, where a machine may have said the same.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memd.model import Amend, Channel, Delivery, Envelope, Grade, Origin, Record, Wrapper
from memd.provenance import classify
from memd.tools.fields import moment, string, table

NEAR = 30_000
"""Milliseconds between the history's line and the transcript's row (measured: under 1,000)."""
_PASTED = re.compile(r"\[Pasted text #(\d+)[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Typed:
    """One line of the history: what was typed and when."""

    at: int
    text: str


def typed(lines: Iterable[bytes], session: str) -> list[Typed]:
    """The lines of one session, in order; what is not one is passed over, for the history proves nothing by itself."""
    needle = session.encode()
    rows = (_load(line) for line in lines if needle in line)
    return [found for row in rows if string(row, "sessionId") == session and (found := _typed(row)) is not None]


def _load(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _typed(row: dict[str, Any]) -> Typed | None:
    at, text = moment(row.get("timestamp")), string(row, "display")
    pasted = table(row, "pastedContents")
    whole = _PASTED.sub(lambda m: string(table(pasted, m[1]), "content") or m[0], text)
    return None if at is None or not whole.strip() else Typed(at, whole.strip())


def lift(records: Sequence[Record], lines: Iterable[bytes], session: str) -> list[Amend]:
    """What the history says of entries that nothing else attributes; `records` are all that it may have to do with."""
    unused = typed(lines, session)
    found = []
    for record in records:
        line = next((line for line in unused if _same(record, line)), None)
        if line is None or record.extra.get("dequeued"):
            continue
        unused.remove(line)
        if record.channel is Channel.UNATTRIBUTED:
            found.append(_amend(record))
    return found


def concerns(record: Record) -> bool:
    """Whether the history may have to do with an entry: nothing told who said it, or the history did before."""
    lifted = record.channel.human and record.grade is Grade.INFERRED
    return (record.channel is Channel.UNATTRIBUTED or lifted) and record.copy_of is None


def _same(record: Record, line: Typed) -> bool:
    return record.at is not None and abs(record.at - line.at) <= NEAR and _as_typed(record) == line.text


def _as_typed(record: Record) -> str:
    if "command" in record.extra:
        return f"/{record.extra['command']} {record.text}".strip()
    return f"!{record.text}".strip() if record.extra.get("shell") else record.text.strip()


def _amend(record: Record) -> Amend:
    queued = Delivery.QUEUED if record.extra.get("queue") else Delivery.PROMPT
    delivery = Delivery.COMMAND if "command" in record.extra else queued
    wrapper = Wrapper.SHELL_INPUT if record.extra.get("shell") else None
    channel, grade = classify(Envelope(Origin.NONE, delivery, wrapper, witness=True))
    return Amend(record.key, channel=channel, grade=grade)
