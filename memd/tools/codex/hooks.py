"""Codex's hook calls and what answers them (measured on codex-cli 0.171.0).

- SessionStart, UserPromptSubmit, PreToolUse and PostToolUse take `additionalContext`, which becomes a message of the developer
  role. PreCompact and PostCompact take none: there is no way into the request for the summary.
- The output is read strictly: a field that the client does not know drops all of it without a word.
- In a sub-agent `session_id` is its root's; only `agent_id` tells.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.protocol import Moment

if TYPE_CHECKING:
    from memd import model
    from memd.tools import fields, patches
else:
    (model,), (fields, patches) = later("memd", "model"), later("memd.tools", "fields", "patches")

PART_LIMIT = 190_000
"""UTF-16 units; with the handler's `additionalContextLimit` of 0 a text of 200,000 characters went in whole."""

_WINDOW = 272_000
_MODELS = ("gpt-5", "gpt-6")
"""Models whose window is known (measured: gpt-5.5, gpt-6-sol); the transcript names the window of any other itself."""
_SILENT = frozenset({"PreCompact", "PostCompact"})


def moment(event: str, payload: Mapping[str, Any]) -> Moment | None:
    """A hook's payload, as far as it is needed."""
    session = fields.string(payload, "session_id")
    if not session:
        return None
    return Moment(
        event=event,
        source=fields.string(payload, "source") or None,
        session=session,
        cwd=fields.string(payload, "cwd") or None,
        transcript=fields.string(payload, "transcript_path") or None,
        child=bool(payload.get("agent_id")),
        trigger=fields.string(payload, "trigger") or None,
        reason=fields.string(payload, "reason") or None,
        turn=fields.string(payload, "turn_id") or None,
        calls=_calls(payload) if event == "PreToolUse" else (),
    )


def _calls(payload: Mapping[str, Any]) -> tuple[model.Operation, ...]:
    """What is about to be done: a line for the shell, or each file of a patch; both have their text in `command`."""
    ident, text = fields.string(payload, "tool_use_id"), fields.string(fields.table(payload, "tool_input"), "command")
    if fields.string(payload, "tool_name") == "apply_patch":
        return tuple(patches.operations(ident, patches.written(text), None, model.State.RUNNING))
    return (
        (model.Operation(ident, model.Kind.COMMAND, "exec_command", None, model.State.RUNNING, text),) if text else ()
    )


def reply(event: str, text: str) -> bytes:
    """The bytes that make the client take a text into the context at an event; nothing where it takes none."""
    if not text or event in _SILENT:
        return b""
    output = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")


def window(model: str | None) -> int | None:
    """The raw context window of a model in tokens, where no row has told it yet."""
    return _WINDOW if model and model.startswith(_MODELS) else None


def threshold(size: int | None) -> int | None:
    """The fill at which the client compacts by itself: nine tenths of the raw window (20,000: 17,940 no, 18,040 yes)."""
    return None if size is None else size * 9 // 10
