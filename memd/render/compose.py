"""What goes into the text that is given back, in which order, and what gives way when the budget is small.

Precedence: mission, current request, memo (at most 40 %), next step, then the rest by value. Amounts that are fixed shrink in
proportion below a budget of 4,000 tokens. What does not fit is named, with the command that shows it. The text is the agent's
own recollection: statements, no orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memd.model import Channel, Parts, Record, marks
from memd.model.text import clock, oneline
from memd.render import outline
from memd.render.parts import Limits, split
from memd.render.sizing import Sizer, head_and_tail

MISSION, REQUEST, ENTRY, MEMO = 300, 1_500, 300, 3_000
"""Tokens: the mission, the current request, one memo entry, all of them."""
MEMO_SHARE = 0.4
SHORT = 500
FULL_SIZE = 4_000

_REST = (
    ("Waiting on", 0.10),
    ("Current step", 0.15),
    ("Progress", 0.30),
    ("Workstreams", 0.05),
    ("Key decisions", 0.15),
    ("Pitfalls", 0.10),
    ("Where I am", 0.04),
    ("Exact references", 0.45),
    ("Lessons", 0.10),
)
"""The rest by value, each with the share of what is left that it may take before the others had their turn."""
_ORDER = (
    "Next step",
    "Current step",
    "Waiting on",
    "Progress",
    "Workstreams",
    "Where I am",
    "Key decisions",
    "Lessons",
    "Pitfalls",
    "Exact references",
)
_PART_OF = {"Workstreams": "mind", "Where I am": "mind", "Key decisions": "mind", "Lessons": "mind"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate of the memo: its record, whether it is ticked, and a note such as `withdrawn`."""

    record: Record
    ticked: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """All that one text is made from."""

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
    recent: tuple[Record, ...] = ()
    operator: bool = False
    """No human message is known: the words are the operator's."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text, cut into the parts that a tool carries; together they are exactly the text."""

    parts: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All parts, one after the other."""
        return "\n".join(self.parts)


@dataclass(slots=True)
class _Budget:
    """What is left to spend."""

    left: int
    sizer: Sizer
    scale: float = 1.0
    dropped: dict[str, int] = field(default_factory=dict)

    def fixed(self, amount: int) -> int:
        """A fixed amount, shrunk in proportion under the full size, never more than what is left."""
        return max(0, min(int(amount * self.scale), self.left))

    def take(self, block: str) -> str:
        """Spend a block."""
        self.left -= self.sizer.count(block) + 1
        return block


def compose(content: Content, budget: int, sizer: Sizer, limits: Limits) -> Rendered:
    """The full text within `budget` tokens and within the parts that the tool can carry."""
    size = budget
    for _ in range(12):
        blocks = list(_full(content, size, sizer))
        parts = split(blocks, content.number, limits)
        if parts is not None:
            tokens = sizer.count("\n".join(parts))
            if tokens <= budget:
                return Rendered(parts, tokens)
        size = int(size * 0.9)
    return short(content, min(budget, SHORT), sizer, limits)


def short(content: Content, budget: int, sizer: Sizer, limits: Limits) -> Rendered:
    """Mission, current request, next step and how to see more: for compactions that follow each other closely."""
    purse = _Budget(budget, sizer, min(1.0, budget / FULL_SIZE))
    ending = purse.take(_ending(content))
    intro = purse.take(_intro(content))
    more = purse.take(f"The rest is kept: `memd show {content.session}` shows it.")
    mission = list(_mission(content, purse, budget // 3))
    request = list(_request(content, purse, purse.left // 2))
    following = _fill("Next step", outline.sections(content.parts.scene).get("Next step", []), purse, purse.left)
    blocks = [intro, *mission, *request, *_headed("Next step", following), more, ending]
    parts = split(blocks, content.number, limits) or (marks.opening(content.number, 1, 1) + ending,)
    return Rendered(parts, sizer.count("\n".join(parts)))


def _full(content: Content, budget: int, sizer: Sizer) -> Iterator[str]:
    purse = _Budget(budget, sizer, min(1.0, budget / FULL_SIZE))
    intro, ending, where = purse.take(_intro(content)), purse.take(_ending(content)), purse.take(_where(content))
    purse.left -= 20 + 8 * len(_ORDER)  # part marks and headings
    mission = list(_mission(content, purse, purse.fixed(MISSION)))
    request = list(_request(content, purse, purse.fixed(REQUEST)))
    told = "\n".join((*mission, *request))
    memo = list(_memo(content, purse, min(purse.fixed(MEMO), int(budget * MEMO_SHARE)), told))
    sections = {**outline.sections(content.parts.mind), **outline.sections(content.parts.scene)}
    chosen = {"Next step": _fill("Next step", sections.get("Next step", []), purse, purse.left)}
    chosen |= _rest(sections, purse)
    recent = list(_recent(content, purse))
    yield intro
    yield from mission
    yield from request
    for name in _ORDER[:4]:
        yield from _headed(name, chosen.get(name, []))
    yield from memo
    for name in _ORDER[4:]:
        yield from _headed(name, chosen.get(name, []))
    yield from recent
    yield from _left_out(content, purse)
    yield where
    yield ending


def _rest(sections: dict[str, list[str]], purse: _Budget) -> dict[str, list[str]]:
    """The rest by value: a first turn within each section's share, a second for what is left over."""
    room = purse.left
    chosen = {name: _fill(name, sections.get(name, []), purse, int(room * share)) for name, share in _REST}
    for name, _ in _REST:
        blocks = sections.get(name, [])
        more = _fill(name, blocks[len(chosen[name]) :], purse, purse.left)
        chosen[name] += more
    return chosen


