"""Assistant messages and their parts: the agent's text, its calls, how full the context was, the end of its turn."""

from typing import Any

from memd.model import Compaction, Receipt, TurnEnd, Usage
from memd.model.secrets import mask
from memd.tools.fields import excerpt, flag, string, table, whole
from memd.tools.fields import moment as time
from memd.tools.opencode import calls, delivery, user
from memd.tools.opencode.reading import HARNESS, Reading, Row
from memd.tools.opencode.state import OPEN, put, without
from memd.tools.remembered import changed

_ABORTED = "MessageAbortedError"
_GOES_ON = frozenset({"", user.GOES_ON, "unknown"})


def updated(reading: Reading, ident: str, info: Row) -> None:
    """A message's own row: it begins, or it has ended."""
    known = reading.message(ident) or {}
    done, failed = time(table(info, "time").get("completed")), table(info, "error")
    if known.get("ended") or (done is None and not failed):
        return
    reading.remember(ident, ended=True)
    for part, held in list(reading.state.held.items()):
        if held.get("message") == ident:
            _text(reading, ident, part, time(held.get("at")), string(held, "text"))
    finish = "" if failed else string(info, "finish")
    user.arrived(reading, ident, finish)
    if failed:
        _failed(reading, ident, failed, done)
    summary = flag(known, "summary")
    if summary and not failed:
        _compacted(reading, ident, string(known, "parent"), done)
    over = finish not in _GOES_ON or any(flag(known, name) for name in ("beside", "refused"))
    if failed or (over and not summary):
        reading.events.append(TurnEnd(done or time(table(info, "time").get("created"))))


def _failed(reading: Reading, ident: str, error: Row, at: int | None) -> None:
    """The client's word that the answer came to nothing; an abort is the person's, and says nothing."""
    name, said = string(error, "name"), string(table(error, "data"), "message")
    if name != _ABORTED:
        told = excerpt(": ".join(filter(None, (name, said))) or "error", HARNESS)
        reading.say(ident, f"{ident}:error", at, delivery.client(), told, failed=True)


def _compacted(reading: Reading, ident: str, request: str, at: int | None) -> None:
    """The summary stands: the context before it is gone."""
    asked = reading.state.compacting.get(request, {})
    trigger = "auto" if asked.get("auto", True) else "manual"
    reading.events.append(Compaction(ident, at, trigger, reading.state.tokens))
    compacting = without(reading.state.compacting, request)
    reading.state = changed(reading.state, compacting=compacting, replay=bool(asked.get("overflow")), tokens=None)


def text(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A text: an entry when it is whole. The client writes it empty when it begins and again when it ends."""
    ident, said, times = string(part, "id"), string(part, "text"), table(part, "time")
    known = reading.message(message) or {}
    if times and times.get("end") is None and not known.get("ended"):
        if said:
            held = {"message": message, "at": at, "text": said}
            reading.state = changed(reading.state, held=put(reading.state.held, ident, held, OPEN))
        return
    _text(reading, message, ident, at, said)


def _text(reading: Reading, message: str, ident: str, at: int | None, said: str) -> None:
    reading.state = changed(reading.state, held=without(reading.state.held, ident))
    known = reading.message(message) or {}
    if said and ident not in known.get("parts", ()):
        told(reading, message, ident)
        reading.say(message, reading.of or ident, at, delivery.agent(summary=flag(known, "summary")), said)


def told(reading: Reading, message: str, part: str) -> None:
    """An entry was made of a part: when it comes again it is no news."""
    known = reading.message(message) or {}
    reading.remember(message, parts=[*known.get("parts", ()), part])


def retry(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A request failed and is made again."""
    error = table(part, "error")
    said = string(table(error, "data"), "message") or string(error, "message") or string(error, "name")
    reading.say(message, string(part, "id"), at, delivery.client(), excerpt(said or "retry", HARNESS), failed=True)


def step(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A step ended: how full the context is, and that what was put into the request went in."""
    known = reading.message(message) or {}
    tokens = fill(table(part, "tokens"))
    reading.state = changed(reading.state, answered=max(reading.state.answered, at or 0))
    if flag(known, "summary"):
        return
    if tokens > 0:
        reading.state = changed(reading.state, tokens=tokens)
        reading.events.append(Usage(reading.of or string(part, "id"), at, tokens, known.get("model")))
    given = reading.state.given
    if given and (at is None or at >= given.get("at", 0)):
        reading.state = changed(reading.state, given={})
        reading.events.append(receipt(given, given.get("code")))


def fill(tokens: Row) -> int:
    """The fill of the context as the client counts it when it decides about a compaction."""
    cache = table(tokens, "cache")
    parts = (whole(tokens, "input"), whole(tokens, "output"), whole(cache, "read"), whole(cache, "write"))
    return whole(tokens, "total") or sum(max(one or 0, 0) for one in parts)


def receipt(given: Row, code: Any) -> Receipt:
    """That a text of memd's went into a request, and, with its code, that the model answered it."""
    number = whole(given, "number") or 0
    return Receipt(time(given.get("at")), number, 1, 1, code if isinstance(code, str) and code else None, hook="plugin")


def tool(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A call: told when its input is there, and with its result."""
    ident = string(part, "id")
    known = reading.message(message) or {}
    made = calls.operations(part, at)
    if not made or ident in known.get("parts", ()):
        return
    _shell(reading, message, part, at)
    state = string(table(part, "state"), "status")
    if state == "running":
        sign = {"title": string(table(part, "state"), "title")[:100], "agent": made[0].detail.get("agent", "")}
        if reading.state.calls.get(ident) != sign:  # the client writes a running call again with each piece of output
            reading.state = changed(reading.state, calls=put(reading.state.calls, ident, sign, OPEN))
            reading.events.extend(made)
        return
    reading.state = changed(reading.state, calls=without(reading.state.calls, ident))
    told(reading, message, ident)
    if state == "error" and calls.stopped(part):  # the client does not ask the model again
        reading.remember(message, refused=True)
    key, said, call = reading.of or ident, calls.answer(part), string(part, "callID") or ident
    cut = len(said) - calls.RESULT if len(said) > calls.RESULT else 0
    reading.say(message, key, at, delivery.result(), made[0].result, call=call, cut=cut)
    reading.events.extend(made)
    _words(reading, message, part, key, call, at)


def _words(reading: Reading, message: str, part: Row, key: str, call: str, at: int | None) -> None:
    """The words inside a result that are not the tool's."""
    asker = string(reading.message(message) or {}, "parent")
    answer = delivery.answer(child=reading.state.child, kind=user.kind(reading, asker))
    for number, (question, words) in enumerate(calls.answers(part), 1):
        reading.say(message, f"{key}:answer:{number}", at, answer, words, call=call, question=mask(question))
    words = calls.refusal(part)
    if words:
        reading.say(message, f"{key}:refusal", at, answer, words, call=call, refusal=True)


def _shell(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A command that somebody ran beside the agent: an answer without a step, to a message that nobody wrote a word in."""
    known = reading.message(message) or {}
    parent = reading.message(string(known, "parent"))
    beside = parent is not None and parent.get("role") == "user" and not parent.get("spoken")
    command = string(table(table(part, "state"), "input"), "command")
    if known.get("stepped") or known.get("beside") or not beside or string(part, "tool") != "bash" or not command:
        return
    key, asker = f"{reading.of or string(part, 'id')}:shell", string(known, "parent")
    reading.remember(message, beside=True)
    reading.say(message, key, at, user.shell(reading, asker, key), command, shell=True)  # noqa: S604 - an entry
