"""What SQL does that a shell line hands to a database's own program: its statements without what only stands in them. Pure."""

import re
from collections.abc import Iterable

_ASIDE = re.compile(
    r"""'(?:[^']|'')*'|(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<name>"(?:[^"\\]|\\.|"")*+(?:"|\\?\Z)|`[^`]*+(?:`|\Z))"""
    r"""|(?P<do>\bdo\s+(?:language\s+\w+\s+)?)?(?P<mark>\\?\$(?:[a-z_]\w*)?\\?\$)(?P<body>.*?)(?:(?P=mark)|\Z)""",
    re.DOTALL | re.IGNORECASE,
)
"""A literal or a comment, which may hold any words; a name in quotation marks (in MySQL a literal); what stands between dollars,
which a shell may want escaped: a literal too, or what `do` runs."""
_OPTION = re.compile(r"\A(?:--[\w-]+=|-[a-zA-Z])")
"""What a statement may stand right behind."""
_DEEPEST = 3
"""Bodies of `do` inside of each other that are looked into."""
_PLAN = re.compile(r"\s*explain\b(?!\s*\(?[^;]*?\banaly[sz]e\b)", re.IGNORECASE)


def statements(words: Iterable[str], document: str) -> str:
    """The statements among a program's words, which hold a blank, and in what it is given to read; not what is only planned.

    >>> statements(["-c", "select 'drop table x' /* or so */; drop table z"], "explain delete from a")
    "select '' ; drop table z"
    >>> statements([], 'select "a b"; do $$ begin delete from x; end $$; select $$ delete from y $$')
    "select _; begin delete from x; end ; select ''"
    """
    texts = [_OPTION.sub("", word) for word in words if len(word.split()) > 1]
    every = (one for text in (*texts, document) for one in _bare(text).split(";"))
    return ";".join(one for one in every if one.strip() and not _PLAN.match(one))


def _bare(text: str, deeper: int = _DEEPEST) -> str:
    return _ASIDE.sub(lambda found: _left(found, deeper), text)


def _left(found: re.Match[str], deeper: int) -> str:
    """What stands for it."""
    if found["name"]:
        return "_"
    if found["do"] and deeper:
        return f";{_bare(found['body'], deeper - 1)};"
    return "" if found["comment"] else "''"
