"""Whose copy a row of a fork is.

A fork writes its source's messages anew under new ids, with their old times, and says nowhere whose they are (measured on
1.18.33). So the source is looked for: the oldest session with a message of that time and those words. A part is the copy of
the part that says exactly the same in the message that it was copied from. A fork of a fork has messages of both.
"""

from sqlite3 import Connection
from typing import Any

from memd.tools.fields import string, table, whole
from memd.tools.opencode import database

_OWN = ("id", "sessionID", "messageID")


class Copier:
    """Follows a log from its start and tells of each row what it copies; a log without old messages is asked nothing."""

    def __init__(self, sql: Connection, session: str, created: int, origin: str | None, message: str) -> None:
        self.origin = origin
        """The session that was copied from; empty: none; None: no message has been seen yet."""
        self.message = message
        """The source's id of the message whose parts come now."""
        self._sql = sql
        self._session = session
        self._created = created
        self._parts: list[tuple[str, Any]] | None = None

    def waits(self, seq: int, kind: str, data: str) -> bool:
        """Whether a row is the first copy, and the log ends with it: what it says, by which its source is found, comes behind."""
        if self.origin is not None or not kind.startswith("message.updated"):
            return False
        at = whole(table(table(_table(data), "info"), "time"), "created")
        return at is not None and at < self._created and database.ends(self._sql, self._session, seq)

    def source(self, kind: str, data: str) -> str:
        """Of a part the id of the part that it copies, of a message the session; empty for what is the session's own."""
        if self.origin == "" or not kind.startswith("message."):
            return ""
        if kind.startswith("message.updated"):
            return self._message(data)
        return self._part(data) if kind.startswith("message.part.updated") and self.message else ""

    def _message(self, data: str) -> str:
        info = table(_table(data), "info")
        at = whole(table(info, "time"), "created")
        self.message, self._parts = "", None
        if at is None or at >= self._created:  # copies come before anything else
            self.origin = self.origin or ""
            return ""
        if self.origin is None:
            self.origin = database.origin(self._sql, self._session, at, self._said(string(info, "id")))
        if self.origin:
            role = string(info, "role")
            self.message = database.message_of(self._sql, self.origin, at, role)
            self.message = self.message or database.first_of(self._sql, self._session, at, role)
        return self.origin

    def _said(self, message: str) -> str:
        """The texts of the fork's first message: its rows follow in the log, also where the tables have it no more.

        They are written one by one, so these may be the first of them.
        """
        query = "SELECT data FROM event WHERE aggregate_id = ? AND seq < 40 AND type LIKE 'message.part.updated%' ORDER BY seq"
        found = self._sql.execute(query, (self._session,)).fetchall()
        parts = (table(_table(database.text(data)), "part") for (data,) in found)
        return "\n".join(
            string(part, "text") for part in parts if string(part, "messageID") == message and string(part, "text")
        )

    def _part(self, data: str) -> str:
        body = dict(table(_table(data), "part"))
        said = {name: value for name, value in body.items() if name not in _OWN}
        if self._parts is None:
            self._parts = database.parts_of(self._sql, self.message)
        found = next((ident for ident, other in self._parts if other == said), "")
        self._parts = [one for one in self._parts if one[0] != found]
        return found


def _table(data: str) -> dict[str, Any]:
    value = database.parsed(data)
    return value if isinstance(value, dict) else {}
