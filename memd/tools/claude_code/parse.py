"""Claude Code's transcript, one physical line at a time: `feed(state, line) -> (state, events)`, pure.

A row is read by its type. Rows with an id (`uuid`) form the conversation's tree (`branches`); what they hold becomes entries,
tool calls (`calls`), usage, compactions. Who spoke is told by `delivery` and `provenance` from the row's fields. Types that
carry nothing to record are listed; any other type is counted as unknown and shown, never passed over.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memd.model import (
    Channel,
    Compaction,
    Envelope,
    Event,
    Facts,
    Gap,
    Kind,
    Message,
    Operation,
    Origin,
    Receipt,
    Source,
    State,
    TurnEnd,
    Usage,
    Wrapper,
    marks,
)
from memd.provenance import classify
from memd.tail.lines import Line
from memd.tools.claude_code import branches, calls, delivery
from memd.tools.claude_code.state import ReaderState
from memd.tools.fields import excerpt, flag, flat, items, moment, string, table, whole
from memd.tools.jsonl import objects

Row = Mapping[str, Any]

HARNESS = 600
"""Characters of the client's own texts (listings, reminders, skill bodies) that are kept; the record points to the rest."""

SILENT = frozenset(
    {
        "agent-name",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "cost-state",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "progress",
        "queue-operation",
        "tools-used",
        "worktree-state",
    }
)
"""Row types that are understood and hold nothing to record."""

SILENT_SYSTEM = frozenset(
    {
        "api_error",
        "api_metrics",
        "away_summary",
        "bridge_status",
        "informational",
        "microcompact_boundary",
        "scheduled_task_fire",
        "stop_hook_summary",
    }
)
_SILENT_ATTACHMENTS = frozenset({"command_permissions", "prompt_snapshot", "total_tokens_reminder"})
_INSTRUCTIONS = frozenset({"environment", "instructions", "session_context"})
_ARGS = re.compile(r"<command-args>(.*)</command-args>", re.DOTALL)
_NAME = re.compile(r"<command-name>/?(.*?)</command-name>", re.DOTALL)
_SHELL = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)
_JOB = re.compile(r"<task-id>([^<]{1,200})</task-id>")
_STATUS = re.compile(r"<status>([^<]{1,40})</status>")
_SYNTHETIC = "<synthetic>"
"""The model name of answers that the client wrote itself, such as API errors."""


@dataclass(slots=True)
class _Reading:
    """One line being read: the state so far and the events that it made."""

    state: ReaderState
    source: Source
    events: list[Event] = field(default_factory=list)

    def enter(self, message: Message) -> None:
        """Add an entry; from now on it is the last one."""
        self.events.append(message)
        self.state = branches.enter(self.state, message.key)

    def say(self, key: str, row: Row, envelope: Envelope, text: str, **extra: Any) -> Channel:
        """Add an entry whose speaker its envelope tells."""
        channel, grade = classify(envelope)
        turn = string(row, "promptId") or None
        at = moment(row.get("timestamp"))
        self.enter(Message(key, at, channel, grade, text, self.source, turn, extra=extra))
        return channel


