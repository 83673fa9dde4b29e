"""What the tests of the reader share: databases made of recordings, hand-made rows, and what becomes of them."""

import json
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from entries import read_lines

from memd.tail.batch import Line
from memd.tools.opencode import OpenCode
from memd.tools.protocol import Identity

DATA = Path(__file__).parents[2] / "data" / "opencode"
TOOL = OpenCode()
SESSION = "ses_1111111111111111111111"
MADE = 1_796_000_000_000
"""When the hand-made session was made, ms."""


@cache
def recording(name):
    """A recorded session: its row, events, messages and parts."""
    found = {"session": [], "event": [], "message": [], "part": []}
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        ((kind, value),) = json.loads(line).items()
        found[kind].append(value)
    return SimpleNamespace(**{**found, "session": found["session"][0], "id": found["session"][0]["id"]})


@cache
def names():
    return sorted(path.stem for path in DATA.glob("*.jsonl") if path.stem != "prompt-history")


class Database:
    """The client's database, written as the client writes it: in WAL mode, one short transaction after another."""

    def __init__(self, path, schema=None):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.sql = sqlite3.connect(path, isolation_level=None)
        self.sql.execute("PRAGMA journal_mode = wal")
        self.sql.executescript((DATA / "schema.sql").read_text(encoding="utf-8") if schema is None else schema)

    def close(self):
        self.sql.close()

    def session(self, ident=SESSION, **given):
        row = {"id": ident, "project_id": "p", "slug": "s", "directory": "/home/dev/proj", "title": "A title"}
        row |= {"version": "1.18.33", "time_created": MADE, "time_updated": MADE, **given}
        self.insert("session", **row)
        return ident

    def insert(self, table, **row):
        marks = ", ".join("?" * len(row))
        self.sql.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))

    def event(self, kind, data, ident=SESSION, seq=None):
        """Append to the log, and say so in `event_sequence`, as one transaction."""
        last = self.sql.execute("SELECT max(seq) FROM event WHERE aggregate_id = ?", (ident,)).fetchone()[0]
        seq = (-1 if last is None else last) + 1 if seq is None else seq
        self.sql.execute("BEGIN")
        self.sql.execute("INSERT OR REPLACE INTO event_sequence VALUES (?, ?, NULL)", (ident, seq))
        self.insert("event", id=f"evt_{ident}_{seq}", aggregate_id=ident, seq=seq, type=kind, data=json.dumps(data))
        self.sql.execute("COMMIT")

    def log(self, *rows, ident=SESSION):
        for row in rows:
            self.event(f"{row['type']}.1", row["data"], ident)

    def tables(self, *rows, ident=SESSION):
        """Rows of messages and parts, as clients before the log have left them."""
        for row in rows:
            if row["type"] == "message.updated":
                info = dict(row["data"]["info"])
                key, at = info.pop("id"), info["time"]["created"]
                self.insert(
                    "message", id=key, session_id=ident, time_created=at, time_updated=at, data=json.dumps(info)
                )
            elif row["type"] == "message.part.updated":
                part, at = dict(row["data"]["part"]), row["data"]["time"]
                ids = {"id": part.pop("id"), "message_id": part.pop("messageID"), "session_id": ident}
                part.pop("sessionID", None)
                self.insert("part", **ids, time_created=at, time_updated=at, data=json.dumps(part))

    def record(self, name, *, events=True):
        """Put a recorded session in."""
        found = recording(name)
        self.insert("session", **found.session)
        if events:
            self.insert("event_sequence", aggregate_id=found.id, seq=found.event[-1][1])
            for ident, seq, kind, data in found.event:
                self.insert("event", id=ident, aggregate_id=found.id, seq=seq, type=kind, data=json.dumps(data))
        for ident, created, updated, data in found.message:
            row = {"id": ident, "session_id": found.id, "time_created": created, "time_updated": updated}
            self.insert("message", **row, data=json.dumps(data))
        for ident, message, created, updated, data in found.part:
            row = {"id": ident, "message_id": message, "session_id": found.id, "time_created": created}
            self.insert("part", **row, time_updated=updated, data=json.dumps(data))
        return found.id


