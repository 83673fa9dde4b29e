"""The exact strings of what an excerpt leaves out (paths, names, ids), which stand for it: they are asked for later. Pure.

Four of five words are language or bare numbers. One pattern passes over these without making strings of them, and gives
the others, which are then judged one by one.
"""

import re
from collections.abc import Iterator
from itertools import chain

from memd.model.secrets import STAND_IN
from memd.model.strings import LONGEST

NAMES, _PART, _LOOKED_AT = 1_000, 12, 60_000
"""Characters of the exact strings (more, a twelfth of what is left out, where it is long), and where the looking for them
ends."""
_APART = bytes.maketrans(b"\"'`<>(){}[],;|=\n\t\r\v\f\x1c\x1d\x1e\x1f", b" " * 24)
"""What stands between words beside blanks and arrows (those beyond ASCII are no single byte)."""
_LOWER = r"a-z:*!?@$%^&+~\\"
_WORDS = re.compile(
    rf"(?:[{_LOWER} ]* "  # words of small letters, as many as stand together
    rf"|[A-Z]++[{_LOWER}]*+\.*+ "  # one that begins with capitals
    r"|[0-9:]++\.*+ "  # a number or a time
    rf"|[{_LOWER}]++-?+[a-z:]*+\.*+ |- "  # one with a hyphen
    r")*+([^ ]++)".encode()
)
"""Words behind any number of such as are never exact: what `_EXACT` needs stands in none of them."""
_END = b" /"
"""A word that is given and is not exact: where none came behind those that are passed over, they would be gone through again
from each letter."""
_EXACT = re.compile(
    r"[/._A-Z\d#-](?:(?<=[/._])(?<=\w.)\w|(?<=[a-z\d][A-Z])|(?<=\d)(?:[a-f]|(?<=[a-f].))"
    r"|(?<=-)(?:(?<=\w.)(?:\w+-\w|(?<=[A-Z].)\d)|(?<=^.)-\w)|(?<=^#)\d)"
)
"""What makes a word exact: a path or a name of code, a hump, a hash, two hyphens, an issue, an option. Coarser than `strings`,
which would take nine tenths of all reading here (measured by profile); what stands in a checkpoint goes through `strings` all
the same. It begins with the one sign that each needs, which is looked for first: twice as fast as one kind after the other."""
_PLACE = re.compile(r"[/\d]")
_DULL = re.compile(r"\d*(?:\.\d*)?\Z|[\d:TZ+./-]*[-:/][\d:TZ+./-]*\Z")
"""Numbers and times say nothing alone."""


def naming(text: str) -> str:
    """The distinct exact strings of a text, in order, as far as there is room: places and values before names, which are many."""
    text = text[:_LOOKED_AT]
    room = max(NAMES, len(text) // _PART)
    places, others, names = list[str](), list[str](), list[str]()
    for word in filter(_EXACT.search, dict.fromkeys(_words(text))):
        (places if _PLACE.search(word) else others).append(word)
    for name in _telling(chain(places, others)):
        room -= len(name) + 1
        if room < 0:
            break
        names.append(name)
    return f"; in them: {' '.join(names)}" if names else ""


def _words(text: str) -> list[str]:
    """What blanks, quotes, brackets and the like part, without most of what is not exact. Bytes go twice as fast as letters."""
    text = STAND_IN.sub(" ", text) if "[secret" in text else text
    data = text.replace("→", " ").encode("utf-8", "surrogatepass").translate(_APART)
    return b" ".join(_WORDS.findall(data + _END)).decode("utf-8", "surrogatepass").split()


def _telling(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        name = word.strip(".:,*-")
        if len(name) <= LONGEST and not _DULL.match(name):
            yield name
