r"""Words for the full text index: how texts are cut into them, what a query asks for, where a hit stands. Pure.

SQLite's `unicode61` takes a run of letters for a word, and so a whole Chinese sentence for one. With a space around each
character of the scripts that are written without spaces, each of them is a word, and a query for several of them in a
row is a phrase. Letters without their accents and in lower case are equal.

`spaced` decides what is in the index, and what has to be taken out again: like a migration it is never edited.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_ALONE = (
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"  # Hangul
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
_EACH = re.compile(f"[{_ALONE}]")
_LEADING = bytes((0xE1, *range(0xE3, 0xF1)))
"""What the UTF-8 of each of them begins with: a text without these bytes has none, and that is told ten times as quickly."""
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"[^\W_]+")
_MOST = 60
"""Terms of a query that are looked at."""


def spaced(text: str) -> str:
    """The text as it is indexed.

    >>> spaced("用SQLite存储")
    ' 用 SQLite 存  储 '
    """
    if text.isascii():
        return text
    letters = text.encode(errors="surrogatepass")
    return _EACH.sub(r" \g<0> ", text) if len(letters.translate(None, _LEADING)) < len(letters) else text


def terms(query: str) -> list[str]:
    """What a person asks for: words, and phrases between quotation marks; what holds no letter or digit asks nothing.

    >>> terms('retry( "exact  words" ) "')
    ['retry(', 'exact  words']
    """
    found = (match[1] if match[1] is not None else match[2] for match in _TERM.finditer(query))
    return [term for term in found if _WORD.search(term)][:_MOST]


def expression(asked: Iterable[str]) -> str:
    """The same for FTS5: all of them, each a string literal, in which nothing is an operator.

    >>> expression(["foo(", "中文", "NOT"])
    '"foo(" AND " 中  文 " AND "NOT"'
    """
    return " AND ".join('"' + spaced(term).replace('"', '""').replace("\0", " ") + '"' for term in asked)


def places(text: str, asked: Sequence[str]) -> list[tuple[int, int]]:
    """Where the terms stand in a text, begin and end, in order and without overlap."""
    if not asked:
        return []
    pattern = "|".join(_pattern(term) for term in sorted(asked, key=len, reverse=True))
    return [match.span() for match in re.finditer(pattern, fold(text))]


def _pattern(term: str) -> str:
    words = _WORD.findall(spaced(fold(term)))
    before = f"(?:(?<![^\\W_])|(?<=[{_ALONE}]))" if not _EACH.match(words[0]) else ""
    after = f"(?:(?![^\\W_])|(?=[{_ALONE}]))" if not _EACH.match(words[-1]) else ""
    return before + r"[\W_]*".join(map(re.escape, words)) + after


def fold(text: str) -> str:
    """The text in lower case and without accents, each character still in its place."""
    return text.lower() if text.isascii() else "".join(map(_plain, text))


def _plain(letter: str) -> str:
    """Hangul would fall apart into its strokes."""
    if _EACH.match(letter):
        return letter
    lower = unicodedata.normalize("NFD", letter)[0].lower()
    return lower if len(lower) == 1 else letter


def around(text: str, hits: Sequence[tuple[int, int]], width: int) -> tuple[str, list[tuple[int, int]]]:
    """About `width` characters of the text where most hits are, on one line, and the hits in them (begin, end).

    The nearer to the beginning the better, where several places are as good.
    """
    first = max((hit[0] for hit in hits), key=lambda at: (_within(hits, at, width), -at), default=0)
    start = max(0, min(first - width // 4, len(text) - width))
    stop = min(len(text), start + width)
    head, tail = ("…" if start else ""), ("…" if stop < len(text) else "")
    shift = len(head) - start
    marks = [(max(a, start) + shift, min(b, stop) + shift) for a, b in hits if a < stop and b > start]
    return head + re.sub(r"\s", " ", text[start:stop]) + tail, marks


def _within(hits: Sequence[tuple[int, int]], at: int, width: int) -> int:
    return sum(at <= first < at + width * 3 // 4 for first, _ in hits)