def read_on(path, cursor=None, limit=1 << 20, notes=Path("/nowhere")):
    """One read of a session."""
    return TOOL.read(path, cursor, limit, notes)


def read_all(path, cursor=None, limit=1 << 20, notes=Path("/nowhere")):
    """All that there is behind a cursor, and the cursor behind it."""
    lines = []
    while True:
        batch = read_on(path, cursor, limit, notes)
        lines += batch.lines
        moved, cursor = batch.cursor.dumps() != cursor, batch.cursor.dumps()
        if batch.cursor.offset >= batch.size or not moved:
            return lines, cursor


def play(lines, *, child=False, session=SESSION):
    """Feed rows; what they make."""
    return read_lines(TOOL, Identity(session, "ses_parent" if child else None), lines)


def feed(*rows, child=False):
    """Feed hand-made rows as a log that begins with its session."""
    first = row("session.created", info={"id": SESSION, "directory": "/p", "time": {"created": MADE}})
    given = rows if rows and rows[0]["type"] == "session.created" else (first, *rows)
    made = [json.dumps({"seq": seq, **one}).encode() for seq, one in enumerate(given)]
    return play([Line(seq, 1, data) for seq, data in enumerate(made)], child=child)


# Rows as the client writes them (1.18.33)


def row(about, **data):
    return {"type": about, "data": data}


def user(ident, *parts, at=MADE + 1_000, **info):
    """A user message and its parts."""
    head = {"id": ident, "sessionID": SESSION, "role": "user", "time": {"created": at}, "agent": "build", **info}
    return [row("message.updated", info=head), *(_part(ident, number, part, at) for number, part in enumerate(parts))]


def assistant(ident, parent, *parts, at=MADE + 2_000, finish="stop", **info):
    """An answer: it begins, its parts come, it ends; `finish=None`: it goes on."""
    head = {"id": ident, "sessionID": SESSION, "role": "assistant", "time": {"created": at}, "parentID": parent}
    head |= {"modelID": "m1", "providerID": "scripted", "agent": "build", **info}
    ended = {**head, "time": {"created": at, "completed": at + 500}, "finish": finish}
    rows = [row("message.updated", info={**head, "error": None})]
    rows += [_part(ident, number, part, at + 100) for number, part in enumerate(parts)]
    return rows if finish is None else [*rows, row("message.updated", info=ended)]


def _part(message, number, part, at):
    ids = {"id": f"prt_{message}_{number}", "sessionID": SESSION, "messageID": message}
    return row("message.part.updated", part={**ids, **part}, time=at)


def text(said, **given):
    return {"type": "text", "text": said, **given}


def words(said, at=MADE + 2_100):
    """The agent's text at its end."""
    return text(said, time={"start": at, "end": at})


def step(**tokens):
    return {"type": "step-finish", "reason": "stop", "tokens": {"input": 90, "output": 10, **tokens}}


BEGIN = {"type": "step-start"}


def tool(name, given, output="ok", status="completed", **state):
    answer = {"error": output} if status == "error" else {"output": output}
    answer = {} if status in {"running", "pending"} else answer
    body = {"status": status, "input": given, **answer, "time": {"start": MADE + 2_000, "end": MADE + 2_050}, **state}
    return {"type": "tool", "callID": f"call_{name}", "tool": name, "state": body}


def note(about, **given):
    return row("note", **{"v": 1, "type": about, "at": MADE + 1_000, "session_id": SESSION, **given})


def typed(message, *parts, kind="tui", command=None):
    """The plugin's word about a prompt and the parts that came with it."""
    return note("message", message_id=message, kind=kind, command=command, parts=list(parts))


def connect(path):
    return closing(sqlite3.connect(path))
