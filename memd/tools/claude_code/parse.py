"""Claude Code's transcript, one physical line at a time: `feed(state, line) -> (state, events)`, pure.

A row is read by its type. Rows with an id (`uuid`) form the conversation's tree (`branches`); what they hold becomes
entries, tool calls (`calls`), usage, compactions. Who spoke is told by `delivery` and `provenance` from the row's fields.
Types that carry nothing to record are listed (`known`); any other is counted as unknown and shown, never passed over.
"""

from collections.abc import Callable

from msgspec.structs import replace

from memd.model import Compaction, Envelope, Event, Facts, Gap, Origin, Source, TurnEnd, Wrapper
from memd.tail.lines import Line
from memd.tools.claude_code import assistant, attachment, branches, delivery, known, queue, user
from memd.tools.claude_code.reading import HARNESS, Reading, Row
from memd.tools.claude_code.state import ROW, ReaderState
from memd.tools.fields import directory, excerpt, items, moment, string, table, whole
from memd.tools.jsonl import objects
from memd.tools.remembered import changed


def feed(state: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
    """The events of one physical line, and the state for the next."""
    rows, gaps = objects(line.data)
    if len(rows) == 1 and not gaps and not line.elided and string(rows[0], "type") in known.ROWS:
        return state, ()  # every third row (measured): what the client keeps for itself
    reading = Reading(state, Source(line.offset, line.length), list(gaps))
    if line.elided:
        reading.events.append(Gap("elided", "bytes of long strings left out", line.elided))
    for reading.index, row in enumerate(rows):
        _row(reading, row)
    return reading.state, tuple(reading.events)


def _row(reading: Reading, row: Row) -> None:
    kind, ident = string(row, "type"), string(row, "uuid")
    reader = _READERS.get(kind)
    if reader is None:
        if kind not in known.ROWS:
            reading.events.append(Gap("words" if _said(row) else "unknown", kind or "a row without a type"))
        return
    if kind == "user" and ident and reading.state.places.get(ROW + ident) is not None:
        reading.state = changed(reading.state, replay=True)
        return  # a prompt's row written again, after a resume or a compaction: not a new request, not a way back
    reading.at = moment(row.get("timestamp"))
    _facts(reading, row)
    if ident:
        _step(reading, row, ident)
    reader(reading, row)


def _said(row: Row) -> bool:
    """Whether a person may have said something in a row of a type that is not known."""
    return string(table(row, "origin"), "kind") == "human" or string(table(row, "message"), "role") == "user"


def _step(reading: Reading, row: Row, ident: str) -> None:
    """Where the row stands in the conversation: behind the last one, back at an earlier place, or a copy of an old one.

    A client that writes its history again (seen at a later compaction) keeps the ids and the times: after a prompt that
    comes a second time, rows that are no newer than what was read are copies, and lead nowhere.
    Nor does a boundary: it starts a new root.
    """
    state, at = reading.state, reading.at
    reading.copied = state.replay and at is not None and at <= state.newest
    if reading.copied:
        return
    if state.anew and not state.answered and row.get("type") == "assistant":
        state = reading.state = changed(state, answered=True)
    if row.get("parentUuid", "") is None and state.leaf and _first(row):
        reading.state = branches.root(state, ident, at)
        return
    parent = "" if row.get("subtype") == "compact_boundary" else string(row, "parentUuid")
    if parent != state.leaf and parent in (*state.ends, *state.aside) and not _answers(row):
        # Nobody can go back there on a screen; only the results of parallel calls stand behind each one's own call.
        reading.events.append(Gap("writers", "a branch that was left goes on"))
    reading.state, rewind = branches.step(state, ident, parent, at)
    if rewind:
        reading.events.append(rewind)


def _first(row: Row) -> bool:
    """Whether a row that has none before it is a prompt, or what the client puts before one."""
    if row.get("type") not in {"user", "attachment"} and row.get("subtype") != "local_command":
        return False
    return not any(row.get(flag) for flag in ("isSidechain", "agentId", "isCompactSummary"))


def _went_back(reading: Reading, row: Row) -> None:
    """The client's note of the last prompt; `explicit`: somebody went back before it."""
    if row.get("explicit") is True:
        reading.state, rewind = branches.went_back(reading.state)
        reading.events.extend([rewind] if rewind else [])


def _answers(row: Row) -> bool:
    """Whether it is the row of a tool's result."""
    blocks = items(table(row, "message"), "content")
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _facts(reading: Reading, row: Row) -> None:
    """What the row says of the session, where it differs from what is known."""
    old = reading.state.facts
    if not reading.state.attests and (string(row, "promptSource") or string(row, "rowSource") or table(row, "origin")):
        reading.state = changed(reading.state, attests=True)
    same = old.cwd and row.get("version") == old.version and row.get("entrypoint") == old.entrypoint
    if same and row.get("gitBranch") == old.branch and "forkedFrom" not in row and "requestSessionId" not in row:
        return  # as nearly always
    origin = string(table(row, "forkedFrom"), "sessionId") or string(row, "requestSessionId")
    reading.tell(
        Facts(
            cwd=old.cwd or directory(row, "cwd") or None,
            version=string(row, "version") or old.version,
            entrypoint=string(row, "entrypoint") or old.entrypoint,
            branch=string(row, "gitBranch") or old.branch,
            forked_from=(origin if origin != reading.state.session else None) or old.forked_from,  # the nearest is last
            model=old.model,
            title=old.title,
        )
    )


def _title(reading: Reading, row: Row) -> None:
    title = string(row, "customTitle") or string(row, "title") or string(row, "summary")
    reading.tell(replace(reading.state.facts, title=title or reading.state.facts.title))


def _own_title(reading: Reading, row: Row) -> None:
    """The client's own idea of a title: good until the person or an earlier summary says better."""
    reading.tell(replace(reading.state.facts, title=reading.state.facts.title or string(row, "aiTitle") or None))


def _moved(reading: Reading, row: Row) -> None:
    """The person moved the session to another directory (`/cd`)."""
    reading.tell(replace(reading.state.facts, cwd=directory(row, "relocatedCwd") or reading.state.facts.cwd))


def _system(reading: Reading, row: Row) -> None:
    kind, at = string(row, "subtype"), reading.at
    match kind:
        case "compact_boundary":
            _compacted(reading, row, table(row, "compactMetadata"))
        case "turn_duration":
            reading.events.append(TurnEnd(at))
        case "local_command" | "voice_call_talk":
            reading.say(reading.key(row), row, Envelope(Origin.CLIENT), excerpt(string(row, "content"), HARNESS))
        case _ if kind not in known.SYSTEM:
            reading.events.append(Gap("unknown", f"system/{kind}"))
        case _:
            pass


def _compacted(reading: Reading, row: Row, meta: Row) -> None:
    """The context was replaced; what was typed for the summary in the list of prompts (`/rewind`) stands in this row alone."""
    sizes = whole(meta, "preTokens"), whole(meta, "postTokens")
    trigger = "manual" if string(meta, "trigger") == "manual" else "auto"
    reading.events.append(Compaction(reading.key(row), reading.at, trigger, *sizes))
    words = string(meta, "userContext") if "messagesSummarized" in meta else ""  # `/compact` has a row of its own
    if words.strip():
        headless, child = delivery.headless(row), reading.state.child
        envelope = Envelope(Origin.LOCAL, wrapper=Wrapper.COMMAND, headless=headless, child=child)
        reading.say(f"{reading.key(row)}:words", row, envelope, words, command="rewind")


_READERS: dict[str, Callable[[Reading, Row], None]] = {
    "user": user.read,
    "assistant": assistant.read,
    "attachment": attachment.read,
    "system": _system,
    "queue-operation": queue.read,
    "ai-title": _own_title,
    "custom-title": _title,
    "last-prompt": _went_back,
    "relocated": _moved,
    "summary": _title,
}
