"""What a shell line changed: files made, moved, deleted, commits, test runs, and everything that cannot be done twice. Pure.

Nothing here runs or understands the shell. Paths are taken from the words of simple commands; where a word holds a glob, a
variable or a substitution it is kept as it stands.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from posixpath import join, normpath

from msgspec import Struct

from memd.extract import shell
from memd.extract.journal.values import secretive
from memd.model.journal import Op

COMMAND = 400
"""Characters of a command that are kept."""
LONGEST = 131_072
"""Characters of a simple command that are taken apart as a shell does it, at a cost that grows with their square: no more than
that fits into an argument (Linux)."""

_GIT = re.compile(r"^git(?: -[Cc] \S+| --(?:no-pager|git-dir\S*|work-tree\S*))* (\S+)")
_BACK = {"cd -", "popd"}
_ELSEWHERE = re.compile(r"^git -C (\S+) ")
_OPTIONS_WITH_WORDS = {"-t", "-S", "--suffix", "--target-directory", "-m", "--mode", "-o", "-g"}
_WRITTEN = re.compile(
    r"(?<![<>&\d])(?P<sign>>{1,2})\s*(?P<path>\"[^\"]+\"|'[^']+'|[^\s<>|&;()$`\"']+)|\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\."
    r"|\(\(.*?(?:\)\)|$)|\[\[ .*? \]\]"
)
"""A redirection into a file, or what a sign is none in: a quotation, a calculation, a comparison."""
_DOCUMENT = re.compile(r"\"?\$\(\s*cat\s*<<-?\s*\w+\s*\)\"?|<<-?\s*\w+")
"""A here-document as a simple command has it, its text left out; most often the message of a commit."""
_COMMITTED = re.compile(r"^\s*\[\S+ .*[0-9a-f]{7,}\].*$", re.MULTILINE)
_MORE = re.compile(r"(?:\S*/)?manage\.py (?:migrate|flush|loaddata)\b")
_SED = re.compile(r"^(?:sed|perl)\b.*\s-(?:i|pi|p?i\.\w+|i'[^']*')(?:\s|$)")
_ASSIGNED = re.compile(r"\b([A-Za-z_]\w*=)([^\s\"'`;|&]+|\"[^\"]*\"|'[^']*')")
_COUNT = re.compile(
    r"\d+ (?:passed|failed|errors?|skipped|passing|failing|pending|pass\b|fail\b|tests? (?:passed|failed))"
    r"|test result: \w+\.[^\n]{0,120}|Tests:[^\n]{0,120}|(?:ok|FAIL)\s+\S+\s+[\d.]+s|Ran \d+ tests?"
)


class Change(Struct, frozen=True):
    """One thing that a shell line does; paths are absolute where the directory is known."""

    op: Op
    target: str
    new: str | None = None
    """Where a renamed file is now."""


Resolve = Callable[[str], str]


def changes(command: str, cwd: str | None) -> list[Change]:
    """All that the line changes, in order; `cwd` is where it begins."""
    found, places, texts = list[Change](), {shell.Scope(): cwd}, iter(shell.documents(command))
    for scope, part in shell.placed(command):
        around = next(scope[:size] for size in range(len(scope), -1, -1) if scope[:size] in places)
        place = places.setdefault(scope, places[around])
        if _DOCUMENT.search(part):
            part = _DOCUMENT.sub(_quoted(next(texts, "")), part, count=1)  # noqa: PLW2901 - its own words for the text
        moved = _directory(part, place)
        if moved is not None:
            places[scope] = moved
            continue
        found += _part(part, _resolver(place))
    return list(dict.fromkeys(found))


def _quoted(text: str) -> Callable[[re.Match[str]], str]:
    """What stands for a here-document: between quotation marks where a substitution makes it an argument."""
    return lambda match: f'"{text.replace(chr(34), chr(39))}"' if match[0].strip('"').startswith("$") else match[0]


def _directory(part: str, place: str | None) -> str | None:
    """Where the line goes on after a `cd`; None where the part is none."""
    if part in _BACK:
        return "$OLDPWD"  # not followed, and what is named from there is in no place that is known
    match = re.match(r"^(?:cd|pushd) ([^\s`*?]+|\"[^\"`]+\")$", part)
    return _resolver(place)(match[1].strip('"')) if match else None


def _resolver(place: str | None) -> Resolve:
    return lambda path: path if not place or path.startswith(("~", "$")) else normpath(join(place, path))


def _part(part: str, at: Resolve) -> Iterator[Change]:
    words = _words(part)
    name = words[0].rpartition("/")[2] if words else ""
    git = _GIT.match(part)
    if elsewhere := _ELSEWHERE.match(part):
        at = _resolver(at(elsewhere[1]))
    match git[1] if git else name:
        case "commit" if git:
            yield Change(Op.COMMIT, shown(part))
        case "rm" if git and "--cached" in words:
            pass  # out of the index alone: the file stays
        case "rm" | "unlink" | "rmdir":
            yield from (Change(Op.DELETE, at(path)) for path in _paths(words, git) if not _temporary(path))
        case "mv" if len(paths := [*_paths(words, git), *_goal(words)]) > 1:
            yield from _moves(paths, at)
        case "touch" | "cp" | "tee" | "ln" | "install" if not git and (paths := _paths(words, None)):
            made = paths if name in {"touch", "tee"} else _copies(paths)
            yield from (Change(Op.CREATE, at(path)) for path in made if not _temporary(path))
        case _ if shell.tests(part):
            yield Change(Op.TEST, shown(part))
        case _ if _SED.match(part) and (paths := _paths(words, None)[1:]):
            yield from (Change(Op.EDIT, at(path)) for path in paths)
        case _ if shell.effects(part) or shell.installs(part) or _MORE.match(part):
            yield Change(Op.COMMAND, shown(part))
        case _:
            pass
    yield from _written(part, at)


def _written(part: str, at: Resolve) -> Iterator[Change]:
    """Files that output is redirected into."""
    for match in _WRITTEN.finditer(part):
        path = (match["path"] or "").strip("\"'")
        if path and not _temporary(path):
            yield Change(Op.CREATE if match["sign"] == ">" else Op.EDIT, at(path))


def _copies(paths: Sequence[str]) -> list[str]:
    """What `cp a b` makes: `b`, or a file of each name in it where it is a folder for sure."""
    *sources, goal = paths
    into = sources and (goal.endswith("/") or len(sources) > 1)
    return [join(goal, source.rstrip("/").rpartition("/")[2]) for source in sources] if into else [goal]


def _goal(words: Sequence[str]) -> list[str]:
    """The folder that `-t` names before what goes there."""
    return [f"{goal.rstrip('/')}/" for option, goal in pairwise(words) if option == "-t"]


def _moves(paths: Sequence[str], at: Resolve) -> Iterator[Change]:
    *sources, goal = paths
    into = goal.endswith("/") or len(sources) > 1
    for source in sources:
        end = join(goal, source.rstrip("/").rpartition("/")[2]) if into else goal
        yield Change(Op.RENAME, at(source), at(end))


def _paths(words: Sequence[str], git: re.Match[str] | None) -> list[str]:
    """The words of a command that are paths: no options, no program."""
    rest = list(words[1:])
    if git:
        rest = rest[rest.index(git[1]) + 1 :] if git[1] in rest else []
    found, skip, literal = list[str](), False, False
    for word in rest:
        if skip or (not literal and word.startswith("-")):
            literal = literal or word == "--"
            skip = not skip and not literal and word in _OPTIONS_WITH_WORDS and not git
        elif word[:1] in {">", "<"} or re.match(r"^\d?>", word):
            break
        elif word:
            found.append(word)
    return found


def _words(part: str) -> list[str]:
    text = shell.joined(part)
    try:
        words = shlex.split(text) if len(text) <= LONGEST else text.split()
    except ValueError:  # an open quotation mark
        words = text.split()
    return [shell.parted(word) for word in words]


def _temporary(path: str) -> bool:
    return path.startswith(("/tmp/", "/dev/", "/var/tmp/", "/proc/", "&")) or path in {"", "."}  # noqa: S108 - words, not files


def shown(part: str) -> str:
    """A simple command as the journal has it: values that are written to a file of secrets stand as hashes."""
    if any(secretive(word) for word in _words(part)):
        part = _ASSIGNED.sub(lambda match: match[1] + hashed(match[2].strip("\"'")), part)
    return part if len(part) <= COMMAND else part[: COMMAND - 1] + "…"


def hashed(value: str) -> str:
    """What stands for a value that is not to be kept."""
    return f"sha256:{sha256(value.encode('utf-8', 'replace')).hexdigest()[:8]}"


def counted(output: str) -> str:
    """What a test run says of its counts; empty where it says nothing."""
    return ", ".join(dict.fromkeys(match.strip() for match in _COUNT.findall(output)[-4:]))


def committed(output: str) -> str:
    """The line in which git says what it committed; empty where there is none."""
    found = _COMMITTED.search(output)
    return found[0].strip() if found else ""
