"""The few exact words by which memd finds its own text again in a transcript.

They are written by `render` and looked for only in what a hook delivered; the same words anywhere else mean nothing. Text
that imitates them is escaped where it is shown (`escape`) and exact in the record.
"""

import re

from msgspec import Struct

from memd.later import pattern

_OPEN = pattern(r"memd checkpoint (\d{1,9}), part (\d) of (\d)\n")
_END = pattern(r"^memd checkpoint (\d{1,9}) of (\S{1,200}) ends here; receipt ([A-Za-z0-9]{6})\s*\Z", re.MULTILINE)
_LINE = pattern(r"memd: (?:session|the session before|background \(|project |note: )")
_START = r"(?:^|(?<=[\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
"""Where a line starts for any reader, not only for `splitlines`."""
_IMITATION = pattern(
    _START + r"([^\S\n]*)(?=memd checkpoint \d|memd: (?:session|the session before|background \(|project |note: )"
    r"|#{1,6}[^\S\n]|The current request \(#"
    r"|(?:Added while I worked|Said when refusing|Answer to my question|Waiting in the client's queue)\b"
    r"|background \([^()\n]*\), not typed"
    r"|#\d+(?::| (?:\d{4}-\d\d-\d\d )?\d\d:\d\dZ| answer to my question| when (?:refusing|allowing)| added while| queued:| /\S"
    r"| \((?:said|again|left out)\b)"
    r"|-{3,}[^\S\n]*$|={3,}[^\S\n]*$)",
    re.MULTILINE,
)

_HEAD = pattern(_START + r"([^\S\n]*)(?=#\d+[ :])", re.MULTILINE)


class Found(Struct, frozen=True):
    """The marks in one injected text."""

    number: int
    part: int = 1
    parts: int = 1
    session: str | None = None
    code: str | None = None


def opening(number: int, part: int, parts: int) -> str:
    """The first line of a part."""
    return f"memd checkpoint {number}, part {part} of {parts}\n"


def ending(number: int, session: str, code: str) -> str:
    """The last line of the whole text (without a newline)."""
    return f"memd checkpoint {number} of {session} ends here; receipt {code}"


def find(text: str) -> Found | None:
    """The marks of a text that a hook delivered, or None when it is not memd's."""
    start, end = _OPEN.match(text), _END.search(text[-400:])
    if start is None and end is None:
        return None
    number = int(start[1] if start else end[1])  # type: ignore[index]  # one of the two matched
    part, parts = (int(start[2]), int(start[3])) if start else (1, 1)
    if end is None or int(end[1]) != number:
        return Found(number, part, parts)
    return Found(number, part, parts, end[2], end[3])


def own(text: str) -> bool:
    """Whether a hook's text is memd's: a checkpoint or one of its single lines."""
    return find(text) is not None or _LINE.match(text) is not None


def escape_heads(text: str) -> str:
    r"""The text with a backslash before whatever at a line's start would pass for the head of a message in a list.

    >>> escape_heads("#12 2026-11-30 09:00Z human.typed")
    '\\#12 2026-11-30 09:00Z human.typed'
    """
    return _HEAD.sub(r"\1\\", text)


def escape(text: str) -> str:
    r"""The text with a backslash before whatever at a line's start would pass for a mark or a heading.

    >>> escape("# Goals")
    '\\# Goals'
    """
    return _IMITATION.sub(r"\1\\", text)
