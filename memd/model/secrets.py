r"""Values that are shaped like secrets, and what stands in their place in the record.

Shapes are those that issuers publish (a fixed prefix, a length), private keys, passwords in URLs, and values given to a name
such as `password` or `api_key`. The last kind is a guess, so the value must look random as well: no word, code, path, date,
UUID or placeholder. Hashes of commits, UUIDs and base64 without such a name are never touched. A secret becomes
`[secret sha256:1a2b3c4d]`: equal ones stay equal, so that one still sees that two commands used the same key.

The person's own words are never changed. That clashes with "secrets are not stored": a password that a person types stands
in the record, in the memo that quotes the message, and so in the checkpoint, as exactly as everything else they say, for
their own eyes (0600). So does what nothing attributes, since it may be the person's.

Speed. Python tries every alternative of a long pattern at every letter (8 MB/s). So they are tried only where `hints` says that a
secret may stand.
"""

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from math import log2

from memd.later import pattern
from memd.model.hints import BACK, PRIVATE, hints

_PART = 4
"""Characters from which on a part of a secret is hidden as well; a shorter one stands in too much else."""
_ISSUED = (
    r"A[KS]IA[A-Z2-7]{16}\b",  # AWS: the id of a key; the key itself is found by its name
    r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}",  # Google
    r"gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}",
    r"gl[a-z]{2,5}-[\w.-]{18,}",  # GitLab
    r"xox[abceoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,}|hooks\.slack\.com/(?:services|workflows)/[\w/]{20,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[\w+/=]{20,}",  # Stripe
    r"sk-(?:ant|proj|svcacct|admin|or)-[\w-]{16,}|sk-[A-Za-z0-9]{32,}",  # Anthropic, OpenAI, OpenRouter
    r"npm_[A-Za-z0-9]{20,}|pypi-[\w-]{40,}|hf_[A-Za-z0-9]{20,}",
    r"hv[bs]\.[\w-]{20,}|do[opr]_v1_[a-f0-9]{40,}|dckr_[po]at_[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"eyJ[\w-]{12,}\.eyJ[\w-]{12,}(?:\.[\w-]*)?",  # a JSON Web Token
)
_NAME = (
    r"pass(?:word|wd|phrase)|secret|token|(?:api|access|account|auth|encryption|private|signing|master|secret)[_-]?key"
)
_SUFFIX = r"(?:[_.-]?(?:key|base|value|access|secret|token|password|prod|production|dev|staging|live|test|\d+))*"
_QUOTED = r"(?P<q>\\*[\"'])(?P<quoted>[^\s\"'\\]{8,500}+)(?=\\*[\"'])"
_BARE = r"(?P<bare>[^\s\"'\\,;&<>(){}\[\]`$*][^\s\"'\\,;&<>(){}\[\]`]{7,500}+)(?![(\[{])"
_SURE = (
    rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?P<issued>{'|'.join(_ISSUED)})"
    r"|://[^\s/:@\"'<>]{0,100}:(?P<url>[^\s/@\"'<>{$*][^\s/@\"'<>]{2,200})@"
)
_SHAPE = (
    rf"{_SURE}"
    r"|[?&]sig=(?P<sig>[\w%+/=-]{30,})"
    r"|(?i:authorization)\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?i:basic|token|apikey)\s{1,3}(?P<basic>[\w.~+/=-]{12,})"
    r"|[Bb]earer\s{1,3}(?P<bearer>[\w.~+/=-]{16,})"
    rf"|--(?i:(?:[a-z]{{1,20}}-)?(?:{_NAME}))\s{{1,3}}(?P<flag>[^\s\"'\\,;&<>(){{}}\[\]`$*-][^\s\"'`]{{7,500}})"
    rf"|(?i:(?P<name>{_NAME}){_SUFFIX})(?:\\*[\"'])?\s{{0,3}}(?:=>|:=|[:=]=?)\s{{0,3}}(?:{_QUOTED}|{_BARE})"
)
_CERTAIN = pattern(_SURE)
_NEAR = pattern(rf"(?s:.{{0,{BACK}}}?)(?P<begin>)(?:{_SHAPE})")
"""The first shape that begins at most so far behind."""
_BETWEEN = r"(?:\s|\\[nrt]|\d{1,6}[→\t|:])*+"  # line ends, also as JSON has them, and the line numbers of a listing
_KEY = pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?P<key>(?:{_BETWEEN}[\w-]{{1,40}}: [^\n\\]{{0,200}})*(?:{_BETWEEN}[A-Za-z0-9+/=]{{16,}}+)+"
    rf"(?:{_BETWEEN}[A-Za-z0-9+/=]{{1,15}}(?={_BETWEEN}-----END))?)"
    rf"|(?<![A-Za-z0-9+/=])(?P<rest>(?:[A-Za-z0-9+/=]{{16,}}+{_BETWEEN})+(?:[A-Za-z0-9+/=]{{1,15}})?)"
    rf"(?={_BETWEEN}-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY)"  # what a cut has left of one
)

