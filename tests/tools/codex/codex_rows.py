"""What the tests of the reader share: recorded rows, hand-made ones, and what becomes of them."""

import json
from functools import cache
from pathlib import Path

from entries import Read, physical, read_lines
from recordings import Recordings

from memd.tools.codex import Codex
from memd.tools.protocol import Identity

RECORDINGS = Recordings("codex")
recording, names = RECORDINGS.lines, RECORDINGS.names
THREAD = "01a22988-7aea-7731-8d65-000000000001"
TURN = "turn-1"
TOOL = Codex()


def read(*rows, child=False, thread=THREAD, left=True):
    """Feed rows (objects, or physical lines as bytes), each through a state that was dumped and loaded."""
    identity = Identity("agent", thread) if child else Identity(thread)
    return read_lines(TOOL, identity, physical(rows), left=left)


def identity(name):
    """Whose transcript a recording is; its name tells nothing."""
    return TOOL.identify(Path("rollout.jsonl"), recording(name))


@cache
def play(name):
    """A recording as memd records it: read to its end, the prompt history asked."""
    own = identity(name) or Identity(THREAD)
    found = read(*recording(name), child=own.parent is not None, thread=own.native)
    concerned = [record for record in found.records if TOOL.concerns(record)]
    lifted = [] if own.parent else TOOL.lift(concerned, recording("history"), own.native)
    return Read((*found.events, *lifted), found.state)


# Rows as the client writes them (codex-cli 0.171.0); `more` overrides


def row(kind, payload, at="2026-11-29T22:59:00.000Z", **more):
    return {"timestamp": at, "ordinal": 1, "type": kind, "payload": payload, **more}


def meta(**more):
    told = {"id": THREAD, "session_id": THREAD, "cwd": "/srv/work", "originator": "codex-tui", "cli_version": "0.171.0"}
    return row("session_meta", {**told, "source": "cli", "thread_source": "user", **more})


def event(kind, /, **fields):
    return row("event_msg", {"type": kind, **fields})


def begin(trigger="user", turn=TURN, **more):
    told = {"turn_id": turn, "turn_trigger": trigger}
    return event("task_started", turn_id=turn, turn_attribution=told, model_context_window=258_400, **more)


def item(text, kind="user.text", provenance="user", role="user", ident="msg_1", turn=TURN, about=None, **more):
    """A response item with one part; without a kind as an old client writes it."""
    told = {"turn_id": turn, "content_item_kinds": [kind], "content_item_metadata": [{"provenance": provenance}]}
    if isinstance(provenance, str):
        told["content_item_metadata"] = [{"provenance": {"type": provenance}}]
    payload = {"type": "message", "id": ident, "role": role, "content": [{"type": "input_text", "text": text}], **more}
    if kind is not None:
        payload["internal_chat_message_metadata_passthrough"] = told
    return row("response_item", payload, metadata=about or {})


def heard(text, turn=TURN, ident="item_1", client="c1", **more):
    """The event of a user's message."""
    said = {"type": "UserMessage", "id": ident, "content": [{"type": "text", "text": text}], **more}
    return event("item_completed", turn_id=turn, item=said | ({"client_id": client} if client else {}))


def said(text, ident="msg_1", **more):
    """The item and the event of a user's message."""
    return item(text, ident=ident, **more), heard(text, ident=f"i{ident}")


def old(text):
    """A user's message and its event, as clients before 2026 write them."""
    return item(text, kind=None, ident=None), event("user_message", message=text, images=[])


def call(name, ident="call_1", **given):
    payload = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": ident}
    return row("response_item", payload)


def result(output, ident="call_1"):
    return row("response_item", {"type": "function_call_output", "call_id": ident, "output": output})


def done(kind, ident="call_1", /, **fields):
    return event("item_completed", turn_id=TURN, item={"type": kind, "id": ident, **fields})
