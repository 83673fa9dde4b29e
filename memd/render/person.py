"""What people asked for, in their own words: the mission, the current request, what was added to it. Copied, never retyped.

A text that fits its room stands exactly, but for a backslash before what would pass for one of memd's marks; a longer one is
cut and says where the whole is.
"""

from collections.abc import Collection, Iterator, Sequence

from memd.model import Channel, Record, marks
from memd.model.text import oneline
from memd.render.content import Content, images_of
from memd.render.purse import Purse, headed
from memd.render.sizing import head_and_tail
from memd.render.words import ENTRY, LEAST

TWICE = 40
"""Tokens of a mission whose message stands below, as the current request or in the memo."""
QUEUED = (
    "Waiting in the client's queue when this was written (who sent it is not recorded yet; if it also comes as a message, "
    "that is the same)"
)


def mission(missions: Sequence[str], purse: Purse, room: int, below: Collection[Record]) -> Iterator[str]:
    """The active missions within `room`, one a line, and as far as it reaches those that ended, with what ended them.

    `below` are messages that stand verbatim further down.
    """
    entries = [row for row in missions if row.startswith("- ")]
    active = [entry for entry in entries if "[active]" in entry] or entries[-1:]
    share = max(room // max(len(active), 1), 16)
    texts = [_mission(entry, TWICE if _stands(entry, below) else share, purse) for entry in active]
    room -= sum(purse.cost(text) for text in texts)
    for entry in reversed([entry for entry in entries if entry not in active]):
        text = _mission(entry, TWICE, purse)
        if (room := room - purse.cost(text)) > 0:
            texts.append(text)
    yield from (purse.take(block) for block in headed("Mission", texts))


def _stands(entry: str, below: Collection[Record]) -> bool:
    """Whether a mission's message stands further down as well."""
    return any(entry.endswith(f"(#{record.number})") for record in below)


def _mission(entry: str, room: int, purse: Purse) -> str:
    """A mission that must be cut keeps the number of the message that it comes from."""
    text = marks.escape(entry)
    body, mark, number = text.rpartition(" (#")
    if purse.sizer.count(text) <= room or not mark:
        return purse.clip(text, room)
    return purse.clip(body, max(room - purse.sizer.count(mark + number), 8)) + mark + number


def request(content: Content, purse: Purse, room: int) -> Iterator[str]:
    """The current request, head and tail, what was said into the work on it and what waits, as far as `room` reaches."""
    before = purse.left
    if content.request is not None:
        yield _request(content, content.request, purse, room)
    waits = list(_queued(content, purse, max(room - (before - purse.left), purse.fixed(ENTRY))))
    added, room = list[str](), max(room - (before - purse.left), purse.fixed(ENTRY))
    for late in reversed(content.added[-8:]):
        block = f"{_added(late)} (#{late.number}), verbatim:\n{_whole(content, late, purse.fixed(ENTRY), purse)}"
        if purse.cost(block) <= min(room, purse.left):
            room -= purse.cost(block)
            added.append(purse.take(block))
    yield from (*reversed(added), *waits)


def _request(content: Content, record: Record, purse: Purse, room: int) -> str:
    title = f"\nThe current request (#{record.number}), verbatim:\n"
    state = _state(content, record)
    frame = purse.cost(title + state)
    return purse.take(title + _whole(content, record, max(room - frame, LEAST), purse) + state)


def _queued(content: Content, purse: Purse, room: int) -> Iterator[str]:
    """What waits in the client's queue, oldest first, the newest kept; it stands nowhere else, so it goes before additions."""
    blocks = list[str]()
    for words in reversed(content.queued[-8:]):
        text = head_and_tail(words.text, purse.fixed(ENTRY), "[… cut here; it has no number yet …]", purse.sizer)
        block = f"{QUEUED}, verbatim:\n{marks.escape(text)}"
        if purse.cost(block) <= min(room, purse.left):
            room -= purse.cost(block)
            blocks.append(purse.take(block))
    yield from reversed(blocks)


def _state(content: Content, record: Record) -> str:
    notes = ["its turn has ended"] * (not content.running)
    if record.channel is Channel.OPERATOR_HEADLESS:
        notes.insert(0, "the operator's prompt (headless)")
    elif record.channel is Channel.UNATTRIBUTED:
        notes.insert(0, "sender not known")
    return f"\n({'; '.join(notes)})" if notes else ""


def _added(record: Record) -> str:
    if record.channel is not Channel.HUMAN_ANSWER:
        return "Added while I worked"
    if record.extra.get("refusal"):
        return "Said when refusing a tool call"
    if record.extra.get("allowed"):
        return "Said when allowing a tool call"
    return f"Answer to my question {oneline(str(record.extra.get('question', '')), 200)!r}"


def _whole(content: Content, record: Record, room: int, purse: Purse) -> str:
    """A message's text; images are named, nothing is invented for them."""
    pointer = f"[… the whole: memd log {content.name} --message {record.number} …]"
    text = marks.escape(head_and_tail(record.text, room, pointer, purse.sizer))
    return "\n".join(filter(None, (text, images_of(record)))) or "(no text)"
