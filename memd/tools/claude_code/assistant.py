"""Assistant rows: the agent's text, the calls that it makes, how full the context was, the end of its turn."""

from dataclasses import replace

from memd.model import Envelope, Kind, Origin, TurnEnd, Usage
from memd.tools.claude_code import calls
from memd.tools.claude_code.reading import Reading, Row
from memd.tools.fields import flag, flat, moment, string, table, whole
from memd.tools.remembered import begun, changed

_SYNTHETIC = "<synthetic>"
"""The model name of answers that the client wrote itself, such as API errors."""
_ENDS = frozenset({"end_turn", "stop_sequence", "refusal"})
_OPEN = 200
"""So many calls without a result are remembered: a crash leaves some, and their results never come."""
_SIZES = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def read(reading: Reading, row: Row) -> None:
    """An assistant row: one block of an answer (older clients: several)."""
    message, at = table(row, "message"), moment(row.get("timestamp"))
    content = message.get("content")
    made_up = string(message, "model") == _SYNTHETIC or flag(row, "isApiErrorMessage")
    foreign = _foreign(row, message)
    text = flat(content)
    if text:
        origin = Origin.CLIENT if made_up or foreign else Origin.AGENT
        notes = {"failed": made_up, "foreign": foreign}
        reading.say(
            reading.key(row), row, Envelope(origin), text, **{name: True for name, is_so in notes.items() if is_so}
        )
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            _call(reading, block, at)
    if not made_up:
        _usage(reading, row, message, at)
    if string(message, "stop_reason") in _ENDS or made_up:
        reading.events.append(TurnEnd(at))


def _foreign(row: Row, message: Row) -> bool:
    """Whether somebody else wrote the row: every answer of the model has an id, a usage and a request."""
    return not (string(message, "id") or table(message, "usage") or string(row, "requestId"))


def _call(reading: Reading, block: Row, at: int | None) -> None:
    call = calls.started(block, at)
    if call is None or call.call in reading.state.calls:
        return
    kept = begun(call)
    if call.kind is Kind.TASKS:
        kept["given"] = calls.task_input(table(block, "input"))
    open_calls = {**reading.state.calls, call.call: kept}
    while len(open_calls) > _OPEN:
        del open_calls[next(iter(open_calls))]
    reading.state = changed(reading.state, calls=open_calls)
    reading.events.append(call)


def _usage(reading: Reading, row: Row, message: Row, at: int | None) -> None:
    """Every block of an answer repeats its usage, so it is told once an answer; a sub-agent's is its own file's."""
    key, usage = string(message, "id"), table(message, "usage")
    tokens = sum(whole(usage, name) or 0 for name in _SIZES)
    if flag(row, "isSidechain") != reading.state.child or not key or key == reading.state.usage or tokens <= 0:
        return
    model = string(row, "requestedModel") or string(message, "model") or None
    reading.state = changed(reading.state, usage=key)
    reading.tell(replace(reading.state.facts, model=model or reading.state.facts.model))
    reading.events.append(Usage(key, at, tokens, model))
