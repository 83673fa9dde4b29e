"""What the tests of the reader share: real rows from the recordings, hand-made ones, and what becomes of them."""

import json

from entries import Read, physical, read_lines
from recordings import Recordings

from memd.tools.claude_code import ClaudeCode
from memd.tools.protocol import Identity

RECORDINGS = Recordings("claude_code")
recording, names = RECORDINGS.lines, RECORDINGS.names
SESSION = "11111111-2222-4333-8444-555555555555"
TOOL = ClaudeCode()


def read(*rows, child=False, session=SESSION, left=False):
    """Feed rows (objects, or physical lines as bytes), each through a state that was dumped and loaded."""
    identity = Identity("agent", session) if child else Identity(session)
    return read_lines(TOOL, identity, physical(rows), left=left)


def session_of(name):
    return next(row["sessionId"] for row in map(json.loads, recording(name)) if row.get("sessionId"))


def play(name):
    """A recording as memd reads it: to its end, with what the prompt history says of it."""
    child, session = "agent-" in name, session_of(name)
    done = read(*recording(name), child=child, session=session, left=True)
    concerned = [record for record in done.records if TOOL.concerns(record)]
    lifted = [] if child else TOOL.lift(concerned, recording("history"), session)
    return Read((*done.events, *lifted), done.state)


_count = iter(range(1, 1 << 30))


def _row(kind, given, defaults):
    number = next(_count)
    base = {
        "type": kind,
        "uuid": f"row-{number}",
        "parentUuid": None,
        "timestamp": f"2026-11-29T22:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "sessionId": SESSION,
        "entrypoint": "cli",
        "version": "2.1.332",
    }
    row = {**base, **defaults, **given}
    return {key: value for key, value in row.items() if value is not ABSENT}


ABSENT = object()
"""Take a field away that a row would have."""


def typed(text, **given):
    """A prompt that a person typed (2.1.332)."""
    delivered = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
    defaults = {**delivered, "permissionMode": "default", "message": {"role": "user", "content": text}}
    return _row("user", given, defaults)


def plain(text, **given):
    """A user row of a client that states no origin (2.0.76)."""
    return _row(
        "user", given, {"version": "2.0.76", "entrypoint": ABSENT, "message": {"role": "user", "content": text}}
    )


def agent(*content, stop="end_turn", tokens=1000, **given):
    """A row of the agent's; strings are text blocks."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    message = {"role": "assistant", "model": "claude-opus-5-5", "content": blocks, "stop_reason": stop}
    message |= {"id": f"msg-{next(_count)}", "usage": {"input_tokens": tokens, "output_tokens": 1}}
    return _row("assistant", given, {"message": message, "requestedModel": "claude-opus-5-5"})


def call(name, ident="t1", **given):
    """A `tool_use` block."""
    return {"type": "tool_use", "id": ident, "name": name, "input": given}


def result(text, ident="t1", *, error=False, known=None, **given):
    """A user row with a tool's answer (2.1.332)."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": text, **({"is_error": True} if error else {})}
    extra = {"promptId": "p", **({} if known is None else {"toolUseResult": known})}
    return _row("user", given, {"message": {"role": "user", "content": [block]}, **extra})


def attachment(what, **given):
    return _row("attachment", given, {"attachment": what})


def hook_context(*content, hook="SessionStart:compact", **given):
    what = {"type": "hook_additional_context", "content": list(content), "hookName": hook, "hookEvent": "SessionStart"}
    return attachment(what, **given)


def system(subtype, **given):
    return _row("system", given, {"subtype": subtype})


def queue(operation, content=None, **given):
    content = {} if content is None else {"content": content}
    return _row(
        "queue-operation", {"uuid": ABSENT, "parentUuid": ABSENT, "operation": operation, **content, **given}, {}
    )


def chained(*rows):
    """The rows, each the child of the one before it, where they name no parent."""
    last = None
    for row in rows:
        if row.get("parentUuid") is None and "uuid" in row:
            row["parentUuid"] = last
        last = row.get("uuid", last)
    return rows