def _fill(name: str, blocks: Sequence[str], purse: _Budget, room: int) -> list[str]:
    """The first blocks that fit into `room`; how many did not is remembered."""
    taken: list[str] = []
    for block in blocks:
        cost = purse.sizer.count(block) + 1
        if cost > min(room, purse.left):
            break
        room -= cost
        taken.append(purse.take(block))
    purse.dropped[name] = len(blocks) - len(taken)
    return taken


def _headed(name: str, blocks: Sequence[str]) -> Iterator[str]:
    """Heading and blocks; the heading goes with the first block, so that no part ends in a heading."""
    if blocks:
        yield f"\n## {name}\n{blocks[0]}"
        yield from blocks[1:]


def _intro(content: Content) -> str:
    who = "the operator's prompts (headless; a person or a program)" if content.operator else "the person's own words"
    return (
        "This is my record of this session, kept outside the context by memd, a program beside the agent, and written "
        f"{clock(content.at)} by its {content.writer} writer from the transcript; lines quoted as such are {who} and stay "
        "in force with the agreements, the rest is not theirs, and where a newer message differs, the newer message wins."
    )


def _ending(content: Content) -> str:
    return marks.ending(content.number, content.session, content.receipt)


def _where(content: Content) -> str:
    return (
        f"Every message of this session, with its number, is on disk: `memd log {content.session} --message N` shows one whole, "
        f"`memd show {content.session} scene` and `mind` show these notes whole."
    )


