"""The project's texts: its anchors and its state. Pure; all that is shown was checked by whoever calls."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memd.model import marks
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry
from memd.model.text import clock, line, oneline, printable

ANCHORS, STATE = 5_000, 2_000
"""Characters of anchors.json and state.md at most."""


@dataclass(frozen=True, slots=True)
class Section:
    """One session's part of the state.

    Attributes:
        mission, done, todo, decided, problems: one line each, most important first.
    """

    session: str
    at: int | None
    mission: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def anchors(found: Iterable[Anchor]) -> str:
    """anchors.json: the most recently used first, as many as fit."""
    rows, size = list[str](), len('{"version":1,"anchors":[\n\n]}\n')
    for anchor in found:
        row = json.dumps(_fields(anchor), ensure_ascii=False, separators=(",", ":"))
        if size + len(row) + 2 > ANCHORS:
            break
        rows.append(row)
        size += len(row) + 2
    return '{"version":1,"anchors":[\n' + ",\n".join(rows) + "\n]}\n"


def _fields(anchor: Anchor) -> dict[str, object]:
    beside = {"stale": True} if anchor.stale else {}
    return {"anchor": anchor.shown, "kind": anchor.kind, "at": clock(anchor.at), **beside}


def change(entry: JournalEntry) -> str:
    """A journal entry as one short line."""
    target = f"`{line(entry.target, 120)}`"
    told = f": {_value(entry.old)} -> {_value(entry.new)}" if entry.old is not None or entry.new is not None else ""
    came = "" if entry.result in {"done", "exit 0"} else f" ({oneline(entry.result, 100)})"
    return f"{entry.op} {target}{told}{came}"


def _value(value: str | None) -> str:
    return "nothing" if value is None else f"`{line(value, 40)}`"


def state(name: str, where: str, sections: Sequence[Section]) -> str:
    """state.md: where the work tree is, and a section for each live session, within 2,000 characters."""
    head = f"# State of {oneline(name, 60)}\n\n{where}\n"
    room = (STATE - len(head)) // max(len(sections), 1)
    text = head + "".join(_fitted(section, room) for section in sections)
    return text if len(text) <= STATE else text[: STATE - 2].rstrip() + "…\n"


def _fitted(section: Section, room: int) -> str:
    """As many lines a heading, and as much of a line, as there is room for."""
    for lines, width in ((5, 200), (4, 160), (3, 120), (2, 90), (1, 70), (1, 40)):
        text = "\n" + "\n".join(_rows(section, lines, width)) + "\n"
        if len(text) <= room:
            return text
    return text[: max(room - 2, 0)].rstrip() + "…\n" if room > 40 else ""


def _rows(section: Section, lines: int, width: int) -> Iterator[str]:
    yield f"## {section.session} (last entry {clock(section.at)})"
    kinds = (
        ("mission", section.mission[:1]),
        ("done", section.done),
        ("to do", section.todo),
        ("decided", section.decided),
        ("known problem", section.problems),
    )
    for kind, rows in kinds:
        for row in rows[:lines]:
            yield f"- {kind}: {printable(marks.escape(oneline(row, width)))}"
