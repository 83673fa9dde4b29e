"""The store's own nouns: what a commit is made from, what it made, and how far a source has been read."""

from msgspec import Struct

from memd.model import Channel, Grade, Record


class Seed(Struct, frozen=True):
    """The session that a source belongs to, as its reader knows it before the first row.

    Attributes:
        session: `claude-code:<uuid>`, or `<parent id>/<agent id>` for a sub-agent.
        tool: its name (`Tool.name`), which the id begins with.
        native: the tool's own id, without the tool's name.
        parent: the parent session's id, for sub-agents only.
        path: the transcript; one cursor is kept for each path.
        unit: what offset and size count, `bytes` or `events`.
    """

    session: str
    tool: str
    native: str
    parent: str | None
    path: str
    unit: str = "bytes"


class Committed(Struct, frozen=True):
    """What one commit wrote; `first` and `last` are None when it added no message.

    Attributes:
        begun: ids of the calls that were not recorded before, in their order; `calls` has those that went on as well.
        altered: messages from before the commit were changed, of this session or of another.
    """

    session: str
    first: int | None
    last: int | None
    added: tuple[Record, ...]
    duplicates: int
    """Messages that were recorded before, or twice in this commit."""
    begun: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    altered: bool = False


class SourceRow(Struct, frozen=True):
    """How far one source has been read; `cursor` and `reader` are opaque here.

    Attributes:
        number: the number of the last entry that was read from it.
        gone_at: when it was found missing; its record is kept.
    """

    path: str
    session: str
    cursor: str
    reader: str
    unit: str
    size: int
    offset: int
    number: int
    gone_at: int | None
    seen_at: int
    tool: str
    native: str
    parent: str | None

    @property
    def seed(self) -> Seed:
        """Whose it is."""
        return Seed(self.session, self.tool, self.native, self.parent, self.path, self.unit)


class Hit(Struct, frozen=True):
    """One message that a search found.

    Attributes:
        withdrawn: it is no longer part of the conversation, or never got there.
        snippet: some of its text, on one line.
        marks: where the terms stand in the snippet, begin and end in characters.
        score: how well it fits, by how often its words occur and how old it is; higher is better.
    """

    session: str
    number: int
    at: int | None
    channel: Channel
    grade: Grade
    withdrawn: bool
    snippet: str
    marks: tuple[tuple[int, int], ...]
    score: float
