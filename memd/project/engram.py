"""Shifts of understanding: `- [2026-11-30 09:00Z] [confirmed] … (#12)`, appended and never rewritten. Pure text.

memd appends what a checkpoint's lessons confirm, and facts that were struck, to the project's own engram, in its state; people
and agents write `.agent/engram.md`. `memd engram tidy` makes facts of what is confirmed, has a source, and is some days old.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from memd.model.text import clock, oneline

NAME, ARCHIVE = "engram.md", "engram-archive.md"
DISPROVED = "disproved: "
"""How an entry about a fact begins that was struck."""
_ENTRY = re.compile(
    r"^- \[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\dZ)\] \[(?P<grade>confirmed|hypothesis)\] (?P<text>\S.*?)"
    r"(?P<cited> \(#\d+[^()]*\))?\s*$"
)
_SOURCE = re.compile(r"(?<![\w/.])(?P<path>[\w@.+-]+(?:/[\w@.+ -]+)*\.\w+):(?P<line>\d{1,7})\b")
_LESSON = re.compile(r"^\[(confirmed|hypothesis)\] (.*?)(?: \(#(\d+)\))?$")


class Entry(Struct, frozen=True):
    """One line; `row` is its text as it stands."""

    row: str
    at: int
    grade: str
    text: str

    @property
    def source(self) -> tuple[str, int] | None:
        """The place in the code that it names."""
        match = _SOURCE.search(self.text)
        return (match["path"], int(match["line"])) if match else None


def parse(text: str) -> tuple[list[Entry], list[tuple[int, str]]]:
    """The entries, and (line, what is wrong) for lines that are none. Headings, comments and blank lines are neither."""
    found, wrong = list[Entry](), list[tuple[int, str]]()
    bare = re.sub(r"<!--.*?(?:-->|\Z)", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for number, row in enumerate(bare.splitlines(), 1):
        match = _ENTRY.match(row)
        if match and (at := _time(match["time"])) is not None:
            found.append(Entry(row, at, match["grade"], match["text"]))
        elif row.strip() and not row.startswith("#"):
            wrong.append((number, "not like - [2026-11-30 09:00Z] [confirmed] … (#12)"))
    return found, wrong


def _time(text: str) -> int | None:
    try:
        return int(datetime.strptime(text, "%Y-%m-%d %H:%MZ").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def fresh(lessons: Iterable[str], known: str, session: str, now: int) -> str:
    """The lines to append for a checkpoint's lessons (without their bullets); empty where all are known."""
    rows = list[str]()
    for lesson in lessons:
        match = _LESSON.match(oneline(lesson, 400))
        if match is None or f"[{match[1]}] {match[2]}" in known:
            continue
        cited = f" (#{match[3]} of {session})" if match[3] else ""
        rows.append(f"- [{clock(now)}] [{match[1]}] {match[2]}{cited}\n")
    return "".join(dict.fromkeys(rows))


def stable(entries: Sequence[Entry], before: int) -> list[Entry]:
    """What may become a fact: confirmed, with a source, and older than a time."""
    confirmed = (one for one in entries if one.grade == "confirmed" and not one.text.startswith(DISPROVED))
    return [one for one in confirmed if one.source is not None and one.at < before]
