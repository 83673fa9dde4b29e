"""How far a session was read: its events, the rows from before them, and what the plugin noted."""

import json
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from memd.errors import StoreTrouble

VERSION = 1  # of the JSON form; a form that was ever written stays readable


class Cursor(Struct, frozen=True):
    """The place in one session's stream.

    Attributes:
        offset: what `memd status` shows: events read; rows read where the session has no events (yet).
        seq: the number of the next event.
        mark: the id of the event before it, by which the log is known again.
        whole: the log tells everything, there is nothing to take from the tables.
        at, id: the last message that was taken from the tables (its time, ms, and its id).
        seen: the newest time (ms) of the rows that were taken.
        rows: how many were taken.
        filled: the tables have been read to their end.
        origin: the session that this one was forked from; None until that has been looked for.
        message: the last message that was copied from there, by its id there.
        notes: the place in the plugin's notes.
        look: what the files of the old storage looked like when they were last read to their end.
    """

    offset: int = 0
    seq: int = 0
    mark: str = ""
    whole: bool = False
    at: int = -1
    id: str = ""
    seen: int = 0
    rows: int = 0
    filled: bool = False
    origin: str | None = None
    message: str = ""
    notes: str | None = None
    look: str = ""

    def dumps(self) -> str:
        """The JSON form that is kept, without what is as at the start."""
        start = asdict(Cursor())
        kept = {name: value for name, value in asdict(self).items() if value != start[name]}
        return json.dumps({"v": VERSION, **kept}, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        """The cursor from its JSON form. Raises StoreTrouble when it is damaged or written by a newer memd."""
        try:
            fields: dict[str, Any] = json.loads(text)
            known = fields.pop("v") == VERSION
            found = cls(**fields)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise StoreTrouble(f"a cursor in the store is damaged: {text[:80]!r}") from error
        if not known or not all(_fits(getattr(found, name), usual) for name, usual in asdict(cls()).items()):
            raise StoreTrouble(f"a cursor in the store is damaged or from a newer memd: {text[:80]!r}")
        return found

    def again(self) -> Self:
        """The start, with what was noted kept as read."""
        return replace(type(self)(), notes=self.notes)


def _fits(value: Any, usual: Any) -> bool:
    return isinstance(value, str | None) if usual is None else type(value) is type(usual)
