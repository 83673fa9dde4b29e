"""What OpenCode's plugin asks the daemon, and what answers it (measured on 1.18.33).

- `Request`, before each request to the model: the text goes in as a system message of its own. The client keeps nothing of it,
  so it is given anew each time, the same bytes. The plugin asks neither for titles and summaries nor in child sessions.
- `PreCompact`, before a summary is asked for: the text is appended to that request.
- `Call`, before one of its reading, editing and shell tools runs: the text is put behind the call's result, in the next request
  and in all later ones, since the client takes nothing before a call but an error, which would refuse it.
- `Note`: something new is in the session's notes; nothing is given.

The plugin takes the answer as it is, plain text. Its payload is `{"session_id", "cwd", "kind", "model": "<provider>/<model>",
"context", "input", "output"}`, the last three in tokens, `kind` being how the client was started. `Call` has `{"session_id",
"cwd", "turn", "call_id", "tool", "args"}`, `turn` being the user's message that is answered. `Note` has the session alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memd.later import later
from memd.tools.protocol import Moment

if TYPE_CHECKING:
    from memd.model import Operation
    from memd.tools import fields
    from memd.tools.opencode import calls
else:
    (fields,), (calls,) = later("memd.tools", "fields"), later(__package__, "calls")

SCREEN = "tui"
"""The kind of a client on a person's terminal."""
REQUEST = "Request"
CALL = "Call"
PRE_COMPACT = "PreCompact"
NOTE = "Note"

ALIVE = "opencode/alive.json"
"""Below memd's state directory: when the plugin was last seen running."""

PART_LIMIT = 1_000_000
"""UTF-16 units of one system message: the client sets no limit, the budget in tokens does."""

_REPLY, _SHARE = 32_000, 5
"""The client keeps the model's longest answer free, at most so many tokens; of a small window that is about a fifth."""


def moment(event: str, payload: Mapping[str, Any]) -> Moment | None:
    """The plugin's payload, as far as it is needed."""
    session = fields.string(payload, "session_id")
    if not session:
        return None
    return Moment(
        event=event,
        source=None,
        session=session,
        cwd=fields.string(payload, "cwd") or None,
        turn=fields.string(payload, "turn") or None,
        kind=fields.string(payload, "kind") or None,
        window=fields.whole(payload, "context") or None,
        calls=_calls(payload) if event == CALL else (),
    )


def _calls(payload: Mapping[str, Any]) -> tuple[Operation, ...]:
    """What is about to be done: each file of a patch is told of."""
    running = {"status": "running", "input": fields.table(payload, "args")}
    part = {"tool": fields.string(payload, "tool"), "callID": fields.string(payload, "call_id"), "state": running}
    return calls.operations(part, None)


def reply(event: str, text: str) -> bytes:
    """The bytes that the plugin passes on at an event; nothing for nothing, and for a note."""
    return b"" if event == NOTE else text.encode("utf-8", "replace")


def threshold(window: int | None) -> int | None:
    """The fill at which the client compacts by itself: the window less the longest answer, which only the plugin knows."""
    return None if window is None else window - min(_REPLY, window // _SHARE)
