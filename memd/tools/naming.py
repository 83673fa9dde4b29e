"""The exact strings of what an excerpt leaves out (paths, names, ids), which stand for it: they are asked for later. Pure.

Four of five words are language or bare numbers. One pattern takes these away without making strings of them. PCRE2 runs it as
machine code, in a fifth of what Python's own engine takes for it, and gives what is left as one text.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

import pcre2  # type: ignore[import-untyped]

from memd.model.secrets import STAND_IN
from memd.model.strings import LONGEST

NAMES, _PART, _LOOKED_AT = 1_000, 12, 60_000
"""Characters of the exact strings (more, a twelfth of what is left out, where it is long), and where the looking for them
ends."""
_APART = bytes.maketrans(b"\"'`<>(){}[],;|=\n\t\r\v\f\x1c\x1d\x1e\x1f", b" " * 24)
"""What stands between words beside blanks and arrows (those beyond ASCII are no single byte)."""
_EXACT = (
    r"\w[/._]\w"  # a path or a name of code
    r"|[a-z\d][A-Z]"  # a hump
    r"|\d[a-f]|[a-f]\d"  # a hash
    r"|\w-\w+-\w"  # two hyphens
    r"|[A-Z]-\d|(?<![^ ])#\d"  # an issue
    r"|(?<![^ ])--\w"  # an option
)
"""What makes a word exact. Coarser than `strings`, which would take nine tenths of all reading here (measured by profile); what
stands in a checkpoint goes through `strings` all the same."""
_DULL = (
    r"[.:*-]*+(?:\d*+(?:\.\d*+)?"  # a number
    r"|(?=[\dTZ+.]*+(?:/|[:-][.:-]*+[\dTZ+/]))[\d:TZ+./-]*+)[.:*-]*+"  # several, a time
)
"""What says nothing alone, whatever stands around it."""
_LOWER = r"a-z:*!?@$%^&+~\\"
_WORDS = (
    rf"(?:(?:[A-Z]*+[{_LOWER}]*+\.?+|[0-9:]++) ++"  # plain words and numbers: what is below would pass over them too, but slower
    rf"|(?![^ ]*?(?:{_EXACT}|[\x80-\xff]))[^ ]++ "  # a word in which nothing is exact, as far as ASCII tells
    rf"|{_DULL} "  # one in which something is
    r")*+([^ ]*+)"
)
"""Any number of words that are not exact, each with the blank behind it, and one that is."""
_EXACT_WORD = re.compile(_EXACT).search
_DULL_WORD = re.compile(rf"{_DULL}\Z").match
_PLACE, _ASCII_PLACE = re.compile(r"[/\d]").search, re.compile(r"[/0-9]").search
"""What makes a word a place or a value; where all are ASCII, looked for in two thirds of the time."""
_AROUND = ".:,*-"


def _compiled(pattern: str) -> pcre2.Pattern:
    """A pattern of bytes, as machine code where a program may make some (a hardened system may forbid it)."""
    try:
        return pcre2.compile(pattern.encode(), pcre2.ASCII)
    except pcre2.LibraryError:
        return pcre2.compile(pattern.encode(), pcre2.ASCII, jit=False)


_LEFT = _compiled(_WORDS).sub


def naming(text: str) -> str:
    """The distinct exact strings of a text, in order, as far as there is room: places and values before names, which are many."""
    text = text[:_LOOKED_AT]
    left = _left(text)
    if b"sha256:" in left:  # as a secret's stand-in leaves it
        left = _left(STAND_IN.sub(" ", text))
    words = dict.fromkeys(left.decode("utf-8", "surrogatepass").split(" "))
    if left.isascii():
        placed = dict.fromkeys(chain(filter(_ASCII_PLACE, words), words))
    else:
        words = dict.fromkeys(_judged(words))
        placed = dict.fromkeys(chain(filter(_PLACE, words), words))
    names = " ".join([name for word in placed if 0 < len(name := word.strip(_AROUND)) <= LONGEST]) + " "
    fitting = names[: max(0, names.rfind(" ", 0, max(NAMES, len(text) // _PART)))]
    return f"; in them: {fitting}" if fitting else ""


def _left(text: str) -> bytes:
    """Of what blanks, quotes, brackets and the like part, the words in which something may be exact, a blank between them."""
    data = text.replace("→", " ").encode("utf-8", "surrogatepass").translate(_APART)
    left: bytes = _LEFT(b"$1 ", data + b" ")
    return left


def _judged(words: Iterable[str]) -> Iterator[str]:
    """The exact ones, where there are letters beyond ASCII in a word."""
    for word in words:
        if word.isascii():
            yield word
        else:
            yield from (one for one in word.split() if _EXACT_WORD(one) and not _DULL_WORD(one))
