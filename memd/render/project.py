"""The project's texts: its anchors and its state. Pure; all that is shown was checked by whoever calls."""

import json
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from memd.model import marks
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry
from memd.model.text import clock, line, oneline, printable

ANCHORS, STATE = 5_000, 2_000
"""Characters of anchors.json and state.md at most."""
BOOTSTRAP, SHORT, RULES = 1_500, 500, 1_500
"""Tokens of a bootstrap, of its short form, and of the constraints alone, at most."""
BOOTSTRAP_MARK = "memd: project bootstrap of "
"""How a bootstrap begins."""


class Section(Struct, frozen=True):
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


def weight(text: str) -> int:
    """About how many tokens a text has, rather more than less: a hook cannot wait for the tokenizer to be loaded."""
    wide = sum(character > "\x7f" for character in text)
    return (len(text) - wide) // 3 + wide * 6 // 5 + 1


def constraints(name: str, rules: Sequence[str], digest: str, room: int) -> str:
    """The rules as they are put into the context, in their order; what does not fit is counted, with where it stands."""
    text = f"{constraints_mark(name, digest)} as people wrote them, in force in every session here:"
    kept = list[str]()
    for row in rules:
        if weight("\n".join((text, *kept, row))) > room - 30:
            kept.append(f"({len(rules) - len(kept)} more lines: `.agent/constraints.md`)")
            break
        kept.append(row)
    return "\n".join((text, *kept))


def constraints_mark(name: str, digest: str) -> str:
    """How a copy of the rules begins; by it the last copy is found in the transcript."""
    return f"memd: project constraints of {oneline(name, 60)} (.agent/constraints.md, {digest}),"


class Known(Struct, frozen=True):
    """What a bootstrap is made from."""

    name: str
    at: int
    state: str
    anchors: Sequence[Anchor]
    entries: Sequence[JournalEntry]
    receipt: str
    constraints: str


def bootstrap(known: Known, room: int) -> str:
    """State, anchors, the last three journal entries, receipt, constraints: always in this order, within `room` tokens."""
    for share in (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.0):
        text = "\n".join(_stages(known, share))
        if weight(text) <= room:
            break
    return text


def _stages(known: Known, share: float) -> Iterator[str]:
    head = f"{BOOTSTRAP_MARK}{oneline(known.name, 60)}, what memd keeps of it, written {clock(known.at)}; a newer message wins."
    yield head
    yield "S10 state"
    rows = [row for row in known.state.splitlines()[1:] if row.strip()]
    yield from (row.replace("## ", "session ", 1) for row in rows[: max(int(len(rows) * share), 1)])
    yield "S20 anchors (most recently used first)"
    shown = [f"{one.shown}{' (not there any more)' if one.stale else ''}" for one in known.anchors]
    yield ", ".join(shown[: int(24 * share) + 2]) or "none yet"
    yield "S30 journal (the last three)"
    width = 60 + int(140 * share)
    yield from [oneline(f"{clock(one.at)} {change(one)}", width) for one in known.entries[-3:]] or ["nothing yet"]
    yield f"S40 receipt {known.receipt}; the whole: `memd show state`, `anchors`, `journal`"
    yield "S50 constraints"
    yield known.constraints or "none"
