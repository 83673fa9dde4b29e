"""How many o200k tokens a text has, and the longest beginning of it that fits a budget. Never any network.

Counts are exact for one chunk; a longer text is counted chunk by chunk, which gives at most a few tokens more in
100,000 (a token cannot span two chunks). Where a chunk ends depends on nothing after it. So a text that grows at its
end is counted only where it grew, and a prefix of a text has the text's chunks: `clip` and `count` cannot disagree.

While a hook waits (`hurried`) the encoder is not loaded: what is not known already is counted by rule of thumb.

A token has at least 1 and at most 128 bytes; what that alone can answer is answered without loading the encoder.
The ranks and their licence: `memd.tokens.ranks`.
"""

import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from memd.tokens import rough
from memd.tokens.encoder import SIZE, Encoder
from memd.tokens.seen import Seen

__all__ = ["SIZE", "clip", "count", "hurried", "load", "loaded", "release"]

_CHUNK = 16 * 1024
_EARLIEST_CUT = 12 * 1024
_LONGEST_TOKEN = 128

# Characters less at the end can be a token less or a token more ("hello worl" has more than "hello world"), so the
# longest prefix may end a little beyond the first `budget` tokens. Of 160,000 cuts of prose, code, Chinese and noise
# none reached further than 2 tokens; one more is margin.
_REACH = 3

_SURROGATE = re.compile("[\ud800-\udfff]")
_START = r"[ \t]*[!-.0-~\u4e00-\u9fff]|[ \t]+/"
_LINES = re.compile(rf"[^\n]*(?:\n(?!{_START})[^\n]*)*(?:\n(?={_START}))?")
"""Lines where no token of o200k can span two: of its pattern's pieces only those of blanks and of signs go beyond a line end, the
former to the last of several, the latter to slashes. The last is empty."""

_ENDS = re.compile(r"(?<=[^\W_])(?=[ \n,.\uff0c\u3002])")
"""Where no token spans whatever stands before and behind: no piece of the pattern goes on from a letter or a digit with one of
these. So what stands before is counted once, and only the few words behind it for each length that is tried."""
_WINDOW, _WIDE = 2_000, 64
"""So many characters without such a place, and so many in the last tokens, are a run of blanks or of signs."""

_BLANK = re.compile(r"[^\S ]")
_WORDS = 8192
"""Words whose counts are remembered (150 bytes each), beside an eighth as many that begin a line."""

_encoder = Encoder()
_seen = Seen(8192)
_guessed = Seen(8192)  # by rule of thumb, which is not what the encoder counts
_haste = threading.local()


@contextmanager
def hurried() -> Iterator[None]:
    """In this thread the encoder is not loaded until this ends (0.3 s); one that is there is used."""
    before, _haste.on = getattr(_haste, "on", False), True
    try:
        yield
    finally:
        _haste.on = before


def count(text: str) -> int:
    """The o200k tokens of the text. A lone surrogate (half an emoji, as Node writes it) counts as U+FFFD."""
    if (known := _seen.get(text)) is not None:
        return known
    clean = _clean(text)
    return _count_chunk(clean) if 0 < len(clean) <= _EARLIEST_CUT else sum(map(_count_chunk, _chunks(clean)))


def clip(text: str, budget: int) -> str:
    """The longest beginning of the text, in whole characters, that has at most `budget` o200k tokens.

    It is a prefix of the text, character for character, lone surrogates included. A budget under 1 gives "".
    """
    clean = _clean(text[: max(budget, 0) * _LONGEST_TOKEN])
    if len(clean.encode()) <= budget:
        return text[: len(clean)]
    end = 0
    for chunk in _chunks(clean):
        tokens = _count_chunk(chunk)
        if tokens > budget:
            end += _fitting(chunk, budget)
            break
        end += len(chunk)
        budget -= tokens
    return text[:end]


def load() -> None:
    """Load the encoder now, if it is not there: whoever counts next does not wait for it."""
    _encoder.load()


def loaded() -> bool:
    """Whether the encoder is in memory now."""
    return _encoder.loaded


def release() -> None:
    """Give the encoder's memory back; the counts of known texts stay. For a daemon that goes idle."""
    _encoder.release()


def _clean(text: str) -> str:
    """The text with lone surrogates replaced one for one, so that its positions are the text's."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _chunks(text: str) -> Iterator[str]:
    """Pieces of at most 16 Ki characters, cut after a newline; in the middle of a line only where there is none."""
    start = 0
    while start < len(text):
        newline = text.find("\n", start + _EARLIEST_CUT, start + _CHUNK)
        end = newline + 1 if newline >= 0 else start + _CHUNK
        yield text[start:end]
        start = end


def _count_chunk(chunk: str) -> int:
    known = _seen.get(chunk)
    if known is not None:
        return known
    return _remembered(chunk, _guessed, _guess) if _rough() else _remembered(chunk, _seen, _exact)


def _guess(chunk: str) -> int:
    """By rule of thumb, line by line and word by word as well: none of its pieces goes beyond a single blank."""
    return _guessed.total(_LINES.findall(chunk)[:-1], _guessed_words.total)


def _exact(chunk: str) -> int:
    """Line by line: of a text that was put together from others most lines were counted before."""
    lines = _LINES.findall(chunk)[:-1] if "\n" in chunk else [chunk]
    return _words.total(chunk) if len(lines) == 1 else _seen.total(lines, _words.total)


class _Words:
    """Lines word by word, each with the blank before it, where no token of o200k can span two.

    A row of exact strings has other ones in each refresh, and they are those of the rows before.
    """

    def __init__(self, counted: Callable[[str], int]) -> None:
        self._line = counted
        self._first = lru_cache(_WORDS // 8)(counted)
        self._behind_blank = lru_cache(_WORDS)(lambda word: counted(f" {word}"))

    def total(self, line: str) -> int:
        """The tokens of a line."""
        unindented = line.lstrip(" ")
        words = unindented.split(" ")
        if "" in words or not (line[:-1].isprintable() or _BLANK.search(line, 0, len(line) - 1) is None):
            return self._line(line)  # a token may be of several blanks and line ends
        return self._first(line[: len(line) - len(unindented)] + words[0]) + sum(map(self._behind_blank, words[1:]))


def _encoded(text: str) -> int:
    return len(_encoder.encode(text))


_words, _guessed_words = _Words(_encoded), _Words(rough.count)


def _remembered(chunk: str, seen: Seen, counted: Callable[[str], int]) -> int:
    known = seen.get(chunk)
    if known is None:
        seen.put(chunk, known := counted(chunk))
    return known


def _fitting(chunk: str, budget: int) -> int:
    """How many characters of the chunk, which has more than `budget` tokens, fit."""
    if _rough():
        return bisect_left(range(len(chunk)), budget + 1, key=lambda length: rough.count(chunk[:length])) - 1
    tokens = _encoder.encode(chunk)
    surely, furthest = (_encoder.characters(tokens[: max(0, budget + reach)]) for reach in (-_REACH, _REACH))
    start = max((end.start() for end in _ENDS.finditer(chunk, max(0, surely - _WINDOW), surely)), default=0)
    if surely - start > _WINDOW and furthest - surely > _WIDE:
        return bisect_left(range(furthest + 1), budget + 1, key=lambda length: _encoded(chunk[:length])) - 1
    left = budget - _encoded(chunk[:start])
    lengths = range(furthest, start, -1)
    return next((length for length in lengths if _encoded(chunk[start:length]) <= left), start)


def _rough() -> bool:
    return getattr(_haste, "on", False) and not _encoder.loaded