def _mission(content: Content, purse: _Budget, room: int) -> Iterator[str]:
    entries = outline.sections(content.parts.mind).get("Mission", [])
    active = [entry for entry in entries if "[active]" in entry] or entries[-1:]
    texts = [_clip(marks.escape(entry), max(room // max(len(active), 1), 16), purse.sizer) for entry in active]
    yield from _headed("Mission", [purse.take(text) for text in texts])


def _clip(text: str, room: int, sizer: Sizer) -> str:
    return text if sizer.count(text) <= room else sizer.clip(text, max(room - 1, 1)) + "…"


def _request(content: Content, purse: _Budget, room: int) -> Iterator[str]:
    request = content.request
    if request is None:
        return
    notes = ["the operator's prompt (headless)"] * content.operator + ["its turn has ended"] * (not content.running)
    state = f"\n({'; '.join(notes)})" if notes else ""
    text = _whole(content, request, room, purse.sizer)
    yield purse.take(f"\nThe current request (#{request.number}), verbatim:\n{text}{state}")
    for record in content.added[-8:]:
        text = _whole(content, record, purse.fixed(ENTRY), purse.sizer)
        yield purse.take(f"{_added(record)} (#{record.number}), verbatim:\n{text}")


def _added(record: Record) -> str:
    if record.channel is not Channel.HUMAN_ANSWER:
        return "Added while I worked"
    if record.extra.get("refusal"):
        return "Said when refusing a tool call"
    return f"Answer to my question {oneline(str(record.extra.get('question', '')), 200)!r}"


def _whole(content: Content, record: Record, room: int, sizer: Sizer) -> str:
    """A message's text, exact but for marks it imitates; images are named, nothing is invented for them."""
    images = record.extra.get("images")
    note = f"[{images} image{'s' if images != 1 else ''}]" if images else ""
    text = marks.escape(record.text) or "(no text)"
    pointer = f"[… the whole: memd log {content.session} --message {record.number} …]"
    return "\n".join(filter(None, (head_and_tail(text, room, pointer, sizer), note)))


def _memo(content: Content, purse: _Budget, room: int, told: str) -> Iterator[str]:
    """The ticked messages: the first and the cited stay, then the newest; what falls out keeps a line with its number."""
    ticked = [entry for entry in content.memo if entry.ticked]
    if not ticked:
        return
    blocks = {e.record.number: _entry(content, e, purse, told) for e in ticked}
    costs = {number: purse.sizer.count(block) + 1 for number, block in blocks.items()}
    kept, used = set[int](), 0
    for entry in sorted(ticked, key=lambda e: (e.note != "first", -e.record.number)):
        number = entry.record.number
        if used + costs[number] <= room:
            kept.add(number)
            used += costs[number]
    title = "the operator's prompts (headless)" if content.operator else "the person's own words"
    out = [e.record for e in ticked if e.record.number not in kept]
    shown = [purse.take(blocks[e.record.number]) for e in ticked if e.record.number in kept]
    yield from _headed(f"Memo: {title}, oldest first", [*_fallen(content, out, purse, room - used), *shown])


def _entry(content: Content, entry: Entry, purse: _Budget, told: str) -> str:
    record = entry.record
    head = f"#{record.number} {clock(record.at)} {record.channel.value}"
    if record.text and marks.escape(record.text) in told:
        return f"{head}: (stands above)"
    asked = record.extra.get("question")
    why = f" (my question, the agent's words: {oneline(str(asked), 160)!r})" if asked else ""
    command = f" /{record.extra['command']}" if record.extra.get("command") else ""
    text = marks.escape(record.text)
    room = max(purse.fixed(ENTRY), 24)
    if purse.sizer.count(text) > room:
        text = (
            purse.sizer.clip(text, room)
            + f"\n[… cut here; the whole: memd log {content.session} --message {record.number}]"
        )
    images = f" [{record.extra['images']} images]" if record.extra.get("images") else ""
    return f"{head}{command}{why}:{images}\n{text}" if text else f"{head}{command}{why}:{images or ' (no text)'}"


def _fallen(content: Content, records: Sequence[Record], purse: _Budget, room: int) -> Iterator[str]:
    """A line for each message that fell out, oldest first; where even these do not fit, their numbers in one."""
    lines = [f"#{r.number} (left out) {oneline(marks.escape(r.text), 60)}" for r in records]
    if lines and sum(purse.sizer.count(text) + 1 for text in lines) > max(room, purse.fixed(200)):
        numbers = ", ".join(f"#{record.number}" for record in records)
        lines = [f"(left out, {len(records)}: {numbers}; memd log {content.session} --human shows them)"]
    yield from (purse.take(text) for text in lines)


def _recent(content: Content, purse: _Budget) -> Iterator[str]:
    """What the agent wrote last, newest kept first, while room is left."""
    kept: list[str] = []
    room = int(purse.left * 0.9)
    for record in reversed(content.recent):
        text = purse.sizer.clip(marks.escape(record.text), 400)
        block = f"#{record.number} {clock(record.at)} (my words): {text}"
        cost = purse.sizer.count(block) + 1
        if cost > room:
            break
        room -= cost
        kept.append(purse.take(block))
    yield from _headed("Recent messages of mine", list(reversed(kept)))


def _left_out(content: Content, purse: _Budget) -> Iterator[str]:
    short = {name: count for name, count in purse.dropped.items() if count > 0}
    if short:
        what = ", ".join(f"{count} of {name}" for name, count in short.items())
        places = " and ".join(sorted({_PART_OF.get(name, "scene") for name in short}))
        yield f"(left out for room: {what}; `memd show {content.session} {places}`)"
