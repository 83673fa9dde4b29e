"""The journal's noun: one line for each operation that changed something.

The line on disk is JSON with these fields in this order, pinned by a test; `agent` and `exit` are there only where they say
something. `old` and `new` are called `from` and `to` there.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Op(StrEnum):
    """What was done."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    COMMAND = "command"
    COMMIT = "commit"
    TEST = "test"


class JournalEntry(Struct, frozen=True):
    """One operation whose result is known.

    Attributes:
        at: when its result came, milliseconds since the epoch.
        target: a path relative to the project's root, `path:key` or `path:function`; for commands the command.
        old: what was there before, None where that is not known or nothing.
        new: what is there since.
        result: `done`, `failed: …`, `interrupted`, or `exit 0: …` with what came of it.
        good: whether it did what it was to do.
        session: the session whose work it is; a sub-agent's work is its parent's.
        number: the message that has the result, in the transcript of whoever did it.
        agent: the sub-agent that did it.
        exit: the exit status of the command line that it was part of.
    """

    at: int | None
    op: Op
    target: str
    result: str
    good: bool
    session: str
    number: int
    old: str | None = None
    new: str | None = None
    agent: str | None = None
    exit: int | None = None

    @property
    def digest(self) -> str:
        """The same for two entries that did the same to the same."""
        told = json.dumps([self.op, self.target, self.old, self.new])
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

    def shown(self) -> dict[str, Any]:
        """The fields as they stand on disk and in JSON output."""
        beside = {"agent": self.agent, "exit": self.exit}
        return {
            "ts": iso(self.at),
            "op": self.op.value,
            "target": self.target,
            "from": self.old,
            "to": self.new,
            "result": self.result,
            "session": self.session,
            "number": self.number,
            **{name: value for name, value in beside.items() if value is not None},
        }

    def line(self) -> str:
        """The entry as one line of the file, its newline included."""
        return dumped(self.shown()) + "\n"


def entry(fields: Mapping[str, Any], *, good: bool) -> JournalEntry:
    """A line's fields as a value; raises KeyError or ValueError where they are none."""
    at = None if fields["ts"] is None else int(datetime.fromisoformat(fields["ts"]).timestamp() * 1000)
    names = (fields[name] for name in ("result", "session", "number", "from", "to"))
    result, session, number, old, new = names
    beside = fields.get("agent"), fields.get("exit")
    return JournalEntry(at, Op(fields["op"]), fields["target"], result, good, session, number, old, new, *beside)


def dumped(fields: Mapping[str, Any]) -> str:
    """JSON on one line, letters of all scripts as they are; half characters, which no file can hold, as `?`."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode("utf-8")


def iso(at: int | None) -> str | None:
    """A time as JSON has it."""
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
