"""An OpenCode session, one row at a time: `feed(state, line) -> (state, events)`, pure.

The rows are the client's own log: the session, its messages and their parts, each written whole again whenever it changes.
An entry is made once, when a part is final. Who spoke is told part by part (`user`, `assistant`, `delivery`), with the
plugin's word where there is one (`notes`). What is taken back stays recorded (`branches`).
Types that carry nothing to record are listed; any other is counted as unknown and shown, never passed over.
"""

import re
from collections.abc import Callable

from msgspec.structs import replace

from memd.model import Event, Gap, Rewind, Source
from memd.tail.batch import Line
from memd.tools.fields import directory, items, moment, string, table, whole
from memd.tools.jsonl import objects
from memd.tools.opencode import assistant, branches, notes, rows, user
from memd.tools.opencode.reading import Reading, Row
from memd.tools.opencode.state import ReaderState, without
from memd.tools.remembered import changed

_VERSION = re.compile(r"\.\d{1,6}\Z")
_RUN = frozenset({"question", "plan_enter", "plan_exit"})
"""What `opencode run` denies in a session that it makes, and nothing else."""
_SILENT = frozenset({"session.deleted", "session.diff", "session.idle", "session.status", "todo.updated"})
_PARTS_SILENT = frozenset({"agent", "reasoning", "snapshot", "patch"})
_TITLE = "New session - "