_PLAIN = pattern(
    r"!*[A-Za-z_]\w*(?:[!?]?\.[A-Za-z_]\w*)+\Z"  # an attribute of something
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # a constant
    r"|\d{4}-\d\d-\d\d"  # a date
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"  # a UUID
    r"|.*(?:\$\{|\{\{|%\(|://|\.\.\.)"  # a template, an address, something cut
)
_PATH = pattern(r"[.~]{0,2}/")
_LETTER, _SIGN = pattern(r"[A-Za-z]"), pattern(r"[0-9!@#%^&+/=~]")
_RANDOM, _PATHS = 2.5, 4.4
"""Bits a character: below the first a value is too regular, below the second what begins like a path is one."""
_TERMS = pattern(r"(?i:(?:ed|x|curve)25519|secp\d+[a-z]\d|sha-?\d+|(?:base|utf|float|u?int|aes|md|hs|rs|es|ps)-?\d+)")
_PIECE = pattern(r"[A-Z]?[a-z]+|[A-Z]+")
_KEBAB = pattern(r"[a-z]+\d{0,3}(?:[-_.](?:[a-z]+\d{0,3}|\d{1,3}))+\Z")


def mask(text: str) -> str:
    """The text with each secret in it replaced.

    >>> mask("export API_KEY=q9ZkP2vX7rLm")
    'export API_KEY=[secret sha256:68917652]'
    """
    found = hints(text)
    if not found:
        return text
    if PRIVATE in text:
        text = _KEY.sub(_without_key, text)
        found = hints(text)
    kept, done = [], 0
    for first, last in _secrets(text, found):
        kept += [text[done:first], stand_in(text[first:last])]
        done = last
    return "".join([*kept, text[done:]]) if kept else text


def masked_in(piece: str, whole: str) -> str:
    """A piece of a text without the secrets that the whole shows: cut out alone, a value has lost the name that tells.

    >>> masked_in("q9ZkP2vX7rLm", "export API_KEY=q9ZkP2vX7rLm")
    '[secret sha256:68917652]'
    """
    found = {whole[first:last] for first, last in _secrets(whole, hints(whole))}
    for secret in sorted(found, key=len, reverse=True):
        part = len(piece) >= _PART and piece in secret
        piece = stand_in(piece) if part else piece.replace(secret, stand_in(secret))
    return mask(piece)


def _secrets(text: str, places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where secrets begin and end, in order."""
    at = 0
    for start, end in places:
        if start < at:
            continue
        found = _NEAR.match(text, max(at, start - BACK))
        at = start + 1
        if found and found.start("begin") <= start:
            found, kind = (found, kind) if (kind := _kind(found)) else _within(found)
            at = max(end, found.end())
            if kind:
                yield found.span(kind)


def _within(found: re.Match[str]) -> tuple[re.Match[str], str | None]:
    """A secret in what does not look like one as a whole: a token that reads like an attribute, an address with a password."""
    inner = _CERTAIN.search(found.string, found.start("begin"), found.end())
    return (inner, inner.lastgroup) if inner else (found, None)


def _kind(found: re.Match[str]) -> str | None:
    """The group that holds the secret; None where the value beside a name is none."""
    name = found["name"]
    kind = "quoted" if found["quoted"] else "bare" if found["bare"] else found.lastgroup or ""
    if name and not _looks_random(found[kind], word_may_be=name.lower().startswith("pass")):
        return None
    if kind in {"bearer", "flag"} and not _looks_random(found[kind], word_may_be=kind == "flag"):
        return None
    return kind


def _looks_random(value: str, *, word_may_be: bool) -> bool:
    """Whether a value that only its surroundings make suspect looks like a secret: mixed signs, nothing readable.

    `word_may_be`: a password may be words with a number.
    """
    rest = _TERMS.sub("", value)
    if not (_LETTER.search(rest) and _SIGN.search(rest)) or _PLAIN.match(value):
        return False
    bits = _entropy(value)
    path = _PATH.match(value) and bits < _PATHS
    return bits >= _RANDOM and not path and (word_may_be or not _readable(rest))


def _readable(value: str) -> bool:
    """Whether a value is made of words: its pieces, also in camelCase, are long, and digits are few."""
    pieces = _PIECE.findall(value)
    return (
        sum(map(len, pieces)) >= 3 * len(pieces) and sum(map(str.isdigit, value)) * 6 <= len(value)
    ) or _KEBAB.match(value) is not None


def _entropy(value: str) -> float:
    """Bits a character, by how often each occurs in the value itself."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())


STAND_IN = pattern(r"\[secret sha256:[0-9a-f]{8}\]")
"""What stands in a secret's place."""


def stand_in(secret: str) -> str:
    """What stands in the place of this one; equal secrets stay equal."""
    return f"[secret sha256:{sha256(secret.encode('utf-8', 'replace')).hexdigest()[:8]}]"


def _without_key(found: re.Match[str]) -> str:
    """The lines that say what it was stay."""
    kind = found.lastgroup or "key"
    return found[0].replace(found[kind], f"\n{stand_in(found[kind].strip())}\n")
