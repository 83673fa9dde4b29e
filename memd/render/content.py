"""What one text is made from, and what comes out."""

from dataclasses import dataclass

from memd.model import Parts, Record


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate of the memo: its record, whether it is ticked, and a note such as `withdrawn`."""

    record: Record
    ticked: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """All that one text is made from.

    Attributes:
        request: the newest request; `added` is what was said since into the work on it.
        running: whether the request's own turn still runs.
        memo: every candidate, oldest first.
        unstated: prompts whose sender is not known. They are shown and bind nobody.
        recent: the agent's last texts, without the very last, which the scene has.
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
    running: bool = False
    memo: tuple[Entry, ...] = ()
    unstated: tuple[Record, ...] = ()
    recent: tuple[Record, ...] = ()
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text, cut into the parts that a tool carries; together they are exactly the text."""

    parts: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All parts, one after the other."""
        return "\n".join(self.parts)
