"""Facts of the code, a line each with its source, held against that source before they are given. Read, never changed.

    - [confirmed] `retry()` waits twice as long each time (src/gateway.py:14)
    - [hypothesis] the pool is never closed (src/pool.py:3)
    - ~~[confirmed] there is one worker (src/pool.py:9)~~        disproved, and kept

A source that moved is found again by what its line said when memd first saw it, else by the words of the fact that stand
between backticks. One that is not found makes the fact a hypothesis wherever it is given.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from posixpath import basename

from msgspec import Struct

from memd.model import marks
from memd.model.text import oneline, printable
from memd.project import checks
from memd.project.engram import DISPROVED
from memd.project.identity import AGENT, Project
from memd.project.paths import inside

FOLDER, FILES, MOST, LONGEST = "facts", 60, 400, 300
"""Facts files and facts that are looked at, and characters of one."""
_FACT = re.compile(
    r"^\s*[-*] (?P<struck>~~)?\[(?P<grade>confirmed|hypothesis)\] (?P<text>\S.*?)"
    r" \((?P<path>[^():\n]+):(?P<line>\d{1,7})\)(?:~~)?\s*$"
)
_QUOTED = re.compile(r"`([^`\n]{2,120})`")


class Fact(Struct, frozen=True):
    """One line of a facts file; `row` is its number there."""

    file: str
    row: int
    grade: str
    text: str
    path: str
    line: int
    struck: bool = False

    @property
    def key(self) -> str:
        """By which its source line is remembered."""
        return f"{self.file}\0{self.text}\0{self.path}"


class Checked(Struct, frozen=True):
    """A fact and where its source is now; None: it was not found."""

    fact: Fact
    line: int | None

    def shown(self) -> str:
        """The fact as it is given: with its source as it is now."""
        fact = self.fact
        text = printable(marks.escape(oneline(fact.text, LONGEST)))
        if self.line is None:
            return f"[hypothesis] {text} (its source {fact.path}:{fact.line} does not show it any more; it was {fact.grade})"
        moved = "" if self.line == fact.line else f", moved from line {fact.line}"
        return f"[{fact.grade}] {text} ({fact.path}:{self.line}{moved})"


def facts(project: Project) -> list[Fact]:
    """All facts of a project, struck ones too."""
    return [fact for name, text in _texts(project) for fact in parse(name, text)[0]][:MOST]


def faults(project: Project) -> list[tuple[str, int, str]]:
    """(file, line, what is wrong with it) for lines that are no facts."""
    return [(name, *fault) for name, text in _texts(project) for fault in parse(name, text)[1]]


def _texts(project: Project) -> list[tuple[str, str]]:
    folder = None if project.agent is None else inside(project.root, f"{AGENT}/{FOLDER}")
    if folder is None or not folder.is_dir():
        return []
    names = sorted(path.name for path in folder.iterdir() if path.suffix == ".md" and path.name != "README.md")[:FILES]
    texts = ((name, checks.text(project.root, f"{AGENT}/{FOLDER}/{name}")) for name in names)
    return [(name, text) for name, text in texts if text]


def parse(name: str, text: str) -> tuple[list[Fact], list[tuple[int, str]]]:
    """The facts of a file, and the lines that should be facts and are none. Headings, comments and blank lines are neither."""
    found, wrong = list[Fact](), list[tuple[int, str]]()
    bare = re.sub(r"<!--.*?(?:-->|\Z)", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for row, line in enumerate(bare.splitlines(), 1):
        match = _FACT.match(line)
        if match:
            path, grade, said = match["path"].strip(), match["grade"], match["text"].strip()
            found.append(Fact(name, row, grade, said, path, int(match["line"]), bool(match["struck"])))
        elif line.strip() and not line.lstrip().startswith("#"):
            wrong.append((row, _why(line)))
    return found, wrong


def _why(line: str) -> str:
    if not re.match(r"\s*[-*] ", line):
        return "not a list entry"
    if not re.match(r"\s*[-*] (?:~~)?\[(?:confirmed|hypothesis)\] ", line):
        return "neither [confirmed] nor [hypothesis]"
    return "no source at its end, like (src/a.py:12)"


def about(found: Sequence[Fact], path: str) -> list[Fact]:
    """The facts that hold for a path: with their source in it, or in the file of its module."""
    parts = {part.rpartition(".")[0] or part for part in path.split("/")}
    near = [one for one in found if one.path == path]
    return [*near, *(one for one in found if one not in near and one.file.removesuffix(".md") in parts)]


def check(root: Path, fact: Fact, known: Mapping[str, str]) -> Checked:
    """Where a fact's source is now."""
    text = checks.text(root, fact.path)
    if text is None:
        return Checked(fact, fact.line if checks.there(root, fact.path) else None)
    rows = [row.strip() for row in text.splitlines()]
    wanted = known.get(fact.key)
    quoted = _QUOTED.findall(fact.text)

    def fits(row: str) -> bool:
        return row == wanted if wanted else all(word.rstrip("()") in row for word in quoted)

    places = sorted(range(len(rows)), key=lambda number: abs(number + 1 - fact.line))
    if not wanted and not quoted:
        return Checked(fact, fact.line if 0 < fact.line <= len(rows) else None)
    return Checked(fact, next((number + 1 for number in places if fits(rows[number])), None))


def sources(root: Path, found: Sequence[Fact], known: Mapping[str, str]) -> dict[str, str]:
    """What the source lines of facts say, for those that are known and those that are seen for the first time.

    A line that holds nothing, or not the words that the fact quotes, is no source to remember.
    """
    kept = {fact.key: known[fact.key] for fact in found if fact.key in known}
    for fact in found:
        text = None if fact.key in kept or fact.struck else checks.text(root, fact.path)
        rows = (text or "").splitlines()
        row = rows[fact.line - 1].strip() if 0 < fact.line <= len(rows) else ""
        if len(row) > 2 and all(word.rstrip("()") in row for word in _QUOTED.findall(fact.text)):
            kept[fact.key] = row[:LONGEST]
    return kept


def disproved(found: Sequence[Fact], known: Mapping[str, str]) -> list[str]:
    """What there is to note of facts that were struck since memd first saw them."""
    struck = [fact for fact in found if fact.struck and fact.key in known]
    return [f"[confirmed] {DISPROVED}{oneline(fact.text, LONGEST)}" for fact in struck]


def module(path: str) -> str:
    """The name of the facts file that a path's facts belong into."""
    return f"{basename(path).rpartition('.')[0] or basename(path)}.md"
