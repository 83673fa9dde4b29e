"""The client's own list of what was typed on its screen as second witness: `prompt-history.jsonl` (measured on 1.18.33).

A line is `{"input", "parts", "mode": "normal" | "shell"}`: no session, no time, and the list is cut to its last 50. So only the
words can be compared: same words, each line used once, in the order in which both were written, the newest first where the
same words were typed more than once. A paste stands in `parts`. What a command was expanded to is not in the list.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from memd.model import Amend, Channel, Envelope, Grade, Origin, Record, Wrapper
from memd.provenance import classify
from memd.tools import history
from memd.tools.fields import items, string, table


class Typed(Struct, frozen=True):
    """One line of the list."""

    text: str
    shell: bool


def typed(lines: Iterable[bytes]) -> list[Typed]:
    """The lines in order; what is not one is passed over, for the list proves nothing by itself."""
    found = (_typed(history.row(line)) for line in lines)
    return [one for one in found if one is not None]


def _typed(row: dict[str, Any]) -> Typed | None:
    said = string(row, "input")
    for part in items(row, "parts"):
        stand_in = string(table(table(part, "source"), "text"), "value") if isinstance(part, dict) else ""
        if stand_in and string(part, "type") == "text":
            said = said.replace(stand_in, string(part, "text"), 1)
    return Typed(said.strip(), string(row, "mode") == "shell") if said.strip() else None


def concerns(record: Record) -> bool:
    """Whether the list may have to do with an entry: nobody vouched for who said it, or the list did before."""
    lifted = record.channel.human and record.grade is Grade.INFERRED
    open_ = record.grade is Grade.UNKNOWN and record.channel in {Channel.OPERATOR_HEADLESS, Channel.HUMAN_SHELL}
    return (
        (lifted or open_)
        and record.copy_of is None
        and not (record.extra.get("call") and not record.extra.get("shell"))
    )


def lift(records: Sequence[Record], lines: Iterable[bytes]) -> list[Amend]:
    """What the list says of a session's entries that nobody vouched for."""
    free = typed(lines)
    lifted = [record for record in reversed(records) if _use(free, record)]
    return [_amend(record) for record in reversed(lifted) if record.grade is Grade.UNKNOWN]


def _use(free: list[Typed], record: Record) -> bool:
    """Take the newest line that says the same."""
    said = Typed(record.text.strip(), bool(record.extra.get("shell")))
    for at in range(len(free) - 1, -1, -1):
        if free[at] == said:
            del free[at]
            return True
    return False


def _amend(record: Record) -> Amend:
    wrapper = Wrapper.SHELL_INPUT if record.extra.get("shell") else None
    channel, grade = classify(Envelope(Origin.NONE, wrapper=wrapper, witness=True))
    return Amend(record.key, channel=channel, grade=grade)
