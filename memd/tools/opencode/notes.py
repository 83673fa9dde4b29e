"""What memd's plugin noted while the client ran: what the database cannot tell.

A note comes before or after the rows that it speaks of; the record is the same either way.
"""

from typing import Any

from msgspec.structs import replace

from memd.model import Gap
from memd.tools.fields import items, moment, string, table, whole
from memd.tools.opencode import assistant, delivery, user
from memd.tools.opencode.reading import Reading, Row
from memd.tools.opencode.state import NOTED, put
from memd.tools.remembered import changed

_SILENT = frozenset({"alive", "heartbeat", "start"})


def read(reading: Reading, note: Row) -> None:
    """One note."""
    match string(note, "type"):
        case "message":
            _message(reading, note)
        case "window":
            _window(reading, note)
        case "injected":
            _injected(reading, note)
        case "advised":
            _advised(reading, note)
        case kind if kind not in _SILENT:
            reading.events.append(Gap("unknown", f"note/{kind}"))


def _message(reading: Reading, note: Row) -> None:
    """Through what kind of process a message came, and which command it was."""
    ident, kind, command = string(note, "message_id"), string(note, "kind"), table(note, "command")
    if not ident or not kind:
        reading.events.append(Gap("malformed", "a note without a message or a kind"))
        return
    told: dict[str, Any] = {"kind": kind[:40], "typed": _typed(note)}
    if string(command, "name"):
        told["command"] = {name: string(command, name) for name in ("name", "arguments")}
    reading.tell(replace(reading.state.facts, entrypoint=kind[:40]))
    known, before = reading.message(ident), reading.state.noted.get(ident)
    if known is None:
        told = told if before is None or not before.get("typed") else dict(before)
        reading.state = changed(reading.state, noted=put(reading.state.noted, ident, told, NOTED))
    elif not string(known, "kind"):
        reading.remember(ident, **told)
        user.noted(reading, ident)


def _typed(note: Row) -> list[str]:
    """The parts that a prompt came with; empty for a message that no prompt made."""
    return [part for part in items(note, "parts") if isinstance(part, str)][:50]


def _window(reading: Reading, note: Row) -> None:
    """The model's context window, which the database has not."""
    window = whole(note, "context")
    if window is not None and window > 0:
        reading.tell(replace(reading.state.facts, window=window))


def _injected(reading: Reading, note: Row) -> None:
    """A text of memd's went into a request; that the request was answered is told by the row of a step's end."""
    number, at = whole(note, "number"), moment(note.get("at"))
    if number is None or number < 0:  # a line that is no checkpoint
        return
    given = {"number": number, "code": string(note, "code"), "at": at or 0}
    reading.events.append(assistant.receipt(given, None))
    if at is not None and reading.state.answered >= at:
        reading.events.append(assistant.receipt(given, given["code"]))
    else:
        reading.state = changed(reading.state, given=given)


def _advised(reading: Reading, note: Row) -> None:
    """What the agent was told beside the result of a call."""
    call, message, text = (string(note, name) for name in ("call_id", "message_id", "text"))
    if not call or not text:
        reading.events.append(Gap("malformed", "a note of advice without a call or a text"))
        return
    reading.say(message, f"{call}:advice", moment(note.get("at")), delivery.injection(), text, call=call)
