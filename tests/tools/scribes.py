"""One story, written down as each tool's own client would: what the contract that all tools share is tried with."""

import uuid
from pathlib import Path

from opencode_session import OpenCodeSession
from rollout import Rollout
from transcript import Transcript

from memd.model import marks
from memd.tools.registry import TOOLS

PARENT = "5d1f0c1e-7b1a-4b7e-9a52-000000000001"


class ClaudeScribe(Transcript):
    """Claude Code: JSONL with a tree of rows."""

    tool = TOOLS["claude-code"]
    odd = b'{"type": "martian-row", "uuid": "u-1", "sessionId": "x", "timestamp": "2026-11-29T22:00:00Z"}\n'

    def __init__(self, folder, notes):
        super().__init__(folder / "projects" / "-srv-work" / f"{PARENT}.jsonl")

    def edits(self, path, old, new):
        call = f"toolu_{uuid.uuid4().hex[:8]}"
        asked = {"file_path": path, "old_string": old, "new_string": new}
        self._answer([{"type": "tool_use", "id": call, "name": "Edit", "input": asked}], "tool_use")
        block = {"type": "tool_result", "tool_use_id": call, "content": "The file has been updated."}
        result = {"filePath": path, "oldString": old, "newString": new, "structuredPatch": []}
        self.row(type="user", message={"role": "user", "content": [block]}, toolUseResult=result)

    def fails(self, command, output, code):
        call = f"toolu_{uuid.uuid4().hex[:8]}"
        self._answer([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}], "tool_use")
        text = f"Exit code {code}\n{output}"
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": True}
        self.row(type="user", message={"role": "user", "content": [block]}, toolUseResult=f"Error: {text}")

    def job(self, text):
        about = {"origin": {"kind": "task-notification"}, "promptSource": "system"}
        body = f"<task-notification>\n<result>{text}</result>\n</task-notification>"
        self.row(type="user", message={"role": "user", "content": body}, **about)

    def compacts(self, summary="Work went on."):
        super().compacts("auto", summary)

    def injected(self, text):
        super().injected(text)

    def begins(self):
        """What comes is withdrawn later."""
        self._before = self._last

    def withdraws(self):
        self._last = self._before

    def child(self, prompt):
        agent = "abc123"
        path = self.path.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"
        child = Transcript(path, session=self.session, isSidechain=True, agentId=agent)
        child.typed(prompt)
        child.says("Looked at it.")
        return child.path


class CodexScribe(Rollout):
    """Codex: JSONL of turns."""

    tool = TOOLS["codex"]
    odd = b'{"timestamp": "2026-11-29T22:00:00Z", "ordinal": 999, "type": "event_msg", "payload": {"type": "martian_event"}}\n'

    def __init__(self, folder, notes):
        super().__init__(folder / "sessions")

    def fails(self, command, output, code):
        self.runs(command, output, code)

    def job(self, text):
        if self._turn is None:
            self.begin("user")
        super().job(text)

    def begins(self):
        """What comes is withdrawn later."""

    def child(self, prompt):
        return super().child(prompt).path


class OpenCodeScribe(OpenCodeSession):
    """OpenCode: events in a database."""

    tool = TOOLS["opencode"]

    def __init__(self, folder, notes):
        super().__init__(folder / "opencode" / "opencode.db", notes=notes)

    def fails(self, command, output, code):
        self.runs(command, output, code)

    def injected(self, text):
        found = marks.find(text)
        super().injected(found.number, found.code)
        self.says("Going on.")

    def begins(self):
        """What comes is withdrawn later."""

    def child(self, prompt):
        return super().child(prompt).path

    def raw(self, kind, data=None):
        """Also a row of another type, or one whose JSON is broken."""
        return super().raw(kind, data) if data is not None else super().raw(*kind)

    odd = ("martian.event.1", "{}")


SCRIBES = (ClaudeScribe, CodexScribe, OpenCodeScribe)


def scribe_of(kind, folder: Path, notes: Path):
    """The scribe for a tool's session in a folder."""
    return kind(folder, notes)
