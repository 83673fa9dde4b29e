"""What a shell line changed: files made, moved, deleted, commits, test runs, and everything that cannot be undone. Pure.

Nothing here runs or understands the shell. What its simple commands do to files is told by `paths`, what else they change by
`memd/extract/effects.py`.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from posixpath import join, normpath

from msgspec import Struct

from memd.extract import argv, cut, effects, shell
from memd.extract.cut import Simple
from memd.extract.journal import paths
from memd.extract.journal.paths import Change, Resolve
from memd.extract.journal.values import secretive
from memd.model.journal import Op

COMMAND = 400
"""Characters of a command that are kept."""

_GIT = re.compile(r"^git(?: -[Cc] \S+| --(?:no-pager|git-dir\S*|work-tree\S*))* (\S+)")
_BACK = {"cd -", "popd"}
_ELSEWHERE = re.compile(r"^git -C (\S+) ")
_DOCUMENT = re.compile(r"\"?\$\(\s*cat\s*<<-?\s*\w+\s*\)\"?")
"""A here-document that is an argument, as a simple command has it; most often the message of a commit."""
_COMMITTED = re.compile(r"^\s*\[\S+ .*[0-9a-f]{7,}\].*$", re.MULTILINE)
_ASSIGNED = re.compile(r"\b([A-Za-z_]\w*=)([^\s\"'`;|&]+|\"[^\"]*\"|'[^']*')")
_COUNT = re.compile(
    r"\d+ (?:passed|failed|errors?|skipped|passing|failing|pending|pass\b|fail\b|tests? (?:passed|failed))"
    r"|test result: \w+\.[^\n]{0,120}|Tests:[^\n]{0,120}|(?:ok|FAIL)\s+\S+\s+[\d.]+s|Ran \d+ tests?"
)


class Step(Struct, frozen=True):
    """One change that a line makes, and the simple command that makes it."""

    change: Change
    part: Simple


def steps(command: str, cwd: str | None, deeper: int = cut.DEEPEST) -> list[Step]:
    """All that the line changes, in order; `cwd` is where it begins; so many that are handed on (`ssh`) are looked into."""
    found, places = list[Step](), {cut.Scope(): cwd}
    for part in cut.simple(command):
        scope = part.scope
        around = next(scope[:size] for size in range(len(scope), -1, -1) if scope[:size] in places)
        place = places.setdefault(scope, places[around])
        moved = _directory(part.text, place)
        if moved is None:
            found += (Step(change, part) for change in _part(part, _resolver(place), deeper))
        else:
            places[scope] = moved
    return list({step.change: step for step in reversed(found)}.values())[::-1]


def changes(command: str, cwd: str | None, deeper: int = cut.DEEPEST) -> list[Change]:
    """The same without the commands."""
    return [step.change for step in steps(command, cwd, deeper)]


def _directory(part: str, place: str | None) -> str | None:
    """Where the line goes on after a `cd`; None where the part is none."""
    if part in _BACK:
        return "$OLDPWD"  # not followed, and what is named from there is in no place that is known
    match = re.match(r"^(?:cd|pushd) ([^\s`*?]+|\"[^\"`]+\")$", part)
    return _resolver(place)(match[1].strip('"')) if match else None


def _resolver(place: str | None) -> Resolve:
    return lambda path: path if not place or path.startswith(("~", "$")) else normpath(join(place, path))


def _part(part: Simple, at: Resolve, deeper: int) -> Iterator[Change]:
    git = _GIT.match(part.text)
    if elsewhere := _ELSEWHERE.match(part.text):
        at = _resolver(at(elsewhere[1]))
    yield from _done(part, git, at, deeper)
    yield from paths.written(part.text, at)


def _done(part: Simple, git: re.Match[str] | None, at: Resolve, deeper: int) -> Iterator[Change]:
    """What the command itself does."""
    words = argv.words(part.text)
    if git and git[1] == "commit":
        yield Change(Op.COMMIT, _typed(part, part.text))
    elif git and git[1] in {"rm", "mv"}:
        kept = "--cached" in words  # out of the index alone: the file stays
        yield from () if kept else paths.touched(words[words.index(git[1]) :], at) or ()
    elif (files := paths.touched(words, at)) is not None:
        yield from files
    elif shell.tests(part.text):
        yield Change(Op.TEST, _typed(part, part.text))
    elif deed := effects.deed(part, deeper):
        yield Change(Op.COMMAND, _given(part, deed.text))
    elif (
        deeper
        and (carried := argv.carried(part.text, part.document or part.fed))
        and (inner := changes(carried.line, None, deeper - 1))
    ):
        op = Op.TEST if all(change.op is Op.TEST for change in inner) else Op.COMMAND
        yield Change(op, _given(part, effects.whole(part, carried)))


def _typed(part: Simple, text: str) -> str:
    """What was typed; a here-document that is an argument stands there by its first line that says something."""
    said = next((line.strip() for line in part.document.splitlines() if line.strip()), "").replace('"', "'")
    return shown(_DOCUMENT.sub(lambda _: f'"{said}"', text, count=1))


def _given(part: Simple, text: str) -> str:
    """What was typed, and what a program was given to read: a script or statements say more than the program's name."""
    return _typed(part, f"{text} {part.given}" if part.given and not _DOCUMENT.search(text) else text)


def shown(part: str) -> str:
    """A simple command as the journal has it: values that are written to a file of secrets stand as hashes."""
    if any(secretive(word) for word in argv.words(part)):
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
