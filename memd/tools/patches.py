"""What a patch changes, file by file, in the form that agents of several tools write (`*** Begin Patch`).

Pure text; what is not a patch has no files.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from memd.model import Kind, Operation, State
from memd.tools.fields import lines, short

FILES = 100
"""So many files of one patch are told of."""
_HEADS = {"*** Add File: ": "add", "*** Update File: ": "update", "*** Delete File: ": "delete"}
_MOVE = "*** Move to: "


class Change(Struct, frozen=True):
    """One file's change: `add`, `update` or `delete`, the lines that went and those that came, joined by newlines."""

    path: str
    kind: str
    old: str = ""
    new: str = ""
    moved: str = ""


def written(text: str) -> list[Change]:
    """The changes of a patch in the agent's own form, wherever it stands in a text (a heredoc of the shell, say)."""
    start = text.find("*** Begin Patch")
    found: list[Change] = []
    heads: list[tuple[str, str, str, list[str]]] = []
    for line in text[start:].splitlines() if start >= 0 else []:
        head = next((head for head in _HEADS if line.startswith(head)), None)
        if head is not None:
            heads.append((line.removeprefix(head).strip(), _HEADS[head], "", []))
        elif line.startswith("*** End Patch"):
            break
        elif heads and line.startswith(_MOVE):
            path, kind, _, lines = heads[-1]
            heads[-1] = (path, kind, line.removeprefix(_MOVE).strip(), lines)
        elif heads:
            heads[-1][3].append(line)
    for path, kind, moved, lines in heads:
        found.append(Change(path, kind, side(lines, "-"), side(lines, "+"), moved))
    return found


def side(lines: list[str], sign: str) -> str:
    """The lines that go (`-`) or come (`+`)."""
    return "\n".join(line[1:] for line in lines if line.startswith(sign))


def operations(
    call: str, changes: Sequence[Change], at: int | None, state: State, result: str = ""
) -> Iterator[Operation]:
    """One operation a file of a patch, under a call of its own; `result` is what may be kept of the answer."""
    for change in changes[:FILES]:
        kind = Kind.CREATE if change.kind == "add" else Kind.EDIT
        detail: dict[str, Any] = {"new": short(change.new)}
        detail |= {"lines": lines(change.new)} if kind is Kind.CREATE else {"old": short(change.old)}
        detail |= {"deleted": True} if change.kind == "delete" else {}
        detail |= {"moved": change.moved} if change.moved else {}
        yield Operation(f"{call}:{change.path}", kind, "apply_patch", at, state, change.path, detail, result)
