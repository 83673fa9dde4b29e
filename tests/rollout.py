"""A rollout of Codex as its client writes it, line by line (the shapes are of codex-cli 0.171.0, paginated history)."""

import json
import time
import uuid
from datetime import UTC, datetime

THREAD = "01a22988-7aea-7731-8d65-000000000001"


class Rollout:
    """Appends lines to `rollout-<time>-<thread>.jsonl` under `sessions`; each has the next ordinal and a later time."""

    def __init__(self, sessions, thread=THREAD, *, cwd="/srv/work", source="cli", originator="codex-tui", **meta):
        self.thread = thread
        self.path = sessions / "2026" / "11" / "29" / f"rollout-2026-11-29T22-58-59-{thread}.jsonl"
        self.cwd = cwd
        self._at = time.time() - 60
        self._ordinal = self._ids = 0
        self._turn = None
        known = {"id": thread, "session_id": thread, "cwd": cwd, "originator": originator, "cli_version": "0.171.0"}
        self._meta = {**known, "source": source, "thread_source": "user", "history_mode": "paginated", **meta}

    @property
    def id(self):
        return f"codex:{self.thread}"

    def raw(self, data):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(data)

    def now(self):
        """The next line is written now."""
        self._at = max(self._at, time.time())

    def line(self, kind, payload):
        if not self._ordinal:
            self._ordinal = 1
            self._write("session_meta", self._meta, 0)
        self._write(kind, payload, self._ordinal)
        self._ordinal += 1

    def _write(self, kind, payload, ordinal):
        self._at += 0.05
        stamp = datetime.fromtimestamp(self._at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.raw(
            json.dumps({"timestamp": stamp, "ordinal": ordinal, "type": kind, "payload": payload}).encode() + b"\n"
        )

    def event(self, kind, **fields):
        self.line("event_msg", {"type": kind, **fields})

    def item(self, kind, **fields):
        item = {"type": kind, "id": self._id("item"), **fields}
        self.event("item_completed", thread_id=self.thread, turn_id=self._turn, item=item)

    def message(self, role, text, kind, provenance, **fields):
        part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
        told = {"content_item_kinds": [kind]}
        if provenance:
            told["content_item_metadata"] = [{"provenance": provenance}]
        told["turn_id"] = self._turn
        item = {"type": "message", "id": self._id("msg"), "role": role, "content": [part]}
        self.line("response_item", {**item, "internal_chat_message_metadata_passthrough": told, **fields})

    def begin(self, trigger="user"):
        self._turn = self._id("turn")
        told = {"turn_id": self._turn, "turn_trigger": trigger, "parent_turn_id": None}
        self.event("task_started", turn_id=self._turn, turn_attribution=told, model_context_window=258_400)
        self.line("turn_context", {"turn_id": self._turn, "cwd": self.cwd, "model": "gpt-5.5"})

    def end(self):
        self.event("task_complete", turn_id=self._turn, last_agent_message=None)
        self._turn = None

    def typed(self, text, trigger="user"):
        if self._turn is None:
            self.begin(trigger)
        self.message("user", text, "user.text", {"type": "user"})
        client = {"client_id": str(uuid.uuid4())} if trigger == "user" else {}
        self.item("UserMessage", **client, content=[{"type": "text", "text": text, "text_elements": []}])

    def says(self, text, *, end=True):
        ident = self._id("msg")
        item = {"type": "AgentMessage", "id": ident, "content": [{"type": "Text", "text": text}]}
        self.event("item_completed", thread_id=self.thread, turn_id=self._turn, item=item)
        self.message("assistant", text, "unknown", None, id=ident)
        usage = {"input_tokens": 9_000, "output_tokens": 20, "total_tokens": 9_020}
        self.event("token_count", info={"last_token_usage": usage, "model_context_window": 258_400})
        if end:
            self.end()

    def runs(self, command, result="done", code=0):
        call, words = self._id("call"), ["/bin/bash", "-lc", command]
        asked = {
            "type": "function_call",
            "name": "exec_command",
            "call_id": call,
            "arguments": json.dumps({"cmd": command}),
        }
        self.line("response_item", asked)
        done = {"command": words, "cwd": f"file://{self.cwd}", "source": "unified_exec_startup", "exit_code": code}
        status = "failed" if code else "completed"
        self.item("CommandExecution", **done, id=call, status=status, aggregated_output=result)
        self.line("response_item", {"type": "function_call_output", "call_id": call, "output": result})

    def edits(self, path, old, new):
        call = self._id("call")
        diff = f"@@ -1 +1 @@\n-{old}\n+{new}\n"
        change = {path: {"type": "update", "unified_diff": diff, "move_path": None}}
        self.item("FileChange", id=call, changes=change, status="completed", stdout="Success.", stderr="")

    def job(self, text):
        """A finished sub-agent's words, which the client puts into the person's role."""
        body = f"<subagent_notification>\n{json.dumps({'status': {'completed': text}})}\n</subagent_notification>"
        self.message("user", body, "multi_agent.subagent_notification", {"type": "tool", "namespace": "multi_agent_v1"})

    def compacts(self, summary="Work went on."):
        self.line("compacted", {"message": summary, "replacement_history": [], "window_number": 2})

    def injected(self, text):
        self.message("developer", text, "hooks.additional_context", {"type": "harness", "hook": True})

    def withdraws(self, turns=1):
        self.event("thread_rolled_back", num_turns=turns)

    def child(self, prompt):
        """A sub-agent's rollout: its prompt looks typed in all but the file's first line."""
        own = f"{self.thread[:-4]}c{self._ids:03}"
        spawn = {"subagent": {"thread_spawn": {"parent_thread_id": self.thread, "depth": 1}}}
        sessions = self.path.parents[3]
        about = {"session_id": self.thread, "parent_thread_id": self.thread, "thread_source": "subagent"}
        child = Rollout(sessions, own, source=spawn, **about)
        child.typed(prompt)
        child.says("Looked at it.")
        return child

    def _id(self, kind):
        self._ids += 1
        return f"{kind}_{self.thread[-4:]}_{self._ids}"