def feed(state: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
    """The events of one row, and the state for the next."""
    found, gaps = objects(line.data)
    reading = Reading(state, Source(line.offset, line.length), events=list(gaps))
    if line.elided:
        reading.events.append(Gap("elided", "bytes of long strings left out", line.elided))
    if len(found) == 1 and not gaps:
        reading.of = string(found[0], "of")
        _row(reading, found[0])
    elif found:
        reading.events.append(Gap("malformed", "a row that is not one JSON object"))
    return reading.state, tuple(reading.events)


def _row(reading: Reading, row: Row) -> None:
    kind = _VERSION.sub("", string(row, "type"))
    reader = _READERS.get(kind)
    if reader is not None:
        reader(reading, table(row, "data"))
    elif kind not in _SILENT:
        reading.events.append(Gap("unknown", kind or "a row without a type"))


def _created(reading: Reading, data: Row) -> None:
    """The session's first row: what it is."""
    info = table(data, "info")
    made = moment(table(info, "time").get("created")) or 0
    denied = [string(rule, "permission") for rule in items(info, "permission") if isinstance(rule, dict)]
    run = not reading.state.child and len(denied) == len(_RUN) and set(denied) == _RUN
    first = not reading.state.messages
    reading.state = changed(reading.state, created=made, run=run and first)
    if run:
        reading.tell(replace(reading.state.facts, entrypoint=reading.state.facts.entrypoint or "run"))
    _session(reading, data)


def _session(reading: Reading, data: Row) -> None:
    """What the row says of the session, and whether it was taken back to an earlier place."""
    info, old = table(data, "info"), reading.state.facts
    named = string(info, "title")
    cwd, version = directory(info, "directory") or old.cwd, string(info, "version") or old.version
    title = named if named and not named.startswith(_TITLE) else old.title
    model = old.model or _model(table(info, "model"))
    if (cwd, title, version, model) != (old.cwd, old.title, old.version, old.model):
        reading.tell(replace(old, cwd=cwd, title=title, version=version, model=model))
    revert = table(info, "revert")
    if revert or string(info, "id"):
        _rewound(
            reading, *branches.revert(reading.state, "" if string(revert, "partID") else string(revert, "messageID"))
        )


def _model(model: Row) -> str | None:
    ident, provider = string(model, "modelID") or string(model, "id"), string(model, "providerID")
    return (f"{provider}/{ident}" if provider else ident) if ident else None


def _rewound(reading: Reading, state: ReaderState, rewind: Rewind | None) -> None:
    reading.state = state
    reading.events.extend([rewind] if rewind else [])


def _message(reading: Reading, data: Row) -> None:
    """A message's own row, written again whenever something of it changes."""
    info = table(data, "info")
    ident, role = string(info, "id"), string(info, "role")
    if not ident or role not in {"user", "assistant"}:
        reading.events.append(Gap("malformed", "a message without an id or a role"))
        return
    if reading.message(ident) is None:
        if branches.known(reading.state, ident):
            return  # an old one: what of it could be news is in its parts
        _begin(reading, ident, role, info)
    if role == "assistant":
        assistant.updated(reading, ident, info)


def _begin(reading: Reading, ident: str, role: str, info: Row) -> None:
    noted = reading.state.noted.get(ident, {})
    reading.state = branches.begin(changed(reading.state, noted=without(reading.state.noted, ident)), ident)
    known = {"role": role, "at": moment(table(info, "time").get("created")), "agent": string(info, "agent")[:80]}
    if reading.of:
        reading.tell(replace(reading.state.facts, forked_from=reading.state.facts.forked_from or reading.of))
    if role == "user":
        replay = reading.state.replay
        reading.state = changed(reading.state, replay=False)
        reading.remember(ident, **known, **noted, replay=replay, during=_during(reading))
        return
    model = _model(info)
    summary = info.get("summary") is True
    reading.remember(ident, **known, parent=string(info, "parentID"), summary=summary, model=model)
    if model and not summary:
        reading.tell(replace(reading.state.facts, model=model))


def _during(reading: Reading) -> str:
    """The answer that is being written now, if one is."""
    found = [ident for ident, known in reading.state.messages.items() if known.get("role") == "assistant"]
    last = reading.message(found[-1]) or {} if found else {}
    return found[-1] if last and not any(last.get(name) for name in ("ended", "summary", "beside")) else ""


def _part(reading: Reading, data: Row) -> None:
    """A part, written again whenever it changes."""
    part = table(data, "part")
    ident, message, kind = string(part, "id"), string(part, "messageID"), string(part, "type")
    known = reading.message(message)
    if not ident or not message or not kind:
        reading.events.append(Gap("malformed", "a part without an id, a message or a type"))
        return
    if known is None:
        if not branches.known(reading.state, message):
            reading.events.append(Gap("malformed", "a part of a message that was not told"))
        return
    reader = (_OF_USER if known.get("role") == "user" else _OF_ASSISTANT).get(kind)
    if reader is None:
        if kind not in _PARTS_SILENT:
            reading.events.append(Gap("words" if known.get("role") == "user" else "unknown", f"part/{kind}"))
    elif known.get("role") == "assistant" or ident not in known.get("parts", ()):
        if known.get("role") == "user" and (string(part, "text") or kind != "text"):
            assistant.told(reading, message, ident)
        reader(reading, message, part, _time(reading, known, part, data))


def _time(reading: Reading, known: Row, part: Row, data: Row) -> int | None:
    """When a part was written: a copy's own time is that of the copying."""
    at, times = known.get("at"), table(part, "time") or table(table(part, "state"), "time")
    own = moment(times.get("end")) or moment(times.get("start"))
    copied = isinstance(at, int) and at < reading.state.created
    if known.get("role") == "user":
        return at or own
    return own or (at if copied else moment(data.get("time"))) or at


def _start(reading: Reading, message: str, part: Row, at: int | None) -> None:  # noqa: ARG001 - one of the readers
    """A step of the model begins: the message is no command that somebody ran beside it."""
    reading.remember(message, stepped=True)


def _compaction(reading: Reading, message: str, part: Row, at: int | None) -> None:  # noqa: ARG001 - one of the readers
    user.compaction(reading, message, part)


def _removed(reading: Reading, data: Row) -> None:
    """A message was removed, or a part of one. A fork's copy that is gone is a replay that led nowhere, and nobody's prompt."""
    message, part = string(data, "messageID"), string(data, "partID")
    at = whole(reading.message(message) or {}, "at")
    if at is not None and at < reading.state.created and not part:
        user.retracted(reading, message)
    _rewound(reading, *branches.remove(reading.state, message, part))


_READERS: dict[str, Callable[[Reading, Row], None]] = {
    rows.CREATED: _created,
    "session.updated": _session,
    rows.MESSAGE: _message,
    rows.PART: _part,
    "message.removed": _removed,
    "message.part.removed": _removed,
    rows.NOTE: notes.read,
}
Reader = Callable[[Reading, str, Row, int | None], None]
_OF_USER: dict[str, Reader] = {
    "text": user.text,
    "file": user.file,
    "subtask": user.subtask,
    "compaction": _compaction,
}
_OF_ASSISTANT: dict[str, Reader] = {
    "text": assistant.text,
    "tool": assistant.tool,
    "step-start": _start,
    "step-finish": assistant.step,
    "retry": assistant.retry,
    "file": user.file,
}
