"""One row of the stream that the parser reads, made of what a table, a file or the plugin holds.

Each is one JSON object. From the log: `{"seq", "type", "data"}`, the data as the client wrote it. From the tables and the
old storage the same types are made, marked `"back": true`; from the plugin `{"type": "note", "data": {…}}`. `of` names the
message or part of another session that a row of a fork is the copy of.
"""

import json
from collections.abc import Mapping
from typing import Any

from memd.tail.batch import Line
from memd.tail.elide import CAPS, elide

Row = Mapping[str, Any]

CREATED, MESSAGE, PART, NOTE = "session.created", "message.updated", "message.part.updated", "note"


def event(seq: int, kind: str, data: str, of: str = "") -> Line:
    """A row of the log, its data not parsed here; what is no JSON shows when the row is read."""
    head = f'{{"seq":{seq},"type":{json.dumps(kind)}' + (f',"of":{json.dumps(of)}' if of else "")
    return cut(seq, f'{head},"data":{data or "null"}}}'.encode("utf-8", "replace"))


def session(info: Row) -> Row:
    """What the tables say of a session, as the row that a log begins with."""
    return {"type": CREATED, "back": True, "data": {"info": info}}


def message(ident: str, session_id: str, info: Any) -> Row:
    """A message of the tables, which hold its ids in columns of their own."""
    known = info if isinstance(info, dict) else {"lost": True}
    return {"type": MESSAGE, "back": True, "data": {"info": {**known, "id": ident, "sessionID": session_id}}}


def part(ident: str, message_id: str, session_id: str, body: Any) -> Row:
    """A part of the tables."""
    known = body if isinstance(body, dict) else {"lost": True}
    ids = {"id": ident, "messageID": message_id, "sessionID": session_id}
    return {"type": PART, "back": True, "data": {"part": {**known, **ids}}}


def made(number: int, row: Row) -> Line:
    """A row that was made here, with its number in the stream."""
    return cut(number, json.dumps({"seq": number, **row}, ensure_ascii=True).encode())


def note(number: int, line: Line) -> Line:
    """A line of the plugin's notes."""
    return Line(number, 1, b'{"type":"note","data":' + (line.data.strip() or b"null") + b"}", line.elided)


def cut(number: int, data: bytes) -> Line:
    """A row with its very long strings cut."""
    if len(data) <= CAPS.line:
        return Line(number, 1, data)
    kept, elided = elide([data], CAPS)
    return Line(number, 1, kept, elided)
