"""Small texts for showing: times with their offset, one-line forms, quotations. Pure."""

import re
from datetime import UTC, datetime

_SPACE = re.compile(r"\s+")


def clock(at: int | None) -> str:
    """A time in UTC, to the minute, always with its offset.

    >>> clock(1795994339654)
    '2026-11-29 23:18Z'
    """
    if at is None:
        return "time unknown"
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%MZ")


def oneline(text: str, limit: int) -> str:
    """The text on one line, cut at `limit` characters with a note that it was."""
    flat = _SPACE.sub(" ", text).strip()
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def line(text: str, limit: int) -> str:
    """Like `oneline`, for a text that stands between backticks: its own are kept apart."""
    return oneline(text, limit).replace("`", "'")


def quote(text: str, limit: int) -> str:
    r"""The text on one line between quotation marks.

    >>> quote("say hi\nnow", 80)
    '"say hi now"'
    """
    return f'"{oneline(text, limit)}"'
