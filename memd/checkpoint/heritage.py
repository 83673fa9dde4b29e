"""What was judged in the session that a fork came from, under the fork's own numbers. Pure.

A fork's transcript repeats its source's rows, after a compaction only the last of them. A citation of a message that has no row
in the fork says so: `#12 of <session>`. Only citations are changed: a number anywhere else may be the person's own.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from memd.checkpoint.carry import Judged
from memd.checkpoint.mind import parse

_NUMBER = re.compile(r"#(\d{1,9})\b(?! of )")
_BRACKET = re.compile(r"\(#\d[^()\n]*\)")


def inherited(judged: Judged, source: str, numbers: Mapping[int, int]) -> Judged:
    """The same for a fork; `numbers` are the fork's own, by those of its source's messages that it has."""
    ticks = {numbers[n]: replace(tick, number=numbers[n]) for n, tick in judged.ticks.items() if n in numbers}
    return replace(
        judged,
        ticks=ticks,
        mind=None if judged.mind is None else _mind(judged.mind, source, numbers),
        mind_upto=_upto(judged.mind_upto, numbers),
        scene=None if judged.scene is None else _scene(judged.scene, source, numbers),
        scene_upto=_upto(judged.scene_upto, numbers),
        upto=_upto(judged.upto, numbers),
    )


def _upto(number: int, numbers: Mapping[int, int]) -> int:
    return max((own for theirs, own in numbers.items() if theirs <= number), default=0)


def _mind(text: str, source: str, numbers: Mapping[int, int]) -> str:
    for bullet in parse(text).all:
        if bullet.citation is not None and not bullet.own:
            head, _, rest = bullet.text.rpartition(bullet.citation)
            text = text.replace(bullet.text, head + _renumbered(bullet.citation, source, numbers) + rest, 1)
    return text


def _scene(text: str, source: str, numbers: Mapping[int, int]) -> str:
    return _BRACKET.sub(lambda found: _renumbered(found[0], source, numbers), text)


def _renumbered(text: str, source: str, numbers: Mapping[int, int]) -> str:
    def one(found: re.Match[str]) -> str:
        own = numbers.get(int(found[1]))
        return f"#{own}" if own is not None else f"{found[0]} of {source}"

    return _NUMBER.sub(one, text)
