"""A transcript of Claude Code as its client writes it, row by row (the shapes are of 2.1.332)."""

import json
import time
import uuid
from datetime import UTC, datetime

SESSION = "5d1f0c1e-7b1a-4b7e-9a52-000000000001"


class Transcript:
    """Appends rows to a file; every row has an id, the one before as its parent, and a time that only goes forward."""

    def __init__(self, path, *, session=None, cwd="/srv/work", entrypoint="cli", at=None, **row):
        self.path = path
        self.session = session or path.stem
        self.cwd = cwd
        self._at = at or time.time() - 60
        self._common = {"cwd": cwd, "entrypoint": entrypoint, "version": "2.1.332", "userType": "external", **row}
        self._last = None
        self._calls = 0

    @property
    def id(self):
        return f"claude-code:{self.session}"

    def raw(self, data):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(data)

    def row(self, **fields):
        self._at += 0.05
        stamp = datetime.fromtimestamp(self._at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        named = {"uuid": str(uuid.uuid4()), "parentUuid": self._last, "sessionId": self.session, "timestamp": stamp}
        row = {"isSidechain": False, **self._common, **named, **fields}
        self._last = row["uuid"]
        self.raw(json.dumps(row).encode() + b"\n")
        return row

    def now(self):
        """The next row is written now."""
        self._at = max(self._at, time.time())
        return self

    def typed(self, text, **fields):
        message = {"role": "user", "content": text}
        person = {"origin": {"kind": "human"}, "promptSource": "typed"}
        return self.row(**{"type": "user", "message": message, **person, **fields})

    def says(self, text, *, end=True):
        return self._answer([{"type": "text", "text": text}], "end_turn" if end else "tool_use")

    def runs(self, command, result="done"):
        self._calls += 1
        call = f"toolu_{self.session[-4:]}_{self._calls}"
        self._answer([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}], "tool_use")
        block = {"type": "tool_result", "tool_use_id": call, "content": result}
        return self.row(type="user", message={"role": "user", "content": [block]}, toolUseResult={"stdout": result})

    def uses(self, name, result="done", known=None, **given):
        """Any other tool."""
        self._calls += 1
        call = f"toolu_{self.session[-4:]}_{self._calls}"
        self._answer([{"type": "tool_use", "id": call, "name": name, "input": given}], "tool_use")
        block = {"type": "tool_result", "tool_use_id": call, "content": result}
        return self.row(type="user", message={"role": "user", "content": [block]}, toolUseResult=known or {})

    def turn(self, text, answer="Done."):
        self.typed(text)
        return self.says(answer)

    def compacts(self, trigger="manual", summary="Work went on."):
        self._last = None
        meta = {"trigger": trigger, "preTokens": 90_000, "postTokens": 4_000}
        self.row(type="system", subtype="compact_boundary", compactMetadata=meta)
        return self.row(type="user", isCompactSummary=True, message={"role": "user", "content": summary})

    def injected(self, text, source="compact"):
        hook = {"type": "hook_additional_context", "hookName": f"SessionStart:{source}", "hookEvent": "SessionStart"}
        return self.row(type="attachment", attachment={**hook, "content": [text]})

    def _answer(self, content, reason):
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "claude-sonnet-4-6"}
        usage = {"input_tokens": 9_000, "output_tokens": 20}
        return self.row(
            type="assistant", message={**message, "content": content, "usage": usage, "stop_reason": reason}
        )


def given(reply):
    """The text that a hook's reply puts into the context; "" for none."""
    return json.loads(reply)["hookSpecificOutput"]["additionalContext"] if reply else ""
