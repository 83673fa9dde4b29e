"""Cutting one text into numbered parts, each small enough for one hook output.

Cuts fall between blocks, so that a message stands whole in one part, and between the rows of a list, which goes on in the next
part; else only a block larger than a part is cut inside, at a line end where there is one, never within a character.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from memd.model import marks
from memd.render.sizing import units


class Limits(Struct, frozen=True):
    """What a tool can carry: UTF-16 units of one part, marks included, and how many parts."""

    units: int
    count: int


_OPENING = len(marks.opening(10**9 - 1, 9, 9))
_BACK = 200
"""Characters before a cut that are looked at for a better one, and after it for what they would pass for."""
_LIST = re.compile(r"(?:\n## [^\n]*\n)?- [^\n]*:\n(?=  [^\s>])")
"""The head of a list, with the heading above it: at least one row goes with it."""
_LEAST = 2
"""Units of the widest character: less room carries nothing, and cutting to it would never end."""


def split(blocks: Sequence[str], number: int, limits: Limits) -> tuple[str, ...] | None:
    """The parts with their opening marks, or None when the blocks do not fit into them."""
    room = limits.units - _OPENING
    if room <= _LEAST:
        return None
    bodies = list(_pack(blocks, room))
    if len(bodies) > limits.count:
        return None
    return tuple(marks.opening(number, k, len(bodies)) + body for k, body in enumerate(bodies, 1))


def fill(blocks: Sequence[str], limits: Limits) -> float:
    """How full the parts are; over 1 where there are not enough of them."""
    sizes = [units(body) + 1 for body in _pack(blocks, max(limits.units - _OPENING, _LEAST + 1))]
    beyond = sum(sizes[limits.count :])
    return beyond / (limits.units * limits.count) + (1.0 if beyond else sum(sizes) / (limits.units * limits.count))


def _pack(blocks: Sequence[str], room: int) -> Iterator[str]:
    """Bodies of at most `room` units, filled in order."""
    body: list[str] = []
    used = 0
    for block in (piece for whole in blocks for piece in _pieces(whole, room)):
        rest, size = block, units(block) + 1
        if body and used + size > room:
            head, rest = _rows(block, room - used)
            yield "\n".join([*body, head] if head else body)
            body, used, size = [], 0, units(rest) + 1
        body.append(rest)
        used += size
    if body:
        yield "\n".join(body)


def _rows(block: str, room: int) -> tuple[str, str]:
    """The rows of a list that fit into `room`, and the others; "" and all of it where none does, or where it is no list."""
    head = _LIST.match(block)
    end = block.rfind("\n", head.end(), _fitting(block, room - 1) + 1) if head and room > _LEAST else -1
    return ("", block) if end < 0 else (block[:end], block[end + 1 :])


def _pieces(block: str, room: int) -> Iterator[str]:
    """The block itself, or cuts of it that fit."""
    while units(block) + 1 > room:
        end = _fitting(block, room - 1)
        cut = block.rfind("\n", 0, end)
        cut = cut if cut > end // 2 else _inert(block, end)
        yield block[:cut]
        inert = cut < end or end == 1 or _is_inert(block, cut)
        block = ("" if inert else "\\") + block[cut:].removeprefix("\n")
    yield block


def _inert(block: str, end: int) -> int:
    """A place shortly before `end` where what follows, at the start of a line, would not pass for a mark or a heading.

    `end` where there is none: in a long run of dashes there is none at all.
    """
    return next((cut for cut in range(end, max(end - _BACK, 0), -1) if _is_inert(block, cut)), end)


def _is_inert(block: str, cut: int) -> bool:
    follows = block[cut : cut + _BACK]
    return marks.escape(follows) == follows


def _fitting(text: str, room: int) -> int:
    """How many characters fit into `room` units."""
    if units(text) <= room:
        return len(text)
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if units(text[:middle]) <= room else (low, middle - 1)
    return max(low, 1)
