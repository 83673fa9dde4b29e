r"""Globs of directories, as the settings and `.memdignore` have them. Pure.

A glob means the directories that it fits and all that lies below them, with `/**` at its end or without. `*` and `?` stay
within one name, `**` does not, `[...]` is one of some characters. A glob without a slash (but at its end) means that name
anywhere; any other is relative to its base, where it does not begin with `/` or `~`. `.` and `**` mean the base itself.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

_PART = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|.", re.DOTALL)
_HERE = (".", "**")
_MEANS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def fitting(directory: str, globs: Iterable[str], *, base: str, home: str) -> str | None:
    """The first glob that the directory, or one above it, fits; `base` is where relative ones begin.

    >>> fitting("/home/me/work/secret/src", ["~/work/secret"], base="/", home="/home/me")
    '~/work/secret'
    >>> fitting("/home/me/work/secrets", ["secret", "/srv/**"], base="/", home="/home/me") is None
    True
    """
    path = PurePosixPath(directory)
    above = [str(place) for place in (path, *path.parents)]
    return next((glob for glob in globs if any(map(_pattern(glob, base, home).fullmatch, above))), None)


@lru_cache(maxsize=512)
def _pattern(glob: str, base: str, home: str) -> re.Pattern[str]:
    text = glob.removesuffix("/**").rstrip("/") or "/"
    if text == "~" or text.startswith("~/"):
        text = home.rstrip("/") + text[1:]
        return _compiled("", text)
    if text.startswith("/"):
        return _compiled("", text)
    if text in _HERE:
        return re.compile(re.escape(base.rstrip("/") or "/"))
    anywhere = "/" not in text
    return _compiled(re.escape(base.rstrip("/")) + "/" + ("(?:.*/)?" if anywhere else ""), text.removeprefix("./"))


def _compiled(before: str, glob: str) -> re.Pattern[str]:
    return re.compile(before + "".join(map(_part, _PART.findall(glob))), re.DOTALL)


def _part(part: str) -> str:
    if part.startswith("[") and len(part) > 1:
        inside = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"[{'^' + inside[1:] if inside.startswith('!') else inside}]"
    return _MEANS.get(part) or re.escape(part)
