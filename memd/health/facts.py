"""What is known of one session, for the verdict on it."""

from msgspec import Struct, field

from memd.model import Boundary, Checkpoint, Delivered, Session


class Facts(Struct, frozen=True):
    """All that a verdict is made from.

    Attributes:
        now: milliseconds since the epoch.
        lag: bytes of the transcript that are not read yet.
        lag_ms: how long the oldest unread byte can have been there.
        source_gone: when the transcript was found missing.
        source_error: why it cannot be read.
        source_fix: the command that opens it again, as far as one can.
        store_error: why nothing new can be recorded.
        checkpoint_error: why the last try to make a checkpoint of what is recorded came to nothing.
        copies_error: why its copies for people, and the files that it names, could not be written when that was tried last.
        turns_behind: turns in the record that the checkpoint has not seen.
        unready: whether hooks without a daemon would find no reply, or not all, of the checkpoint.
        obstacle: the path of what is no folder and stands where the session's has to be.
        unread: when the oldest entry that the checkpoint has not seen was written.
        boundary: the last compaction.
        provable: whether the client's transcript shows what its hooks gave; an old one's does not.
        hooks: what is wrong with the tool's hooks, each a key of `verdict._HOOKS`.
        plugin: whether they are a plugin, which also notes how each prompt came in.
        daemon: whether a daemon answers.
        watches_short: whether the kernel gave fewer watches than wanted.
        unknown: rows of types that memd does not know, by type.
        words: those in which a person may have said something.
        damaged: lines, or pieces of them, that are no JSON.
        returns: how often a branch of the transcript that was left went on.
        undelivered: numbers of what was typed since the newest prompt and never reached the agent.
        lost: what was written over or cut off before it was read, at least: how much of each unit.
        absent: rows of other transcripts that this one goes on from and that are not there.
        unsummed: the client's own summary of the last compaction is an error message.
        thrashing: how many of the last compactions followed each other closely; 0 for no run of them.
        unheard: when the person typed last, of which the transcript shows nothing although it is written to.
        resting: why no model writes for the rest of the session's run; "" when one may.
    """

    session: Session
    now: int
    checkpoint: Checkpoint | None = None
    delivery: Delivered | None = None
    boundary: Boundary | None = None
    provable: bool = True
    lag: int = 0
    lag_ms: int = 0
    source_gone: int | None = None
    source_error: str | None = None
    source_fix: str = "memd doctor"
    store_error: str | None = None
    checkpoint_error: str | None = None
    copies_error: str | None = None
    turns_behind: int = 0
    unready: bool = False
    obstacle: str | None = None
    unread: int | None = None
    hooks: tuple[str, ...] = ()
    plugin: bool = False
    daemon: bool = True
    watches_short: bool = False
    unknown: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    damaged: int = 0
    returns: int = 0
    undelivered: tuple[int, ...] = ()
    lost: dict[str, int] = field(default_factory=dict)
    absent: dict[str, int] = field(default_factory=dict)
    unsummed: bool = False
    thrashing: int = 0
    unheard: int | None = None
    resting: str = ""
