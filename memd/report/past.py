"""A session looked back upon: what was needed after each of its compactions. Pure.

The order of things is the record's. A call counts where its result stands, just before it: what the agent wrote in a call was
used before the answer showed anything.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from memd.model import Boundary, Channel, Done, Kind, Record, Session
from memd.report import needs

_GIVEN = {Channel.HARNESS_SUMMARY, Channel.MEMD_INJECTION}
"""What is measured, so it is no use and shows nothing."""
_WRITTEN = (
    "description",
    "old",
    "new",
    "prompt",
    "args",
    "plan",
    "questions",
    "path",
    "glob",
    "include",
    "command",
    "cron",
)
_OVER = {"completed", "deleted"}


class Past(Struct, frozen=True):
    """A session as it is recorded, in order."""

    session: Session
    records: tuple[Record, ...]
    calls: tuple[Done, ...]
    boundaries: tuple[Boundary, ...]
    since: Mapping[str, int]
    """Each word of the session, and how many compactions lay behind when it first came."""
    rows: Mapping[int, AbstractSet[str]] | None = None
    """The words of the rows that show something (`shows`), by entry. None: the transcript is gone, and the record tells alone."""

    def stretch(self, boundary: Boundary) -> tuple[int, int]:
        """The numbers between which a compaction's aftermath lies: from (excluded) and to the next one (included)."""
        later = (one.number for one in self.boundaries if one.ordinal > boundary.ordinal)
        return boundary.number, next(later, max(self.session.messages, boundary.number))


def here(session: Session) -> str:
    """What stands before the paths of the session's own directory: they are taken relative to it."""
    return f"{session.cwd.rstrip('/')}/" if session.cwd else "\0"


def case(past: Past, boundary: Boundary) -> needs.Case:
    """What was needed after one compaction."""
    own = here(past.session)
    first, last = past.stretch(boundary)
    last = min(last, first + needs.WINDOW)
    later = [call for call in past.calls if first < call.number <= last]
    earlier = [call for call in past.calls if call.number <= first]
    events = [
        (float(r.number), uses(r), _words(past, r)) for r in past.records if first < r.number <= last and _counts(r)
    ]
    events += [(call.number - 0.5, True, needs.words(written(call).replace(own, ""))) for call in later]
    had = {line for call in earlier for line in lines(call)}
    return needs.Case(
        needs.needed(
            [(used, said) for _, used, said in sorted(events, key=lambda event: event[0])],
            lambda word: past.since.get(word, boundary.ordinal) < boundary.ordinal,
        ),
        tuple(dict.fromkeys(line for call in later for line in lines(call) if line in had)),
        tuple(r.text for r in past.records if r.number <= first and r.in_force and said(r)),
        open_tasks(earlier),
    )


def _counts(record: Record) -> bool:
    return record.channel not in _GIVEN and not record.undelivered


def said(record: Record) -> bool:
    """Whether these may be a person's words."""
    return record.channel.human or record.channel in {Channel.UNATTRIBUTED, Channel.OPERATOR_HEADLESS}


def uses(record: Record) -> bool:
    """Whether an entry uses what it says; else it shows it."""
    return said(record) or record.channel is Channel.AGENT_TEXT


def shows(past: Past) -> dict[int, list[int]]:
    """The entries after compactions that show something, by where their rows begin: the record has excerpts of them alone."""
    found = dict[int, list[int]]()
    for boundary in past.boundaries:
        first, last = past.stretch(boundary)
        for record in past.records:
            if first < record.number <= min(last, first + needs.WINDOW) and not uses(record) and record.copy_of is None:
                found.setdefault(record.source.offset, []).append(record.number)
    return found


def _words(past: Past, record: Record) -> AbstractSet[str]:
    row = (past.rows or {}).get(record.number)
    return needs.words(record.text.replace(here(past.session), "")) if row is None else row


def written(call: Done) -> str:
    """What the agent wrote in a call: not what its result added, nor a task list, which is a kind of need for itself."""
    given = (call.detail.get(name) for name in _WRITTEN if name != "old" or not call.detail.get("existed"))
    return "\n".join([call.target, *(str(value) for value in given if value)])


def lines(call: Done) -> list[str]:
    """The simple commands of a call that do more than look around."""
    return needs.commands(call.target) if call.kind is Kind.COMMAND else []


def open_tasks(calls: Sequence[Done]) -> tuple[str, ...]:
    """The entries of the last task list that are not done."""
    listed = next((c.detail["items"] for c in reversed(calls) if c.kind is Kind.TASKS and "items" in c.detail), ())
    return tuple(item["text"] for item in listed if item["status"] not in _OVER)


def recorded(past: Past) -> Past:
    """The same session with the words that its record has, in the place of its transcript's."""
    own, since = here(past.session), dict[str, int]()
    texts = [(record.number, record.text) for record in past.records]
    texts += [(call.number, f"{written(call)}\n{call.result}") for call in past.calls]
    for number, text in texts:
        behind = sum(boundary.number < number for boundary in past.boundaries)
        for word in needs.words(text.replace(own, "")):
            since[word] = min(behind, since.get(word, behind))
    return replace(past, since=since, rows=None)
