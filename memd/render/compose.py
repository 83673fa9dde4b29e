"""What goes into the text that is given back, in which order, and what gives way when the budget is small.

Precedence: mission, current request, memo (at most 40 %), next step, then the rest by value. Amounts that are fixed shrink in
proportion below a budget of 4,000 tokens. What does not fit is named, with the command that shows it. The text is the agent's
own recollection: statements, no orders.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from memd.model import Channel, Record, marks
from memd.model.once import once
from memd.model.text import clock, line
from memd.render import listing, outline, person, rest, words
from memd.render.content import FIRST, RELATIVE, Content, Entry, Rendered, cited
from memd.render.parts import Limits, fill, split
from memd.render.purse import FULL_SIZE, Purse, headed, heading
from memd.render.sizing import Counted, Sizer

MISSION, REQUEST, MEMO = 300, 1_500, 3_000
"""Tokens: the mission, the current request, all memo entries together."""
MEMO_SHARE, LEFT_SHARE, MORE = 0.4, 0.7, 0.1
"""Of the whole, and of what mission and request leave: the memo at most, also where nobody is known to have sent it. Of what
is left after the next step: what else people said, before the rest; what the rest leaves is theirs again."""
TRIES, FULL_ENOUGH, SMALL_ENOUGH, A_PART = 12, 0.98, 0.99, 2_500
"""How often a size is tried; where a text counts as full, and a small one; tokens of a part, for what its marks will cost."""
NEARLY = 0.995
"""What a try aims at."""
PACKED, CLOSE = 0.98, 0.04
"""Where parts count as full, and how close to a size that they could not take no other is tried: of messages that stand whole a
few tokens more or less fill one part or open another."""
SHORT, LARGEST = 500, 1_000_000
ASKS = (
    "Whether this text reached me is checked by its receipt: my next message says the code at the end of the next line."
)
ROOMY = 2_000
"""Tokens from which on the file of the newest messages is named; its path alone has some forty."""
RECENT = 400
"""Tokens of one of the agent's earlier texts."""
_ORDER = (
    ("Next step", "Workstreams", "Where I am", "Waiting on", "Current step"),
    ("Progress", "Key decisions", "Lessons", "Pitfalls", "Skills", "Exact references", "Files"),
)
"""The sections before the memo and after it."""


def compose(content: Content, budget: int, sizer: Sizer, limits: Limits) -> Rendered:
    """The full text within `budget` tokens and within the parts that the tool can carry.

    Costs of blocks are counted one by one and the whole as a whole, so a first try may end above or below the budget; the
    next ones aim at what it missed, in tokens or in what the parts could not take.
    """
    budget = min(budget, LARGEST)  # more than any text has, and what the marks of so many parts cost is counted
    matter, sizer = _Matter(content), Counted(sizer)
    size, best = budget, None
    fits, over, close = (0, 0), (0, 0), 0.0
    enough = FULL_ENOUGH if budget >= FULL_SIZE else SMALL_ENOUGH
    for _ in range(TRIES):
        blocks, left = _full(matter, size, budget, sizer)
        parts = split(blocks, content.number, limits)
        tokens = sizer.count("\n".join(parts)) if parts else 0
        load = max(tokens, int(budget * fill(parts or blocks, limits) / PACKED))
        if parts and tokens < budget:  # one less, for the line end behind the text where it is printed
            best = best if best and best.tokens >= tokens else Rendered(parts, tokens)
            fits = (size, load)
            if load > budget * enough or (size >= FULL_SIZE and left >= budget - load):  # nothing else would fit
                break
        else:
            over, close = (size, max(load, budget)), 1 - enough
            if not parts:
                over, close = (size, max(load, int(budget * (1 + CLOSE)))), CLOSE
        if best and over[0] and over[0] - fits[0] < budget * close:
            break
        size = _aimed(fits, over, budget)
    return best or short(content, min(budget, SHORT), sizer, limits)


def _aimed(fits: tuple[int, int], over: tuple[int, int], budget: int) -> int:
    """The size that should give `budget` tokens, by what gave fewer and what gave more than may be (size, tokens)."""
    if not over[0] and fits[0] >= FULL_SIZE:  # rows of one place become one, the more the larger a text is
        return int(fits[0] * budget * NEARLY / fits[1])
    if not over[0]:
        return fits[0] + budget - fits[1]
    if not fits[0]:
        return int(over[0] * min(0.97, max(budget / over[1], 0.5)))
    share = (budget - fits[1]) / max(over[1] - fits[1], 1)
    return fits[0] + int((over[0] - fits[0]) * min(max(share, 0.1), 0.9))


