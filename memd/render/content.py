"""What one text is made from, and what comes out."""

import re

from msgspec import Struct

from memd.model import Message, Parts, Record
from memd.model.text import quote

FIRST = "first"
"""The note of an entry that stays whatever falls out."""
RELATIVE = "paths here are relative to it"
"""What is said of the directory that paths are seen from; it says nothing where no path stands."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Entry(Struct, frozen=True, gc=False):
    """One candidate of the memo: its record, whether it is ticked, and a note such as `withdrawn`."""

    record: Record
    ticked: bool
    note: str = ""


class Earlier(Struct, frozen=True):
    """What was said in a session that this one was forked from and that its own file does not repeat, numbered as there."""

    session: str
    entries: tuple[Entry, ...]
    operator: bool
    """No human message is known among them."""

    @property
    def name(self) -> str:
        """What commands find that session by."""
        return found_by(self.session)


class Content(Struct, frozen=True):
    """All that one text is made from.

    Attributes:
        request: the newest request; `added` is what was said since into the work on it.
        queued: what waits in the client's queue; it has no number yet, and who sent it is not known.
        running: whether the request's own turn still runs.
        memo: every candidate, oldest first; `earlier`: those of the sessions that a fork came from.
        unstated: prompts whose sender is not known. They are shown and bind nobody.
        recent: the agent's last texts, without the very last, which the scene has.
        skills: names and texts of those that left the context; `newest` is the file that has the newest messages whole.
        unsummed: the client's own summary of the last compaction is an error message.
        operator: no human message is known; the memo's words are the operator's.
    """

    session: str
    number: int
    at: int
    writer: str
    receipt: str
    parts: Parts
    request: Record | None = None
    added: tuple[Record, ...] = ()
    queued: tuple[Message, ...] = ()
    running: bool = False
    memo: tuple[Entry, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    unstated: tuple[Record, ...] = ()
    recent: tuple[Record, ...] = ()
    skills: tuple[tuple[str, str], ...] = ()
    newest: str = ""
    asks: bool = False
    """The text asks for its receipt code."""
    unsummed: bool = False
    operator: bool = False

    @property
    def name(self) -> str:
        """What commands find the session by."""
        return found_by(self.session)


class Rendered(Struct, frozen=True):
    """The text, cut into the parts that a tool carries; together they are exactly the text."""

    parts: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All parts, one after the other."""
        return "\n".join(self.parts)


def found_by(session: str) -> str:
    """What commands find a session by: its id, of a UUID as much as is its own (the first 48 bits)."""
    native = session.partition(":")[2]
    return native[:13] if _UUID.fullmatch(native) else session


def images_of(record: Record) -> str:
    """How many pictures came with a message, if any."""
    images = record.extra.get("images")
    return f"[{images} image{'s' if images != 1 else ''}]" if images else ""


def cited(record: Record) -> str:
    """How the scene names the request."""
    return f"the latest explicit request (#{record.number}): {quote(record.text, 60)}"
