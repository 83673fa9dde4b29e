r"""Where in a text a secret may stand. Pure.

Each shape of a secret has a piece that is written alike in all of that shape, and something that has to follow it. Automata go
through the text for the pieces, and a pattern looks at what follows one. Two automata: one that looks for pieces of three letters
and more takes a third of the time of one that looks for shorter ones as well (measured: 1 GB/s). It gives no piece that begins
inside of another, so those are looked for where there can be one.
"""

from functools import cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from memd.later import pattern

BACK = 30
"""A piece is at most so many characters behind the start of its shape."""
PRIVATE = "PRIVATE KEY"
_GIVEN = r"(?=[:=>]?\s{0,3}(?:\\*[\"'])?[^\s\"'\\]{8})"  # a shorter value is none, "key: 12" stands everywhere
_NAMED = rf"[\w.-]{{0,30}}\\*[\\\"']{{0,3}}\s{{0,3}}[:=]{_GIVEN}|(?P<blank>\s)"
_NAMES = ("assword", "ASSWORD", "asswd", "ASSWD", "hrase", "HRASE", "ecret", "ECRET", "token", "Token", "TOKEN")
_FOLLOWS = {
    **dict.fromkeys(("AKIA", "ASIA"), r"[A-Z2-7]{16}"),
    "AIza": r"[\w-]{35}",
    "eyJ": r"[\w-]{12,400}\.",
    **dict.fromkeys(("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "npm_", "hf_", "_live_", "_test_"), r"[\w+/=]{16}"),
    **dict.fromkeys(("whsec_", "pat_", "oat_", "_v1_"), r"[\w+/=]{16}"),
    **dict.fromkeys(("sk-", "xapp-", "pypi-", "SPX-"), r"[\w-]{10}"),
    "xox": r"\w-[\w-]{10}",
    "gl": r"[a-z]{2,5}-[\w-]{10}",
    **dict.fromkeys(("hvb.", "hvs.", "SG.", "ya29."), r"[\w-]{16}"),
    "slack.com/": r"services|workflows",
    "://": r"[^\s/:@\"'<>]{0,100}:[^\s/@\"'<>]{3,200}@",
    "sig=": r"[\w%+/=-]{30}",
    **dict.fromkeys(("horization", "HORIZATION"), r"[\\\"']{0,3}\s{0,3}[:=]"),
    "earer": r"\s",
    "key": rf"(?:(?<=[_-]key)|(?<=pikey))(?:{_NAMED})",
    "KEY": rf"(?<=[A-Z_-]KEY)(?:{_NAMED}|-[\w-]{{10}})",
    "Key": rf"(?<=[A-Za-z_-]Key)(?:{_NAMED})",
    **dict.fromkeys(_NAMES, _NAMED),
    PRIVATE: "",
}
"""Pieces of which each shape has one, and what follows them where it may be a secret's. A blank behind a name, as in "token
count", gives no value unless the name is a flag."""
_LONG = [piece.encode() for piece in _FOLLOWS if len(piece) > 2]
_SHORT = [piece.encode() for piece in _FOLLOWS if len(piece) <= 2]
_AUTOMATA = (
    (_LONG, BytesAhoCorasick(_LONG, matchkind=MatchKind.LeftmostFirst).find_matches_as_indexes),
    (_SHORT, BytesAhoCorasick(_SHORT, matchkind=MatchKind.LeftmostFirst).find_matches_as_indexes),
)
_FOLLOWING = {piece.encode(): pattern(follows) for piece, follows in _FOLLOWS.items()}
_WINDOW, _OVER = 1 << 16, max(map(len, _FOLLOWS)) - 1
"""So many characters are looked through at once, since each piece found takes memory; a piece may begin in one window and end
in the next."""


def hints(text: str) -> list[tuple[int, int]]:
    """Where a piece stands with what has to follow it: its start, and the end of that, in order."""
    found = []
    for first in range(0, len(text), _WINDOW):
        for end, start, piece in _pieces(text[first : first + _WINDOW + _OVER]):
            hint = _FOLLOWING[piece].match(text, first + end) if start < _WINDOW else None
            if hint and (hint.lastgroup != "blank" or "--" in text[max(0, first + start - BACK) : first + start]):
                found.append((first + start, hint.end()))
    return found


def _pieces(text: str) -> list[tuple[int, int, bytes]]:
    """Which piece ends and starts where, also inside of another, by their ends."""
    data = text.encode("latin-1", "replace")  # a byte for each character, and no piece has another than ASCII's
    found = [(end, start, pieces[number]) for pieces, automaton in _AUTOMATA for number, start, end in automaton(data)]
    if not found:
        return found  # as in most texts
    found += [
        (start + ahead + len(other), start + ahead, other)
        for _, start, piece in found
        for ahead, other in _within(piece)
        if data.startswith(other, start + ahead)
    ]
    found.sort()
    return found


@cache
def _within(piece: bytes) -> tuple[tuple[int, bytes], ...]:
    """Which pieces can begin inside of one, and how far behind its start."""
    return tuple(
        (ahead, other)
        for ahead in range(len(piece))
        for other in _FOLLOWING
        if (ahead or other != piece) and (piece.startswith(other, ahead) or other.startswith(piece[ahead:]))
    )