def short(content: Content, budget: int, sizer: Sizer, limits: Limits) -> Rendered:
    """Mission, current request, next step and how to see more: for compactions that follow each other closely.

    Where room is left people's other words stand there too: what was given before went with the context that was compacted.
    """
    blocks, matter, sizer = list[str](), _Matter(content), Counted(sizer)
    for size in range(budget, 0, -20):
        blocks = list(_short(matter, size, sizer))
        parts = split(blocks, content.number, limits)
        if parts and sizer.count("\n".join(parts)) < budget:
            return Rendered(parts, sizer.count("\n".join(parts)))
    parts = split(blocks, content.number, limits) or (marks.opening(content.number, 1, 1) + _ending(content),)
    return Rendered(parts, sizer.count("\n".join(parts)))


class _Matter:
    """What does not depend on the size, made once for all that are tried."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self._mind = outline.sections(content.parts.mind)
        self.missions = self._mind.get("Mission", [])
        self.scene = _scene(content)

    @cached_property
    def lists(self) -> listing.Lists:
        """What people said."""
        return listing.Lists(self.content, self._listed)

    @cached_property
    def below(self) -> list[Record]:
        """Messages that stand verbatim below the mission."""
        first = [
            entry.record for entries in (self._listed[0], self._listed[-1]) for entry in entries if entry.note == FIRST
        ]
        return first + ([self.content.request] if self.content.request is not None else [])

    @cached_property
    def sections(self) -> dict[str, list[str]]:
        """Mind and scene; what paths are relative to is told where work was done, so that there are any."""
        worked = any(
            block.strip() not in rest.EMPTY
            for name in ("Progress", "Exact references")
            for block in self.scene.get(name, [])
        )
        where = [block for block in self._mind.get("Where I am", []) if worked or RELATIVE not in block]
        return {**self._mind, "Where I am": where, **self.scene}

    @cached_property
    def _listed(self) -> list[list[Entry]]:
        return words.listed(self.content, self.missions)


def _short(matter: _Matter, budget: int, sizer: Sizer) -> Iterator[str]:
    content, purse = matter.content, Purse(budget, sizer)
    frame = [purse.take(text) for text in (_opening(content), _intro(content), _whole(content), _ending(content))]
    yield frame[1]
    below = (content.request,) if content.request is not None else ()
    above = [*person.mission(matter.missions, purse, purse.left // 3, below)]
    above += person.request(content, purse, purse.left * 2 // 3)
    shelf = rest.Shelf(matter.scene, purse)
    shelf.fill("Next step", purse.left)
    said = words.Said(matter.lists, "\n".join(above), purse)
    said.memo(purse.left)
    yield from above
    yield from headed("Next step", shelf.shown("Next step"))
    yield from said.blocks()
    yield from frame[2:]


def _full(matter: _Matter, size: int, budget: int, sizer: Sizer) -> tuple[list[str], int]:
    """The blocks, in the order of the text, and the tokens that are left of `size`; `budget` is what shares are of."""
    content, purse = matter.content, Purse(size, sizer)
    parts = 1 + budget // A_PART
    frame = [
        purse.take(text)
        for text in (_opening(content) * parts, _intro(content), _where(content, budget), _ending(content))
    ]
    spared = min(80, budget // 36)  # for the line that names what is left out
    purse.left -= spared
    above = [
        *person.mission(matter.missions, purse, max(purse.fixed(MISSION), 40), matter.below),
        *person.request(content, purse, max(purse.fixed(REQUEST), 60)),
    ]
    said = words.Said(matter.lists, "\n".join(above), purse)
    said.memo(min(int(MEMO * min(1.0, budget / 4_000)), int(budget * MEMO_SHARE), int(purse.left * LEFT_SHARE)))
    shelf = rest.Shelf(matter.sections, purse)
    shelf.fill("Next step", purse.left)
    said.more(int(purse.left * MORE))
    rest.by_value(shelf, purse)
    purse.left += spared
    missing = [purse.take(line) for line in _left_out(content, shelf.left_out(), purse)]
    said.more(purse.left)
    quoted = list(said.blocks())
    skills, recent = list(_skills(content, purse)), list(_recent(content, purse))
    before, behind = (list(_shown(shelf, names)) for names in _ORDER)
    return [frame[1], *above, *before, *quoted, *behind, *skills, *recent, *missing, *frame[2:]], purse.left


def _shown(shelf: rest.Shelf, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from headed(name, shelf.shown(name))


def _scene(content: Content) -> dict[str, list[str]]:
    """The scene's blocks; the request, which stands above, is not quoted again."""
    found = outline.sections(content.parts.scene)
    if content.request is None:
        return found
    said, number = cited(content.request), f"request #{content.request.number}"
    return {name: [block.replace(said, number) for block in blocks] for name, blocks in found.items()}


