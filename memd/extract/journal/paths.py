"""What a simple command does to files: which it makes, changes, moves and deletes. Pure.

Paths are taken from the words of commands; where a word holds a glob, a variable or a substitution it is kept as it stands.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from posixpath import basename, join

from msgspec import Struct

from memd.extract import argv
from memd.model.journal import Op


class Change(Struct, frozen=True):
    """One thing that a shell line does; paths are absolute where the directory is known."""

    op: Op
    target: str
    new: str | None = None
    """Where a renamed file is now."""


class Files(Struct, frozen=True):
    """What programs do to the files that are their arguments.

    Attributes:
        programs: their names, with a blank between.
        flag: an option that they must have for it.
        worded: options that take a word of their own.
        script: the first argument is a program of theirs and no file, unless one of these options gives it.
    """

    programs: str
    op: Op
    flag: str = ""
    worded: str = ""
    script: str = ""


Resolve = Callable[[str], str]

_IN_PLACE = r"-[a-zA-Z0-9]*i(?:\.\w+)?|--in-place(?:=\S+)?"
_TABLE = (
    Files("rm unlink rmdir", Op.DELETE),
    Files("shred", Op.DELETE, flag=r"-\w*u\w*|--remove\S*", worded=r"-[ns]|--size|--iterations"),
    Files("shred truncate", Op.EDIT, worded=r"-[nsr]|--size|--iterations|--reference"),
    Files("tee", Op.EDIT, flag=r"-\w*a\w*|--append"),
    Files("tee touch", Op.CREATE, worded=r"-[tdr]|--date|--reference"),
    Files(
        "sed gsed",
        Op.EDIT,
        flag=_IN_PLACE,
        worded=r"-\w*[ef]|--expression|--file",
        script=r"-\w*[ef]|--(?:expression|file).*",
    ),
    Files("gofmt goimports shfmt prettier", Op.EDIT, flag=r"-\w*w|--write"),
    Files("perl ruby", Op.EDIT, flag=_IN_PLACE, worded=r"-\w*[eE]", script=r"-\w*[eE]"),
)
"""Of a program's rows the first whose option is there holds."""
_ROWS = {
    name: [row for row in _TABLE if name in row.programs.split()] for one in _TABLE for name in one.programs.split()
}
_TAKING = re.compile(
    r"\b(?:mv|" + "|".join(name for row in _TABLE if row.op is Op.DELETE for name in row.programs.split()) + r")\b"
)
_COPIES = r"-[tSmog]|--suffix|--target-directory|--mode"
_WRITTEN = re.compile(
    r"(?<![<>])(?:\d|&)?(?P<sign>>{1,2})\|?\s*(?P<path>\"[^\"]+\"|'[^']+'|[^\s<>|&;()$`\"']+)"
    r"|\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\.|\(\(.*?(?:\)\)|$)|\[\[ .*? \]\]"
)
"""A redirection into a file, or what a sign is none in: a quotation, a calculation, a comparison."""
_PASSING = re.compile(
    r"\$\{?(?i:te?mp(?:_?dir)?)\}?(?:/|$)|/(?:tmp|var/tmp|proc)/|/dev/(?:null|zero|full|std|tty|fd/|shm/|u?random)|&|\.?$"
)


def touched(words: Sequence[str], at: Resolve) -> Iterator[Change] | None:
    """What a command does to the files that it names; None where it is not one that works on files."""
    name, rest = argv.program(words[0]) if words else "", words[1:]
    match name:
        case "mv" if len(paths := [*_paths(rest, _COPIES), *_goal(rest)]) > 1:
            return _moves(paths, at)
        case "cp" | "ln" | "install" if paths := _paths(rest, _COPIES):
            return _each(Op.CREATE, _copies(paths), at)
        case "dd" if goals := [word[3:] for word in rest if word.startswith("of=")]:
            return _each(Op.CREATE, goals, at)
        case _:
            row = next((row for row in _ROWS.get(name, ()) if not row.flag or _has(rest, row.flag)), None)
            return _each(row.op, _paths(rest, row.worded)[_scripts(row, rest) :], at) if row else None


def may_take_away(line: str) -> bool:
    """Whether a shell line can delete or move a file at all: most cannot, and cutting one takes half a millisecond."""
    return _TAKING.search(line) is not None


def written(part: str, at: Resolve) -> Iterator[Change]:
    """Files that output is redirected into."""
    for match in _WRITTEN.finditer(part):
        path = (match["path"] or "").strip("\"'")
        yield from _each(Op.CREATE if match["sign"] == ">" else Op.EDIT, [path], at)


def _each(op: Op, paths: Sequence[str], at: Resolve) -> Iterator[Change]:
    return (Change(op, at(path)) for path in paths if not _PASSING.match(path))


def _has(words: Sequence[str], option: str) -> bool:
    return any(re.fullmatch(option, word) for word in words)


def _scripts(row: Files, words: Sequence[str]) -> int:
    """How many of the arguments are no files but the program that is run on them."""
    return int(bool(row.script) and not _has(words, row.script))


def _copies(paths: Sequence[str]) -> list[str]:
    """What `cp a b` makes: `b`, or a file of each name in it where it is a folder for sure."""
    *sources, goal = paths
    into = sources and _sure(sources, goal)
    return [join(goal, basename(source.rstrip("/"))) for source in sources] if into else [goal]


def _sure(sources: Sequence[str], goal: str) -> bool:
    return len(sources) > 1 or basename(goal) in {"", ".", ".."}


def _folder(sources: Sequence[str], goal: str) -> bool:
    """Whether a goal is a folder as far as names tell: a file seldom loses its suffix, unless `a.bak` comes back to `a`."""
    source, name = basename(sources[0]), basename(goal)
    return "." in source[1:] and "." not in name and not source.startswith(f"{name}.")


def _goal(words: Sequence[str]) -> list[str]:
    """The folder that `-t` names before what goes there."""
    return [f"{goal.rstrip('/')}/" for option, goal in pairwise(words) if option == "-t"]


def _moves(paths: Sequence[str], at: Resolve) -> Iterator[Change]:
    *sources, goal = paths
    into = _sure(sources, goal) or _folder(sources, goal)
    for source in sources:
        end = join(goal, basename(source.rstrip("/"))) if into else goal
        yield Change(Op.RENAME, at(source), at(end))


def _paths(words: Sequence[str], worded: str) -> list[str]:
    """The words that are paths: no options and none of an option's own words, up to where something is redirected."""
    found, skip, literal = list[str](), False, False
    for word in words:
        if skip or (not literal and word.startswith("-")):
            literal = literal or word == "--"
            skip = not skip and not literal and bool(worded) and re.fullmatch(worded, word) is not None
        elif re.match(r"[\d&]?[<>]", word):
            break
        elif word:
            found.append(word)
    return found
