"""Reading fields that may be of any type: a wrong one is as good as absent, never an exception."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain
from typing import Any

from memd.model.places import possible
from memd.model.secrets import STAND_IN, mask, stand_in
from memd.model.strings import LONGEST
from memd.model.text import LEFT_OUT

_SECONDS = 100_000_000_000
"""Numbers below are seconds since the epoch, numbers above milliseconds (this many seconds is the year 5138)."""

NAMES, _PART, _LOOKED_AT = 1_000, 12, 60_000
"""Characters of the exact strings that stand for what is left out (more, a twelfth of it, where it is long), and where the
looking for them ends."""
_APART = bytes.maketrans(b"\"'`<>(){}[],;|=", b" " * 15)
"""What stands between words beside blanks and arrows (these are no single byte)."""
_EXACT = re.compile(
    r"[/._A-Z\d#-](?:(?<=\w[/._])\w|(?<=[a-z\d][A-Z])|(?<=[a-f]\d)|(?<=\d)[a-f]"
    r"|(?<=\w-)(?:\w+-\w|(?<=[A-Z]-)\d)|(?<=^-)-\w|(?<=^#)\d)"
)
"""What makes a word exact: a path or a name of code, a hump, a hash, two hyphens, an issue, an option. Coarser than `strings`,
which would take nine tenths of all reading here (measured by profile); what stands in a checkpoint goes through `strings` all
the same. It begins with the one sign that each needs, which is looked for first: twice as fast as one kind after the other."""
_PLACE = re.compile(r"[/\d]")
_DULL = re.compile(r"\d*(?:\.\d*)?\Z|[\d:TZ+./-]*[-:/][\d:TZ+./-]*\Z")
"""Numbers and times say nothing alone."""


ASKED = 300
"""Characters of a call of another's tool."""
_SECRET = re.compile(r"(?i)passw|passphrase|secret|token\Z|credential|authorization|api_?key|private_?key")
DETAIL = 2_000
"""Characters of an edited text, a prompt or a description that are kept with a call."""


def string(row: Mapping[str, Any], key: str) -> str:
    """A string field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def directory(row: Mapping[str, Any], key: str) -> str:
    """A field that names a directory, empty where none can have that path."""
    path = string(row, key)
    return path if possible(path) else ""


def table(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def items(row: Mapping[str, Any], key: str) -> list[Any]:
    """A list field, empty when it is not one."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def whole(row: Mapping[str, Any], key: str) -> int | None:
    """A whole number that fits into 63 bits, None when it is not one."""
    value = row.get(key)
    return value if type(value) is int and abs(value) < 1 << 62 else None


def flag(row: Mapping[str, Any], key: str) -> bool:
    """A field that is exactly true."""
    return row.get(key) is True


def moment(value: Any) -> int | None:
    """A time in milliseconds since the epoch, from ISO text or a number of seconds or milliseconds."""
    if isinstance(value, str):
        return _iso(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _SECONDS * 100:
        return int(value * 1000) if value < _SECONDS else int(value)
    return None


def _iso(text: str) -> int | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        found = int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)
    except (OverflowError, ValueError):
        return None
    return found if found > 0 else None


def flat(value: Any) -> str:
    """The text of a content field: a string, or the text blocks of a list, one a line."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = [block.get("text") for block in value if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join([text for text in texts if isinstance(text, str)])


def excerpt(text: str, limit: int) -> str:
    """The text itself, or its head and tail around a note of what was left out, about `limit` characters.

    The note counts the characters and has the exact strings that stand in them (paths, names, ids): they are what is asked
    for later. What is cut is masked first: half a secret would not be known as one.
    """
    if len(text) <= limit:
        return text
    text = mask(text)
    head, tail = limit * 2 // 3, limit // 3
    left_out = text[head : len(text) - tail]
    return f"{text[:head]}\n{LEFT_OUT}{len(left_out)} characters left out{_naming(left_out)} …]\n{text[-tail:]}"


def beginning(text: str, limit: int) -> str:
    """The text itself, or its first `limit` characters and a note of what was left out, as `excerpt` has it."""
    if len(text) <= limit:
        return text
    text = mask(text)
    return f"{text[:limit]}\n{LEFT_OUT}{len(text) - limit} characters left out{_naming(text[limit:])} …]"


def _naming(text: str) -> str:
    """The distinct exact strings of a text, in order, as far as there is room: places and values before names, which are many."""
    text = text[:_LOOKED_AT]
    room = max(NAMES, len(text) // _PART)
    names, places, others = list[str](), list[str](), list[str]()
    for word in filter(_EXACT.search, dict.fromkeys(_words(STAND_IN.sub(" ", text)))):
        (places if _PLACE.search(word) else others).append(word)
    for word in chain(places, others):
        name = word.strip(".:,*-")
        if _DULL.match(name) or len(name) > LONGEST:
            continue
        room -= len(name) + 1
        if room < 0:
            break
        names.append(name)
    return f"; in them: {' '.join(names)}" if names else ""


def _words(text: str) -> list[str]:
    """What blanks, quotes, brackets and the like part. Bytes are split in half of the time that a pattern takes."""
    data = text.replace("→", " ").encode("utf-8", "surrogatepass")
    return data.translate(_APART).decode("utf-8", "surrogatepass").split()


def short(value: Any) -> Any:
    """A value that may be kept with a call; None for what is neither text, number nor truth."""
    if isinstance(value, str):
        return beginning(value, DETAIL)
    return value if isinstance(value, bool | int | float) else None


def lines(text: str) -> int:
    """How many lines a text has; the newline at its end begins none."""
    return text.count("\n") + (text[-1:] not in {"", "\n"})


def asked(name: str, given: Mapping[str, Any]) -> str:
    """A call of a tool that is not the client's own, as one line: its name and arguments, secrets as hashes.

    What is cut ends with a digest of the whole, so that two calls which differ are told apart.
    """
    told = (f"{key}={_shown(key, value)}" for key, value in given.items())
    text = mask(" ".join((name, *told)).replace("\n", " "))
    if len(text) <= ASKED:
        return text
    digest = blake2b(_compact(dict(given)).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{text[: ASKED - 10]}… {digest}"


def _shown(key: str, value: Any) -> str:
    """A value as it may be kept; one that goes by a secret's name is not, whatever it looks like."""
    text = value if isinstance(value, str) else _compact(value)
    return stand_in(text) if text and _SECRET.search(key) else text


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:  # nested almost too deep to be read, and reading had more of the stack
        return "…"