def feed(state: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
    """The events of one physical line, and the state for the next."""
    rows, gaps = objects(line.data)
    reading = _Reading(state, Source(line.offset, line.length), list(gaps))
    if line.elided:
        reading.events.append(Gap("elided", "bytes of long strings left out", line.elided))
    for row in rows:
        _row(reading, row)
    return reading.state, tuple(reading.events)


def _row(reading: _Reading, row: Row) -> None:
    kind = string(row, "type")
    reader = _READERS.get(kind)
    if reader is None:
        if kind not in SILENT:
            reading.events.append(Gap("unknown", kind or "a row without a type"))
        return
    if string(row, "uuid") and string(row, "uuid") in reading.state.marks and kind == "user":
        return  # a prompt's row written again, after a resume or a compaction: not a new request, not a way back
    _facts(reading, row)
    if string(row, "uuid"):
        reading.state, rewind = branches.step(reading.state, string(row, "uuid"), string(row, "parentUuid"))
        reading.events.extend([rewind] if rewind else [])
    reader(reading, row)


def _facts(reading: _Reading, row: Row) -> None:
    """What the row says of the session, where it differs from what is known."""
    old = reading.state.facts
    origin = string(table(row, "forkedFrom"), "sessionId") or string(row, "requestSessionId")
    new = Facts(
        cwd=old.cwd or string(row, "cwd") or None,
        version=string(row, "version") or old.version,
        entrypoint=string(row, "entrypoint") or old.entrypoint,
        branch=string(row, "gitBranch") or old.branch,
        forked_from=old.forked_from or (origin if origin != reading.state.session else None) or None,
        model=old.model,
        title=old.title,
    )
    _tell(reading, new)


def _tell(reading: _Reading, new: Facts) -> None:
    if new != reading.state.facts:
        reading.state = replace(reading.state, facts=new)
        reading.events.append(new)


def _title(reading: _Reading, row: Row) -> None:
    title = string(row, "customTitle") or string(row, "title") or string(row, "summary")
    if title:
        _tell(reading, replace(reading.state.facts, title=title))


def _user(reading: _Reading, row: Row) -> None:
    content = table(row, "message").get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_result":
            _result(reading, row, block)
    images = sum(block.get("type") == "image" for block in blocks)
    text = flat(content)
    if text or images:
        _words(reading, row, text, images)


def _words(reading: _Reading, row: Row, text: str, images: int) -> None:
    """The text of a user row that is not a tool's answer."""
    state, before = reading.state, reading.state.last
    envelope = delivery.of_user_row(row, text, child=state.child)
    shown, extra = _unwrapped(text, envelope)
    if images:
        extra["images"] = images
    if envelope.origin is Origin.JOB:
        extra |= _job(text)
    if envelope.wrapper is Wrapper.COMMAND and envelope.origin in {Origin.PERSON, Origin.LOCAL} and not shown:
        envelope = replace(envelope, meta=True, origin=Origin.CLIENT)
        shown = text
    if classify(envelope)[0] is Channel.HARNESS_META:
        shown = excerpt(shown, HARNESS)
    key = string(row, "uuid") or f"line:{reading.source.offset}"
    if flag(row, "isApiErrorMessage"):
        extra["failed"] = True
    channel = reading.say(key, row, envelope, shown, **extra)
    if channel.starts_turn:
        reading.state = branches.mark(reading.state, string(row, "uuid"), string(row, "parentUuid"), key, before)
    if string(row, "interruptedMessageId") or (
        string(row, "rowSource") == "harness" and channel is Channel.HARNESS_META
    ):
        reading.events.append(TurnEnd(moment(row.get("timestamp"))))


def _unwrapped(text: str, envelope: Envelope) -> tuple[str, dict[str, Any]]:
    """The person's own words inside the tags that the client put around them."""
    command = envelope.origin is Origin.LOCAL or envelope.delivery.value == "command"
    if command and envelope.wrapper is Wrapper.COMMAND:
        args, name = _ARGS.search(text), _NAME.search(text)
        return (args[1].strip() if args else ""), {"command": name[1].strip()} if name else {}
    if envelope.wrapper is Wrapper.SHELL_INPUT and envelope.origin in {Origin.LOCAL, Origin.NONE}:
        typed = _SHELL.search(text)
        return (typed[1] if typed else text), {}
    return text, {}


def _job(text: str) -> dict[str, Any]:
    """Which job a notification is about; its origin has been told by the row, not by this text."""
    head = text[:2_000]
    found = {"job": _JOB.search(head), "status": _STATUS.search(head)}
    return {name: match[1].strip() for name, match in found.items() if match}


def _result(reading: _Reading, row: Row, block: Row) -> None:
    """A tool's answer, and the person's words inside it if there are any."""
    call, at = string(block, "tool_use_id"), moment(row.get("timestamp"))
    key = f"{string(row, 'uuid') or reading.source.offset}:{call}"
    text = flat(block.get("content"))
    cut = max(0, len(text) - calls.RESULT)
    reading.say(
        key, row, Envelope(Origin.TOOL), excerpt(text, calls.RESULT), call=call, **({"cut": cut} if cut else {})
    )
    known = reading.state.calls.get(call)
    if known is not None:
        _settle(reading, row, block, known, at)
    words = calls.refusal_words(row, block)
    if words:
        reading.say(f"{key}:refusal", row, _refusal(row), words, call=call, refusal=True)
    if string(table(row, "toolUseResult"), "plan") or table(table(row, "toolUseResult"), "answers"):
        _answers(reading, row, key, call)


def _refusal(row: Row) -> Envelope:
    """A client without `toolDenialKind` leaves only its own fixed wording as a witness: inferred, not proved."""
    envelope = delivery.of_answer(row)
    return envelope if string(row, "toolDenialKind") else replace(envelope, origin=Origin.NONE, witness=True)


def _answers(reading: _Reading, row: Row, key: str, call: str) -> None:
    for number, (question, answer) in enumerate(table(table(row, "toolUseResult"), "answers").items(), 1):
        words = (
            answer
            if isinstance(answer, str)
            else ", ".join(a for a in answer if isinstance(a, str))
            if isinstance(answer, list)
            else ""
        )
        if words:
            reading.say(f"{key}:answer:{number}", row, delivery.of_answer(row), words, call=call, question=question)


def _settle(reading: _Reading, row: Row, block: Row, known: Mapping[str, Any], at: int | None) -> None:
    """The result is known: tell the whole call, and forget that it was open."""
    call = Operation(
        string(block, "tool_use_id"),
        Kind(known["kind"]),
        known["name"],
        known["at"],
        State.RUNNING,
        known["target"],
        known["detail"],
    )
    done = calls.finished(call, row, block, at)
    state = reading.state
    tasks = (
        calls.tasks_after(state.tasks, done, row, known.get("given", {})) if call.kind is Kind.TASKS else state.tasks
    )
    if call.kind is Kind.TASKS:
        done = replace(done, detail={**done.detail, "items": [{"id": key, **task} for key, task in tasks.items()]})
    open_calls = {key: value for key, value in state.calls.items() if key != call.call}
    reading.state = replace(state, calls=open_calls, tasks=tasks)
    reading.events.append(done)


def _assistant(reading: _Reading, row: Row) -> None:
    message, at = table(row, "message"), moment(row.get("timestamp"))
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    text = flat(content)
    made_up = string(message, "model") == _SYNTHETIC or flag(row, "isApiErrorMessage")
    if text:
        key = string(row, "uuid") or f"line:{reading.source.offset}"
        reading.say(
            key,
            row,
            Envelope(Origin.CLIENT if made_up else Origin.AGENT),
            text,
            **({"failed": True} if made_up else {}),
        )
    for block in blocks:
        if block.get("type") == "tool_use":
            _call(reading, block, at)
    if not made_up:
        _usage(reading, row, message, at)
    if string(message, "stop_reason") in {"end_turn", "stop_sequence", "refusal"} or made_up:
        reading.events.append(TurnEnd(at))


def _call(reading: _Reading, block: Row, at: int | None) -> None:
    call = calls.started(block, at)
    if call is None or call.call in reading.state.calls:
        return
    kept = {key: value for key, value in asdict(call).items() if key in {"kind", "name", "at", "target", "detail"}}
    if call.kind is Kind.TASKS:
        kept["given"] = table(block, "input")
    reading.state = replace(reading.state, calls={**reading.state.calls, call.call: kept})
    reading.events.append(call)


def _usage(reading: _Reading, row: Row, message: Row, at: int | None) -> None:
    """How full the context is: every block of an answer repeats its usage, so it is told once an answer."""
    key, usage = string(message, "id"), table(message, "usage")
    model = string(row, "requestedModel") or string(message, "model")
    sizes = [
        whole(usage, name) or 0 for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    if flag(row, "isSidechain") != reading.state.child or not key or key == reading.state.usage or not sum(sizes):
        return
    reading.state = replace(reading.state, usage=key)
    _tell(reading, replace(reading.state.facts, model=model or reading.state.facts.model))
    reading.events.append(Usage(key, at, sum(sizes), model or None))


def _attachment(reading: _Reading, row: Row) -> None:
    what = table(row, "attachment")
    kind, key = string(what, "type"), string(row, "uuid") or f"line:{reading.source.offset}"
    match kind:
        case "hook_additional_context" | "hook_success" | "hook_blocking_error":
            _hook(reading, row, what, key)
        case "queued_command":
            envelope = delivery.of_queued(row, what)
            prompt = what.get("prompt")
            extra = _job(flat(prompt)) if envelope.origin is Origin.JOB else {}
            reading.say(key, row, envelope, flat(prompt), **extra, **({"images": n} if (n := _images(prompt)) else {}))
        case "model":
            model = string(table(what, "identity"), "modelId")
            _tell(reading, replace(reading.state.facts, model=model or reading.state.facts.model))
        case _ if kind in _SILENT_ATTACHMENTS:
            pass
        case _:
            _harness(reading, row, what, key)


def _images(content: Any) -> int:
    return (
        sum(isinstance(block, dict) and block.get("type") == "image" for block in content)
        if isinstance(content, list)
        else 0
    )


def _harness(reading: _Reading, row: Row, what: Row, key: str) -> None:
    """A text of the client's own that the model was shown; without one there is nothing to record."""
    shown = "\n".join(flat(block.get("content")) for block in items(row, "rendered") if isinstance(block, dict))
    kind = string(what, "type")
    if shown or kind in _INSTRUCTIONS:
        origin = Origin.INSTRUCTIONS if kind in _INSTRUCTIONS else Origin.CLIENT
        reading.say(key, row, Envelope(origin), excerpt(shown, HARNESS), attachment=kind)


def _hook(reading: _Reading, row: Row, what: Row, key: str) -> None:
    """A hook's output that went to the model; memd's own is known by its marks and proves its delivery."""
    hook = string(what, "hookName") or string(what, "hookEvent")
    texts = [text for text in items(what, "content") if isinstance(text, str)] or [flat(what.get("content"))]
    texts = (
        [string(table(what, "blockingError"), "blockingError")]
        if string(what, "type") == "hook_blocking_error"
        else texts
    )
    for number, text in enumerate(filter(None, texts), 1):
        own = Wrapper.OWN if marks.own(text) else None
        name = key if number == 1 else f"{key}:{number}"
        reading.say(name, row, Envelope(Origin.HOOK, wrapper=own), text, hook=hook)
        reading.events.extend(_receipt(text, hook, moment(row.get("timestamp"))))


def _receipt(text: str, hook: str, at: int | None) -> Iterator[Receipt]:
    found = marks.find(text)
    if found is not None:
        yield Receipt(at, found.number, found.part, found.parts, found.code, found.session, hook)


def _system(reading: _Reading, row: Row) -> None:
    kind, at = string(row, "subtype"), moment(row.get("timestamp"))
    key = string(row, "uuid") or f"line:{reading.source.offset}"
    match kind:
        case "compact_boundary":
            meta = table(row, "compactMetadata")
            trigger = string(meta, "trigger") or "auto"
            reading.events.append(Compaction(key, at, trigger, whole(meta, "preTokens"), whole(meta, "postTokens")))
        case "turn_duration":
            reading.events.append(TurnEnd(at))
        case "local_command":
            reading.say(key, row, Envelope(Origin.CLIENT), excerpt(string(row, "content"), HARNESS))
        case _ if kind not in SILENT_SYSTEM:
            reading.events.append(Gap("unknown", f"system/{kind}"))
        case _:
            pass


_READERS: dict[str, Callable[[_Reading, Row], None]] = {
    "user": _user,
    "assistant": _assistant,
    "attachment": _attachment,
    "system": _system,
    "custom-title": _title,
    "summary": _title,
}
