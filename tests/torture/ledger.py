"""The model: what must be recorded, what may be, and what was seen recorded and must never change again.

What a transcript holds is told by reading it from its start in one go, by the tool's own reader; the record was made in
many goes, with everything that happened in between. So a text that is on disk when all has come to rest has to be recorded,
one that an operation took away before may be, and no other; each of them once, under a number that it keeps.
"""

import json
import re

from disk_files import OURS

from memd.health.verdict import RETURNS
from memd.model import LOST, Message
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.registry import TOOLS

_NUMBER = re.compile(rb"memd checkpoint (\d+)(?:, part \d of| of \S+ ends here)")


def tool_of(session):
    return TOOLS[session.partition(":")[0]]


def on_disk(source, *, over=False):
    """The texts that a transcript holds, read from its start; OpenCode's plugin has noted nothing.

    `over`: with what waits for a row that vouches for it, and would be recorded if the session ended here.
    """
    tool = tool_of(source.id)
    if not tool.there(source.transcript):
        return set()
    batch = tool.read(source.transcript, None, 1 << 40, source.transcript.parent / "no-notes")
    identity = tool.identify(source.transcript, [line.data for line in batch.lines])
    if identity is None:
        return set()
    state, found = tool.start(identity), set()
    for line in batch.lines:
        state, events = tool.feed(state, line)
        found |= _texts(events)
    return found | _texts(tool.left(state)[1]) if over else found


def _texts(events):
    return {match[0] for event in events if isinstance(event, Message) and (match := OURS.search(event.text))}


class Ledger:
    """One source's account."""

    def __init__(self, source):
        self.source = source
        self.must, self.may = set(), set()
        self._numbers = {}
        self._seen = ()
        self.broken = False

    def before(self, *, taking):
        """Called before an operation: what it can take away need not have been recorded yet."""
        if taking:
            self.may |= on_disk(self.source)
            self.source.by_turns = False

    def torn(self):
        """Whether what was there at the last rest is not there any more."""
        return not self.source.goes_on(self._seen)

    def missing(self, store, wanted=None):
        """What is on disk now (`wanted`, where that is known) and not recorded."""
        wanted = on_disk(self.source) if wanted is None else wanted
        return wanted - {m[0] for one in store.messages(self.source.id) if (m := OURS.search(one.text))}

    def settle(self, store):
        """All is at rest: what is on disk was there for longer than a sweep, and what it was read from may be gone.

        What tells no session was not read: a file of which only the torn middle is left.
        """
        unread = self.source.plain() - on_disk(self.source, over=True)
        assert not unread, f"whole lines that are not read: {sorted(unread)}"
        self.must |= on_disk(self.source)
        self.broken = self.broken or self.torn()
        self._seen = self.source.seen() if store.sources.of(str(self.source.transcript)) else ()
        if self.source.by_turns and self._seen:
            told = sum(count for (kind, _), count in store.glances.gaps(self.source.id).items() if kind == "writers")
            assert told >= RETURNS, f"two windows wrote by turns and that is not told: {self.source.id}"

    def check(self, store):
        """Everything that holds at any time, killed or not, and whatever happened to the transcript."""
        records = store.messages(self.source.id)
        assert [one.number for one in records] == list(range(1, len(records) + 1)), "numbers without gaps"
        now = {one.number: (one.key, one.text) for one in records}
        assert {number: now.get(number) for number in self._numbers} == self._numbers, "a number changed its entry"
        self._numbers = now
        texts = [match[0] for one in records if (match := OURS.search(one.text))]
        assert len(texts) == len(set(texts)), f"doubled: {sorted(text for text in texts if texts.count(text) > 1)}"
        assert self.must <= set(texts), f"lost: {sorted(self.must - set(texts))}"
        assert set(texts) <= self.must | self.may | on_disk(self.source), "an entry that nobody wrote"
        if self.broken:
            counted, sources = (
                store.glances.gaps(self.source.id),
                [row for row in store.sources.every() if row.session == self.source.id],
            )
            assert any(kind == LOST for kind, _ in counted), f"no gap was counted: {self.source.id} {counted} {sources}"
        return len(texts)


def check_files(state, session):
    """What hooks find on disk is of one number and whole, whenever the daemon was killed."""
    tool, _, native = session.partition(":")
    folders = Folders(state)
    folder = folders.session(tool, native)
    number = folders.published(folder)
    if not number:
        return
    place = folder / "history" / f"{number:04}"
    assert {"mind.md", "memo.md", "scene.md", "checkpoint.md"} <= {path.name for path in place.iterdir()}
    replies = folders.replies(folder).by_name
    assert replies, "a number without replies"
    for name, reply in replies.items():
        if reply.startswith(b"{"):
            json.loads(reply)
        assert {int(found) for found in _NUMBER.findall(reply)} <= {number}, f"{name} of another number"


def check_whole(state, session):
    """All has come to rest: row, copies and ready replies are of one number, and of the newest."""
    tool, _, native = session.partition(":")
    folders = Folders(state)
    folder = folders.session(tool, native)
    with Store.open(state / "memd.db", readonly=True) as store:
        made, known = store.checkpoints.current(session), store.session(session)
        numbers = store.checkpoints.numbers(session)
    if known is None or not known.messages:
        return
    assert made.upto == known.messages
    assert made.number == numbers[-1] == folders.published(folder)
    for name in ("mind", "memo", "scene"):
        assert (folder / f"{name}.md").read_text("utf-8") == getattr(made.parts, name), name
    assert (folder / "checkpoint.md").read_text("utf-8") == folders.text(folder, made.number)
    check_files(state, session)


def at_rest(state, session):
    """Whether a session's checkpoint and its files hold for all that is recorded."""
    tool, _, native = session.partition(":")
    folders = Folders(state)
    with Store.open(state / "memd.db", readonly=True) as store:
        known, made = store.session(session), store.checkpoints.current(session)
        if known is None or not known.messages:
            return True
        folder = folders.session(tool, native)
        laid = made and folders.published(folder) == made.number == folders.copied(folder)  # the copies come last
        return laid and made.upto >= known.messages
