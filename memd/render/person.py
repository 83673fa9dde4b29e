"""What people asked for, in their own words: the mission, the current request, the memo. Copied, never retyped.

A text that fits its room stands exactly, but for a backslash before what would pass for one of memd's marks; a longer one is
cut and says where the whole is.
"""

from collections.abc import Iterator, Sequence

from memd.model import Channel, Record, marks
from memd.model.text import clock, oneline
from memd.render import outline
from memd.render.content import Content, Entry
from memd.render.purse import Purse, headed, heading
from memd.render.sizing import head_and_tail

ENTRY, LEAST = 300, 24
"""Tokens of one memo entry, and how few it may shrink to."""
TWICE = 40
"""Tokens of a mission whose message stands below as the current request."""
HOUR, DATE = 3_600_000, 12
"""Milliseconds between two messages after which the second shows its time; tokens of a date and a time."""
UNSTATED = "this client does not record who sent it"
QUEUED = (
    "Waiting in the client's queue when this was written (who sent it is not recorded yet; if it also comes as a message, "
    "that is the same)"
)


def mission(content: Content, purse: Purse, room: int) -> Iterator[str]:
    """The active missions within `room`, one a line, and as far as it reaches those that ended, with what ended them."""
    entries = [row for row in outline.sections(content.parts.mind).get("Mission", []) if row.startswith("- ")]
    active = [entry for entry in entries if "[active]" in entry] or entries[-1:]
    share = max(room // max(len(active), 1), 16)
    below = f" (#{content.request.number})" if content.request is not None else ""
    texts = [_mission(entry, TWICE if below and entry.endswith(below) else share, purse) for entry in active]
    room -= sum(purse.cost(text) for text in texts)
    for entry in reversed([entry for entry in entries if entry not in active]):
        text = _mission(entry, TWICE, purse)
        if (room := room - purse.cost(text)) > 0:
            texts.append(text)
    yield from (purse.take(block) for block in headed("Mission", texts))


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


def images_of(record: Record) -> str:
    """How many pictures came with a message, if any."""
    images = record.extra.get("images")
    return f"[{images} image{'s' if images != 1 else ''}]" if images else ""


def memo(content: Content, purse: Purse, room: int, told: str) -> Iterator[str]:
    """The ticked messages: the first and the cited stay, then the newest; what falls out is named.

    `told` is what stands above: the mission and the current request. What is whole there is not said again.
    """
    ticked = [entry for entry in content.memo if entry.ticked]
    title = "the operator's prompts (headless)" if content.operator else "the person's own words"
    yield from _listed(content, ticked, f"Memo: {title}, oldest first", purse, room, told)


def unstated(content: Content, purse: Purse, room: int, told: str) -> Iterator[str]:
    """Prompts that nobody is known to have sent, in the memo's form but not in the memo."""
    first = content.unstated[:1]
    entries = [Entry(record, ticked=True, note="first" if record in first else "") for record in content.unstated]
    yield from _listed(content, entries, "Prompts, sender not known, oldest first", purse, room, told)


def _listed(
    content: Content, entries: Sequence[Entry], title: str, purse: Purse, room: int, told: str
) -> Iterator[str]:
    if not entries:
        return
    above = {entry.record.number for entry in entries if _stands_above(content, entry, told)}
    title += f" ({', '.join(f'#{number}' for number in sorted(above))} above)" if above else ""
    entries = [entry for entry in entries if entry.record.number not in above]
    room = min(room, purse.left) - purse.cost(heading(title))
    if room > 0:
        shown = _shown(content, entries, purse, room)
        yield from (purse.take(block) for block in list(headed(title, shown)) or [heading(title)])


def _shown(content: Content, entries: Sequence[Entry], purse: Purse, room: int) -> list[str]:
    """The entries that fit, in order, and lines for those that do not; where some are missing the next one has its date."""
    texts = {e.record.number: _words(content, e.record, purse) for e in entries}
    heads = {e.record.number: _head(e.record, entries[n - 1].record if n else None) for n, e in enumerate(entries)}
    costs = {number: purse.cost(head + texts[number]) for number, head in heads.items()}
    if sum(costs.values()) > room:
        room -= purse.cost(_summary(content, [entry.record for entry in entries])) + DATE
    kept = _chosen(entries, costs, room)
    out = [entry.record for entry in entries if entry.record.number not in kept]
    fallen = _fallen(content, out, purse, room - sum(costs[number] for number in kept))
    older = [number for number in heads if number in kept and out and number < out[0].number]
    newer = [number for number in heads if number in kept and number not in older]
    heads |= {entry.record.number: _head(entry.record, None) for entry in entries if entry.record.number in newer[:1]}
    return [*(heads[n] + texts[n] for n in older), *fallen, *(heads[n] + texts[n] for n in newer)]


def _chosen(entries: Sequence[Entry], costs: dict[int, int], room: int) -> set[int]:
    kept = set[int]()
    for entry in sorted(entries, key=lambda e: (e.note != "first", -e.record.number)):
        number = entry.record.number
        if costs[number] <= room:
            kept.add(number)
            room -= costs[number]
    return kept


def _head(record: Record, before: Record | None) -> str:
    """Number, time and way of a message; the time only where an hour went by since the one before, the day where it differs."""
    if record.at is not None and before is not None and before.at is not None:
        if 0 <= record.at - before.at < HOUR:
            return f"#{record.number}{_way(record)}:"
        if clock(before.at)[:10] == clock(record.at)[:10]:
            return f"#{record.number} {clock(record.at)[11:]}{_way(record)}:"
    return f"#{record.number} {clock(record.at)}{_way(record)}:"


def _words(content: Content, record: Record, purse: Purse) -> str:
    """The message itself: behind its head when it is a single line, else from the next line on."""
    images, room = images_of(record), max(purse.fixed(ENTRY), LEAST)
    text, cut = record.text, ""
    if purse.sizer.count(text) > room:
        text = purse.sizer.clip(text, room)
        cut = f"\n[… cut here; the whole: memd log {content.name} --message {record.number}]"
    shown = f" {text}" if text.isprintable() else f"\n{marks.escape(text)}"
    return f"{shown if text.strip() else ''}{cut}{f' {images}' if images else ''}"


def _stands_above(content: Content, entry: Entry, told: str) -> bool:
    """Whether the message's whole text stands as the mission, as the current request or as an addition to it."""
    record = entry.record
    above = entry.note == "first" or record in (content.request, *content.added)
    return above and bool(record.text.strip()) and marks.escape(record.text) in told


def _way(record: Record) -> str:
    """How a message came, where the list's title does not say it."""
    if record.extra.get("command"):
        return f" /{record.extra['command']}"
    if record.channel is not Channel.HUMAN_ANSWER:
        return {Channel.HUMAN_STEERED: " added while I worked", Channel.HUMAN_QUEUED: " queued"}.get(record.channel, "")
    if record.extra.get("refusal"):
        return " when refusing a tool call"
    if record.extra.get("allowed"):
        return " when allowing a tool call"
    return f" answer to my question {oneline(str(record.extra.get('question', '')), 160)!r}"


def _fallen(content: Content, records: Sequence[Record], purse: Purse, room: int) -> list[str]:
    """A line for each of the newest messages that fell out, and one for all that are older."""
    lines = list[str]()
    for place in range(len(records) - 1, -1, -1):
        line = f"#{records[place].number} (left out) {oneline(records[place].text, 60)}"
        if purse.cost(line) > room:
            return [_summary(content, records[: place + 1]), *lines]
        room -= purse.cost(line)
        lines.insert(0, line)
    return lines


def _summary(content: Content, records: Sequence[Record]) -> str:
    first, last = records[0].number, records[-1].number
    which = f"#{first}" if first == last else f"{len(records)} from #{first} to #{last}"
    return f"(left out: {which}; `memd log {content.name} --human` shows them)"