def _opening(content: Content) -> str:
    return marks.opening(content.number, 1, 1)


def _intro(content: Content) -> str:
    if content.operator or any(entry.record.channel is Channel.OPERATOR_HEADLESS for entry in content.memo):
        both = not content.operator or not all(e.operator for e in content.earlier)
        person = "the person's own words or, where it says so, " if both else ""
        whose = f"quoted lines are {person}the operator's prompts (headless: a person or a program), in force"
    elif content.unstated and not content.memo:
        whose = "prompts are quoted as they came, their sender is not recorded"
    else:
        whose = "quoted lines are the person's own words, in force with the agreements"
    alone = " The client's own summary of the last compaction is an error message: not usable, nothing is in it."
    return (
        "Kept by memd, a program beside the agent "
        f"({content.writer} writer, {clock(content.at)}): {whose}; the rest is not theirs; a newer message wins."
        + (alone if content.unsummed else "")
    )


def _ending(content: Content) -> str:
    end = marks.ending(content.number, content.session, content.receipt)
    return f"{ASKS}\n{end}" if content.asks else end


def _where(content: Content, budget: int) -> str:
    newest = f"; the newest ones: `{content.newest}`" if content.newest and budget >= ROOMY else ""
    return f"Any message: `memd log {content.name} --message N`{newest}."


def _whole(content: Content) -> str:
    return f"Whole: `memd log {content.name} --message N`; `memd show {content.name} scene`, `mind` or `memo`."


def _skills(content: Content, purse: Purse) -> Iterator[str]:
    """The texts of skills that left the context, as far as they fit whole; the others are named with their files."""
    title = "Texts of skills"
    blocks = (f"Skill `{line(name, 80)}`, as it is now:\n{rest.quoted(text)}" for name, text in content.skills)
    room = purse.left - purse.cost(heading(title))
    kept = list[str]()
    for block in blocks:
        if purse.cost(block) <= room:
            room -= purse.cost(block)
            kept.append(purse.take(block))
    yield from headed(title, kept)


def _recent(content: Content, purse: Purse) -> Iterator[str]:
    """What the agent wrote before its last text, newest kept first, while room is left."""
    title = "Earlier messages of mine"
    kept: list[str] = []
    room = int((purse.left - purse.cost(heading(title))) * 0.95)
    for record in (record for record in reversed(content.recent) if record.text.strip()):
        text = _mine(purse.clip(record.text, RECENT))
        block = f"#{record.number} {clock(record.at)} (my words):\n{text}"
        if purse.cost(block) > room:
            break
        room -= purse.cost(block)
        kept.append(purse.take(block))
    yield from headed(title, list(reversed(kept)))


@once(512)
def _mine(text: str) -> str:
    return rest.quoted(text)


def _left_out(content: Content, missing: dict[str, int], purse: Purse) -> list[str]:
    """What is left out and how to see it, at length or in short, as it fits."""
    if not missing:
        return []
    what = ", ".join(f"{name} {count}" for name, count in missing.items())
    files = {part: sum(n for name, n in missing.items() if rest.file(name) == part) for part in rest.FILES}
    parts = sorted((part for part in files if files[part]), key=files.__getitem__, reverse=True)
    shows = [f"`memd show {content.name} {part}`" for part in parts]
    short = ", ".join(f"{files[part]} of {show}" for part, show in zip(parts, [shows[0], *parts[1:]], strict=True))
    lines = f"(left out for room: {what}; {' and '.join(shows)})", f"(left out for room: {short})"
    return [line for line in lines if purse.cost(line) <= purse.left][:1]
