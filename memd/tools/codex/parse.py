"""Codex's transcript (a rollout), one physical line at a time: `feed(state, line) -> (state, events)`, pure.

Four generations, also mixed in one file after a resume: bare items (2025), envelopes with events beside them, their later
forms, and numbered rows with completed items (2026). In all of them what went to and came from the model stands in response
items, which the client never rewrites; so entries are made of them, and events only say more of them.
"""

from collections.abc import Callable
from typing import Any

from memd.model import Compaction, Envelope, Event, Gap, Origin, Source, TurnEnd
from memd.tail.batch import Line
from memd.tools.codex import answers, delivery, events, known, rollback, words
from memd.tools.codex.reading import Reading, Row
from memd.tools.codex.source import SUPERSEDED, TURNED
from memd.tools.codex.state import Client, ReaderState
from memd.tools.fields import directory, string, table, whole
from memd.tools.jsonl import objects
from memd.tools.remembered import changed

_BARE = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
"""The items that a line of 2025 may be, without an envelope."""


def feed(state: ReaderState, line: Line) -> tuple[ReaderState, tuple[Event, ...]]:
    """The events of one physical line, and the state for the next."""
    rows, gaps = objects(line.data)
    if len(rows) == 1 and not gaps and not line.elided and known.silent(rows[0]):
        return state, ()
    reading = Reading(state, Source(line.offset, line.length), list(gaps))
    if line.elided:
        reading.events.append(Gap("elided", "bytes of long strings left out", line.elided))
    if gaps and any(gap.kind == "torn" for gap in gaps):
        answers.due(reading)  # it may have been what vouches for an item that waits, and nothing may follow
        words.leave(reading)
    for reading.index, row in enumerate(rows):
        reading.open(row)
        _row(reading, row)
    return reading.state, tuple(reading.events)


def left(state: ReaderState) -> tuple[ReaderState, tuple[Event, ...]]:
    """The session is over: nothing vouches any more for an item that waits, and an old client's last turn has ended."""
    reading = Reading(state, Source(0, 0))
    answers.due(reading)
    words.leave(reading)
    if reading.events and not state.ends:
        reading.events.append(TurnEnd(reading.at))
    return reading.state, tuple(reading.events)


def _row(reading: Reading, row: Row) -> None:
    kind, payload = string(row, "type"), table(row, "payload")
    reader = _READERS.get(kind)
    if reader is not None:
        reader(reading, payload)
    elif kind == "response_item":
        answers.read(reading, payload, table(row, "metadata"))
    elif kind in _BARE:
        answers.read(reading, row, {})
    elif not kind and string(row, "id") and "timestamp" in row:
        _meta(reading, row)  # the first line of a file of 2025
    elif kind not in known.ROWS and "record_type" not in row:  # that is a filler of 2025
        reading.events.append(Gap("unknown", kind or "a row without a type"))


def _meta(reading: Reading, meta: Row) -> None:
    """Who writes. The first one says whose transcript it is; later ones came in with copied rows, or say it again."""
    state, client = reading.state, delivery.client(meta)
    if state.begun:
        reading.state = changed(state, client=_guest(state, client))
        return
    delta = bool(table(meta, "history_base")) or whole(meta, "forked_from_ordinal_exclusive") is not None
    child = state.child or delivery.born_of_agent(meta)
    reading.state = changed(state, begun=True, home=client, client=client, delta=delta, child=child)
    git = table(meta, "git")
    reading.tell(
        cwd=directory(meta, "cwd"),
        version=string(meta, "cli_version"),
        entrypoint=client.originator,
        branch=string(git, "branch"),
        forked_from=string(meta, "forked_from_id"),
    )


def _guest(state: ReaderState, client: Client) -> Client:
    """Whose rows follow: a fork's source's up to its own; where nothing tells where they end, a screen's only if both are."""
    if client.thread == state.home.thread and state.home.originator:
        return state.home
    if state.delta or client.screen == state.home.screen:
        return client
    return client if state.home.screen else state.home


def _compacted(reading: Reading, payload: Row) -> None:
    """The context was replaced. Its summary is text, or encrypted for the provider: then there is none to read."""
    words.settle(reading)
    state, summary = reading.state, string(payload, "message")
    ident = string(payload, "window_id") or str(whole(payload, "window_id") or "")
    key = f"compacted:{ident or reading.stamp or reading.source.offset}"
    if summary:
        named = reading.key({}, summary)
        reading.say(named, Envelope(Origin.CLIENT, summary=True), summary)
    manual = reading.state.attests and not state.turn.told
    if reading.taken_back:
        return
    before = state.tokens if state.filled is None else state.filled
    reading.events.append(Compaction(key, reading.at, "manual" if manual else "auto", before=before))
    reading.state = changed(reading.state, usage="", tokens=None, filled=None)


def _retained(reading: Reading, payload: Row) -> None:
    kind = string(payload, "type")
    if kind == "verified_answer":
        words.answers(reading, payload)
    else:
        reading.events.append(Gap("unknown", f"retained_context/{kind}"))


def _between(reading: Reading, payload: Row) -> None:
    """A message between agents, as a row of its own."""
    text = string(payload, "content") or string(payload, "message")
    words.settle(reading)
    extra: dict[str, Any] = {"agent": string(payload, "author")} if string(payload, "author") else {}
    reading.say(reading.key(payload, text), Envelope(Origin.PEER), text, extra=extra)


def _turned(reading: Reading, payload: Row) -> None:
    """What was taken back is so at once where nothing was said since: the next prompt's hooks come before its row."""
    words.settle(reading)
    reading.state = rollback.turn(reading.state)
    if payload.get("own") and reading.state.until is None:
        reading.events.append(rollback.stays(reading.state))


def _superseded(reading: Reading, payload: Row) -> None:
    reading.state = changed(reading.state, until=whole(payload, "from"))


def _context(reading: Reading, payload: Row) -> None:
    reading.tell(model=string(payload, "model"), cwd=reading.state.facts.cwd or directory(payload, "cwd"))


_READERS: dict[str, Callable[[Reading, Row], None]] = {
    "compacted": _compacted,
    "event_msg": events.read,
    "inter_agent_communication": _between,
    SUPERSEDED: _superseded,
    TURNED: _turned,
    "retained_context": _retained,
    "session_meta": _meta,
    "turn_context": _context,
}
