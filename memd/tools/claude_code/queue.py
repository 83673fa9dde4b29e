"""The client's queue of what came in while the agent worked: `queue-operation` rows, which have no ids.

An entry leaves the queue in one of four ways (measured on 2.1.332 and 2.0.76, seen in transcripts between them):

    dequeue                            it becomes a turn of its own; its user row follows
    remove, reason absorbed_mid_turn   it is taken into the running turn; a `queued_command` attachment follows
    remove, no reason                  older clients: taken into the running turn, and nothing else is written of it
    popAll, remove for another reason  the person took it back; it never reached the agent

So only older removals and what was taken back make an entry here. What still waits when a session is over was never delivered
either, nor was what left the queue when the client died before it wrote the row: `left` records them as undelivered, and should
the row come after all, `arrived` turns that entry into the delivered one.
Notifications and scheduled prompts stand in the same queue, and nothing states who typed an entry: a tag demotes it, the
prompt history may lift it.
"""

import json

from msgspec.structs import replace

from memd.model import Amend, Channel, Delivery, Envelope, Event, Grade, Message, Origin, Source, Wrapper
from memd.provenance import Answer, classify
from memd.tools.claude_code import delivery
from memd.tools.claude_code.reading import Reading, Row
from memd.tools.claude_code.state import Queued, ReaderState
from memd.tools.fields import string
from memd.tools.remembered import changed

LIMIT = 200
"""So many waiting entries are remembered."""


def read(reading: Reading, row: Row) -> None:
    """A `queue-operation` row."""
    match string(row, "operation"):
        case "enqueue":
            _enqueue(reading, row)
        case "dequeue":
            _leave(reading, reading.state.queue[:1], arriving=True)
        case "remove":
            _remove(reading, row)
        case "popAll":
            waiting = reading.state.queue
            _leave(reading, waiting)
            _record(reading, waiting, undelivered=True)
        case _:
            pass


def _enqueue(reading: Reading, row: Row) -> None:
    source, text = reading.source, string(row, "content")
    waiting = Queued(f"queue:{reading.place}", reading.at, source.offset, source.length, text)
    reading.state = changed(reading.state, queue=(*reading.state.queue, waiting)[-LIMIT:])


def _remove(reading: Reading, row: Row) -> None:
    """Which one: its text tells where it is written, else it is the oldest."""
    queue, text = reading.state.queue, string(row, "content")
    found = tuple(waiting for waiting in queue if text and waiting.text == text)[:1] or queue[:1]
    absorbed = string(row, "reason") == "absorbed_mid_turn"
    _leave(reading, found, arriving=absorbed)
    if not absorbed:
        _record(reading, found, undelivered=bool(string(row, "reason")) or reading.state.attests)


def _leave(reading: Reading, gone: tuple[Queued, ...], *, arriving: bool = False) -> None:
    state = reading.state
    queue = tuple(waiting for waiting in state.queue if waiting not in gone)
    reading.state = changed(
        state, queue=queue, arriving=(*state.arriving, *gone)[-LIMIT:] if arriving else state.arriving
    )


def _record(reading: Reading, gone: tuple[Queued, ...], *, undelivered: bool) -> None:
    """Make entries of what left the queue without a row of its own."""
    for waiting in gone:
        if waiting.told:
            reading.events.append(Amend(waiting.key, undelivered=undelivered))
        elif not undelivered or not machine(waiting.text):
            reading.enter(_message(waiting, undelivered=undelivered))


def _message(waiting: Queued, *, undelivered: bool) -> Message:
    channel, grade = classify(_envelope(waiting.text))
    source = Source(waiting.offset, waiting.length)
    return Message(waiting.key, waiting.at, channel, grade, waiting.text, source, None, undelivered, {"queue": True})


def _envelope(text: str) -> Envelope:
    wrapper = Wrapper.NOTIFICATION if text.startswith('{"task_id"') and _is_json(text) else delivery.wrapper(text)
    return Envelope(Origin.NONE, Delivery.QUEUED, wrapper)


def machine(text: str) -> bool:
    """Whether a queued text is a machine's for certain: clients around 2.1.40 queue a finished job as JSON."""
    return classify(_envelope(text))[0] is not Channel.UNATTRIBUTED


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def arrived(reading: Reading, text: str, answer: Answer, host: str) -> bool:
    """A row that starts or joins a turn came in; whether its entry was recorded before, when it was thought lost.

    `answer` is what the row tells of who spoke, `host` the program that alone vouches for it.
    """
    coming, words = reading.state.arriving, text.strip()
    if not coming:
        return False
    coming = _mistaken(reading, coming, words)
    waiting = next((one for one in coming if one.text.strip() == words), coming[0])
    rest = tuple(one for one in coming if one is not waiting and (one.told or not _joined(one.text.strip(), words)))
    reading.state = changed(reading.state, arriving=rest)
    if not waiting.told:
        return False
    if waiting.text.strip() != words:  # expanded on the way in: the row is the entry, the waiting one was none
        reading.events.append(Amend(waiting.key, undelivered=False, channel=Channel.HARNESS_META, grade=Grade.PROVED))
        return False
    channel, grade = answer
    reading.events.append(Amend(waiting.key, undelivered=False, channel=channel, grade=grade, host=host))
    return True


def _mistaken(reading: Reading, coming: tuple[Queued, ...], words: str) -> tuple[Queued, ...]:
    """What left the queue, by the words that came: not always the oldest, where a client died and its entries were left behind.

    What was taken for it goes on waiting, and is told when the session is over.
    """
    queue = reading.state.queue
    behind = next((one for one in queue if words and one.text.strip() == words), None)
    if behind is None or any(one.text.strip() == words or _joined(one.text.strip(), words) for one in coming):
        return coming
    first, *others = coming
    coming = (behind, *others)
    reading.state = changed(reading.state, queue=(first, *(one for one in queue if one is not behind)), arriving=coming)
    return coming


def _joined(part: str, words: str) -> bool:
    """Whether a row holds an entry beside others: clients join what waited into one prompt, a line or more each."""
    return bool(part) and part != words and f"\n{part}\n" in f"\n{words}\n"


def expanded(reading: Reading, text: str) -> None:
    """A row of the client's own came in: where it holds the words of what left the queue, that is what has come."""
    coming = reading.state.arriving
    rest = tuple(one for one in coming if not one.text.strip() or one.text.strip() not in text)
    reading.state = changed(reading.state, arriving=rest)


def left(state: ReaderState) -> tuple[ReaderState, tuple[Event, ...]]:
    """The session is over: what a person may have typed and still waits, or whose row never came, was not delivered.

    A command's row has other words than its entry, or is none: having left the queue, it is taken to have been run.
    """
    gone = (waiting for waiting in state.arriving if waiting.text.strip() and not waiting.text.lstrip().startswith("/"))
    kept = (waiting for waiting in state.queue if waiting.text.strip())
    lost = [waiting for waiting in (*gone, *kept) if not waiting.told and not machine(waiting.text)]
    events = tuple(_message(waiting, undelivered=True) for waiting in lost)
    queue, arriving = (
        tuple(replace(waiting, told=waiting.told or waiting in lost) for waiting in waits)
        for waits in (state.queue, state.arriving)
    )
    return changed(state, queue=queue, arriving=arriving), events
