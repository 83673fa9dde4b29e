"""Small texts for showing: times with their offset, one-line forms, quotations. Pure."""

import re
from datetime import UTC, datetime
from unicodedata import category

LEFT_OUT = "[… "
"""How the note begins that stands in a text where a part of it was left out."""
_SPACE = re.compile(r"\s+")
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that act: controls, directions of writing, halves of characters, separators of lines."""
_HARMLESS = "\n\t\u200c\u200d"
"""But these are part of texts: line ends, tabs, and the joiners of some scripts and of emoji."""


def clock(at: int | None) -> str:
    """A time in UTC, to the minute, always with its offset.

    >>> clock(1795994339654)
    '2026-11-29 23:18Z'
    """
    if at is None:
        return "time unknown"
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%MZ")


NAME = 1_000
"""Characters of a path or a name that are shown."""
_FRESH = 10
"""Seconds that are no time at all."""
_UNITS = ((604_800, "wk"), (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def ago(at: int | None, now: int) -> str:
    """How long ago a time is, in its largest unit.

    >>> ago(1_000, 181_000)
    '3 min ago'
    """
    if at is None:
        return "time unknown"
    passed = (now - at) // 1000
    if passed < _FRESH:
        return "just now"
    size, unit = next(one for one in _UNITS if passed >= one[0])
    return f"{passed // size} {unit} ago"


def brief(milliseconds: int) -> str:
    """A span in its largest unit, in three or four characters.

    >>> brief(180_000)
    '3m'
    """
    passed = max(0, milliseconds // 1000)
    size, unit = next((one for one in _UNITS if passed >= one[0]), _UNITS[-1])
    return f"{passed // size}{unit[0]}"


def oneline(text: str, limit: int) -> str:
    """The text on one line, cut at `limit` characters with a note that it was."""
    flat = _SPACE.sub(" ", text).strip()
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def line(text: str, limit: int) -> str:
    """Like `oneline`, for a text that stands between backticks: its own are kept apart."""
    return oneline(text, limit).replace("`", "'")


def named(name: str) -> str:
    """A path or name as text has it: one may hold line ends, and with them headings and entries of a checkpoint."""
    return printable(oneline(name, NAME))


def quote(text: str, limit: int) -> str:
    r"""The text on one line between quotation marks.

    >>> quote("say hi\nnow", 80)
    '"say hi now"'
    """
    return f'"{oneline(text, limit)}"'


def printable(text: str, shape: str = "\\x{:02x}") -> str:
    r"""The text with every character escaped that a terminal would act on instead of showing it.

    >>> printable("\x1b[31mred")
    '\\x1b[31mred'
    """
    if text.isprintable():  # nearly always: Python calls none of those characters printable
        return text
    return "".join(c if c in _HARMLESS or category(c) not in _ACTING else _escaped(c, shape) for c in text)


def _escaped(character: str, shape: str) -> str:
    """A code point in UTF-16 units, as JSON wants them: all that is not printable beyond the first 65,536 is rare enough."""
    code = ord(character)
    if code < 0x10000:
        return shape.format(code)
    return shape.format(0xD800 + (code - 0x10000 >> 10)) + shape.format(0xDC00 + (code & 0x3FF))
