"""Claude Code's hook calls and what answers them (measured on 2.1.332).

- SessionStart takes `additionalContext`; one hook output may hold 10,000 UTF-16 units, more is spilled to a file and replaced by
  a 2,000-character preview. Several hooks of one event run in parallel and arrive in the order in which they end.
- PreCompact takes plain text, which is appended to the request for the summary; its JSON context is refused.
- A wrong `hookEventName` drops the whole output; output that is not JSON is sent to the model as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.protocol import Moment

if TYPE_CHECKING:
    from memd.model import Operation
    from memd.tools import fields
    from memd.tools.claude_code import calls
else:
    (fields,), (calls,) = later("memd.tools", "fields"), later(__package__, "calls")

PART_LIMIT = 9_900
"""UTF-16 units a part; the client's own cap is 10,000, counted with what it puts around none of it."""

_TAKEN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_WINDOW = 200_000
_LARGE = 1_000_000
_LARGE_MODELS = ("claude-opus-5", "claude-sonnet-5", "claude-haiku-5", "claude-fable")
"""Models with a window of a million tokens by default (measured: opus-5-5, sonnet-5, haiku-5-5)."""


def moment(event: str, payload: Mapping[str, Any]) -> Moment | None:
    """A hook's payload, as far as it is needed."""
    session = fields.string(payload, "session_id")
    if not session:
        return None
    window, tokens = _context(payload)
    return Moment(
        event=event,
        source=fields.string(payload, "source") or None,
        session=session,
        cwd=fields.string(payload, "cwd") or None,
        transcript=fields.string(payload, "transcript_path") or None,
        child=bool(fields.string(payload, "agent_id")),
        trigger=fields.string(payload, "trigger") or None,
        reason=fields.string(payload, "reason") or None,
        turn=fields.string(payload, "prompt_id") or None,
        calls=_calls(payload) if event == "PreToolUse" else (),
        window=window,
        tokens=tokens,
    )


def _context(payload: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The window and what is in it, which the status line alone is told; before the first answer nothing is in it."""
    context = payload.get("context_window")
    if not isinstance(context, dict):
        return None, None
    usage = context.get("current_usage")
    parts = [fields.whole(usage, name) or 0 for name in _TAKEN] if isinstance(usage, dict) else [0]
    return fields.whole(context, "context_window_size") or None, sum(parts)


def _calls(payload: Mapping[str, Any]) -> tuple[Operation, ...]:
    block = {"id": payload.get("tool_use_id"), "name": payload.get("tool_name"), "input": payload.get("tool_input")}
    call = calls.started(block, None)
    return (call,) if call else ()


def reply(event: str, text: str) -> bytes:
    """The bytes that make the client take a text into the context at an event; nothing for nothing."""
    if not text:
        return b""
    if event == "PreCompact":
        return text.encode("utf-8", "replace")
    output = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")


def window(model: str | None) -> int | None:
    """The context window of a model in tokens: the transcript names the model, not the window."""
    if not model:
        return None
    if "[1m]" in model or model.startswith(_LARGE_MODELS):
        return _LARGE
    return _WINDOW if model.startswith("claude-") else None


def threshold(size: int | None) -> int | None:
    """The fill at which the client compacts by itself: the window less the reply's reserve and 13,000."""
    return None if size is None else size - 20_000 - 13_000
