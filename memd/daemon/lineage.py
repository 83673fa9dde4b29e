"""What a fork goes on with: its file repeats its source's rows, after a compaction only the last of them.

The conversation is the same, so the person's words are in force in the fork too, those as well that its file does not repeat.
A row that was copied is known from its source, where it was first delivered: a client that runs headless writes its own
entrypoint into the copies as well.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from memd.extract.material import SPEAKING
from memd.model import Channel, Grade, Record
from memd.store import Store


def inherited(
    store: Store, name: str, said: Iterable[Record], heirs: frozenset[str] = frozenset()
) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """A session's prompts, copies with what their source knows of them, and its sources' that it has no row of."""
    own = list(said)
    known: dict[str, Record] = {}
    earlier: dict[str, Record] = {}
    for source, numbers in _sources([*store.messages(name, upto=1), *own]).items():
        if source in heirs:
            continue
        rows = store.messages(source, channels=SPEAKING, upto=max(numbers))
        theirs, before = inherited(store, source, rows, heirs | {name})
        known |= {f"{source}#{record.number}": record for record in theirs}
        earlier |= {record.copy_of or "": record for record in before}
        for at, record in known.items():
            earlier.setdefault(record.copy_of or at, replace(record, number=0, copy_of=at))
    copied = {record.copy_of for record in own}
    left = (record for origin, record in earlier.items() if origin not in copied and record.in_force)
    return tuple(_attributed(record, known.get(record.copy_of or "")) for record in own), tuple(left)


def attributed(store: Store, records: Iterable[Record]) -> list[Record]:
    """Records, copies among them as their sources know them: who spoke was told where a row was first delivered."""
    own = list(records)
    known: dict[str, Record] = {}
    for source, numbers in _sources(own).items():
        theirs = attributed(store, store.messages(source, numbers=numbers))
        known |= {f"{source}#{record.number}": record for record in theirs}
    return [_attributed(record, known.get(record.copy_of or "")) for record in own]


def numbers(store: Store, name: str) -> tuple[str, dict[int, int]]:
    """The session that a fork came from, and the fork's numbers of its messages by its own; "" and none without one."""
    copies = store.copies(name)
    session = store.session(name)
    told = session.forked_from if session else None
    source = told or copies[max(copies)].rpartition("#")[0] if copies else ""
    if not source:
        return "", {}
    theirs = {origin: number for number, origin in store.copies(source).items()}
    own = (
        (theirs.get(origin) or (int(number) if of == source else None), mine)
        for mine, origin in copies.items()
        for of, _, number in [origin.rpartition("#")]
    )
    return source, {number: mine for number, mine in own if number is not None}


def _sources(records: Iterable[Record]) -> dict[str, set[int]]:
    """The numbers of what was copied, by the session that it was copied from."""
    found = defaultdict[str, set[int]](set)
    for record in records:
        source, _, number = (record.copy_of or "").rpartition("#")
        if source:
            found[source].add(int(number))
    return found


def _attributed(record: Record, first: Record | None) -> Record:
    """A copy as its source knows it; always, where only the host that made the copy vouches for it."""
    if first is None or ("host" not in record.extra and not _better(record, first)):
        return record
    return replace(record, channel=first.channel, grade=first.grade)


def _better(record: Record, first: Record) -> bool:
    return record.channel is Channel.OPERATOR_HEADLESS and first.grade is not Grade.UNKNOWN
