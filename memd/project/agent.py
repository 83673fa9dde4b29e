"""What people and agents write in `.agent/`: the rules that are always in context. Read, never changed."""

import re
from hashlib import sha256

from msgspec import Struct

from memd.model import marks
from memd.model.text import printable
from memd.project import checks
from memd.project.identity import AGENT, Project

CONSTRAINTS, RISKS = "constraints.md", "risks.txt"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TITLE = re.compile(r"^# .*$", re.MULTILINE)
ENTRY = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+\S")


class Constraints(Struct, frozen=True):
    """The project's rules: lines in their order, inert, and a few characters that tell one version from another."""

    name: str
    lines: tuple[str, ...]
    digest: str


def constraints(project: Project) -> Constraints | None:
    """The rules of a project; None where there are none."""
    if project.agent is None:
        return None
    text = checks.text(project.root, f"{AGENT}/{CONSTRAINTS}")
    lines = rules(text or "")
    if not lines:
        return None
    return Constraints(project.root.name, lines, sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:6])


def rules(text: str) -> tuple[str, ...]:
    """The lines of a file without its title, comments and blank lines; what acts or imitates memd's marks is escaped."""
    bare = _TITLE.sub("", _COMMENT.sub("", text))
    return tuple(printable(marks.escape(row.rstrip())) for row in bare.splitlines() if row.strip())


def naming(rules: Constraints | None, words: set[str]) -> list[str]:
    """The rules in which one of these words stands, as a whole word."""
    lines = () if rules is None else rules.lines
    return [row.strip() for row in lines if ENTRY.match(row) and names(row, words)]


def faults(text: str, longest: int) -> list[tuple[int, str]]:
    """(line, what is wrong) for lines of a constraints file that are no rules."""
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    found = list[tuple[int, str]]()
    for number, row in enumerate(bare.splitlines(), 1):
        if row.strip() and not row.startswith(("#", "  ", "\t")) and not ENTRY.match(row):
            found.append((number, "not a list entry: it is given, and no advice before a call rests on it"))
        elif len(row) > longest:
            found.append((number, f"longer than {longest} characters: it may be all that there is room for"))
    return found


def risks(project: Project) -> list[str]:
    """Beginnings of commands that are hard to take back in this project, as people listed them; `#` begins a comment."""
    text = checks.text(project.root, f"{AGENT}/{RISKS}") if project.agent else None
    rows = (row.partition("#")[0].strip() for row in (text or "").splitlines())
    return [row for row in rows if len(row) > 2]


def names(text: str, words: set[str]) -> bool:
    """Whether one of the words stands in a text, as a whole word, in capitals or not."""
    shape = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words))
    return bool(words) and re.search(shape, text, re.IGNORECASE) is not None
