"""A session of OpenCode as its client writes it: events in a database, and notes of memd's plugin (shapes of 1.18.33)."""

import json
import sqlite3
import time
from pathlib import Path

SESSION = "ses_1111111111111111111111"
_SCHEMA = Path(__file__).parent / "data" / "opencode" / "schema.sql"


class OpenCodeSession:
    """Appends events to a session's log; with `notes`, the plugin's directory of sessions, its prompts are the screen's."""

    def __init__(self, database, session=SESSION, *, notes=None, cwd="/srv/work", parent=None):
        self.session = session
        self.database = database
        self.path = database / session
        self._notes = None if notes is None else notes / session / "notes.jsonl"
        self._at = int(time.time() * 1000) - 60_000
        self._seq, self._ids, self._user, self._answer = -1, 0, None, None
        self._events = -1  # an event's id is never used again, its number is where events were deleted
        fresh = not database.exists()
        database.parent.mkdir(parents=True, exist_ok=True)
        self._sql = sqlite3.connect(database, isolation_level=None)
        if fresh:
            self._sql.execute("PRAGMA journal_mode = wal")
            self._sql.executescript(_SCHEMA.read_text(encoding="utf-8"))
        self._sql.execute(
            "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)"
            " VALUES (?, 'p', ?, 's', ?, 'A title', '1.18.33', ?, ?)",
            (session, parent, cwd, self._at, self._at),
        )
        info = {"id": session, "directory": cwd, "title": "A title", "time": {"created": self._at}}
        self.event("session.created", info={**info, "parentID": parent})

    @property
    def id(self):
        return f"opencode:{self.session}"

    def close(self):
        self._sql.close()

    def event(self, kind, **data):
        self.raw(f"{kind}.1", json.dumps({"sessionID": self.session, **data}))

    def raw(self, kind, data):
        self._seq += 1
        self._events += 1
        self._sql.execute("BEGIN")
        self._sql.execute("INSERT OR REPLACE INTO event_sequence VALUES (?, ?, NULL)", (self.session, self._seq))
        row = (f"evt_{self.session}_{self._events:06}", self.session, self._seq, kind, data)
        self._sql.execute("INSERT INTO event (id, aggregate_id, seq, type, data) VALUES (?, ?, ?, ?, ?)", row)
        self._sql.execute("COMMIT")

    def note(self, about, /, **fields):
        if self._notes is not None:
            self._notes.parent.mkdir(parents=True, exist_ok=True)
            line = {"v": 1, "type": about, "at": self._now(), "session_id": self.session, **fields}
            with self._notes.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def now(self):
        """The next row is written now."""
        self._at = max(self._at, int(time.time() * 1000))

    def typed(self, text, **part):
        self._user, self._answer = self._id("msg"), None
        ident = self._id("prt")
        if not part:
            self.note("message", message_id=self._user, kind="tui", command=None, parts=[ident])
        info = {"id": self._user, "sessionID": self.session, "role": "user", "time": {"created": self._now()}}
        self.event("message.updated", info={**info, "agent": "build"})
        self._part(self._user, id=ident, type="text", text=text, **part)

    def says(self, text, *, end=True):
        at = self._now()
        self._open()
        self._part(self._answer, type="text", text=text, time={"start": at, "end": at})
        if end:
            self._close()

    def runs(self, command, result="done", code=0):
        self._tool("bash", {"command": command}, result, metadata={"exit": code, "output": result})

    def edits(self, path, old, new):
        self._tool("edit", {"filePath": path, "oldString": old, "newString": new}, "")

    def job(self, text):
        """A finished background task, which the client puts into the person's role."""
        self.typed(f'<task id="ses_x" state="completed">{text}</task>', synthetic=True)

    def compacts(self, summary="Work went on."):
        self._user, self._answer = self._id("msg"), None
        info = {"id": self._user, "sessionID": self.session, "role": "user", "time": {"created": self._now()}}
        self.event("message.updated", info={**info, "agent": "build"})
        self._part(self._user, type="compaction", auto=True)
        self._open(summary=True, mode="compaction", agent="compaction")
        self._part(self._answer, type="text", text=summary, time={"start": self._at, "end": self._at})
        self._close(summary=True, mode="compaction", agent="compaction")

    def injected(self, number, code):
        self.note("injected", number=number, code=code)

    def withdraws(self):
        """The last prompt is undone, with all that came after it."""
        info = {"id": self.session, "directory": "/srv/work", "revert": {"messageID": self._user}}
        self.event("session.updated", info=info)

    def child(self, prompt):
        """A sub-agent's session: only its parent's id tells that no person wrote the prompt."""
        child = OpenCodeSession(self.database, f"{self.session[:-4]}c{self._ids:03}", parent=self.session)
        child.typed(prompt)
        child.says("Looked at it.")
        child.close()
        return child

    def _tool(self, name, asked, output, **known):
        self._open()
        at = self._now()
        state = {
            "status": "completed",
            "input": asked,
            "output": output,
            "title": name,
            "time": {"start": at, "end": at},
        }
        self._part(
            self._answer, type="tool", tool=name, callID=self._id("call"), state={"metadata": {}, **state, **known}
        )

    def _open(self, **info):
        if self._answer is None:
            self._answer = self._id("msg")
            self.event("message.updated", info=self._assistant(**info))

    def _close(self, **info):
        tokens = {"total": 9_020, "input": 9_000, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        self._part(self._answer, type="step-finish", reason="stop", tokens=tokens, cost=0)
        at = self._now()
        self.event(
            "message.updated",
            info={
                **self._assistant(**info),
                "finish": "stop",
                "tokens": tokens,
                "time": {"created": at, "completed": at},
            },
        )
        self._answer = None

    def _assistant(self, **info):
        known = {"id": self._answer, "sessionID": self.session, "role": "assistant", "parentID": self._user}
        return {
            **known,
            "time": {"created": self._now()},
            "agent": "build",
            "mode": "build",
            "modelID": "m",
            "providerID": "p",
            **info,
        }

    def _part(self, message, **part):
        known = {"id": part.pop("id", None) or self._id("prt"), "messageID": message, "sessionID": self.session}
        self.event("message.part.updated", part={**known, **part}, time=self._now())

    def _now(self):
        self._at += 50
        return self._at

    def _id(self, kind):
        self._ids += 1
        return f"{kind}_{self.session[-4:]}_{self._ids:06}"
