"""Assistant rows: the agent's text, the calls that it makes, how full the context was, the end of its turn."""

from msgspec.structs import replace

from memd.model import Kind, TurnEnd, Usage
from memd.tools.claude_code import calls, delivery
from memd.tools.claude_code.reading import Reading, Row
from memd.tools.fields import flag, flat, string, table, whole
from memd.tools.remembered import begun, changed

_SYNTHETIC = "<synthetic>"
"""The model name of answers that the client wrote itself, such as API errors."""
_ENDS = frozenset({"end_turn", "stop_sequence", "refusal"})
_OPEN = 200
"""So many calls without a result are remembered: a crash leaves some, and their results never come."""
_SIZES = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def read(reading: Reading, row: Row) -> None:
    """An assistant row: one block of an answer (older clients: several)."""
    message = table(row, "message")
    content = message.get("content")
    made_up = message.get("model") == _SYNTHETIC or flag(row, "isApiErrorMessage")
    text = flat(content)
    if text:
        foreign = _foreign(row, message)
        extra = {"failed": True} if made_up else {}
        extra |= {"foreign": True} if foreign else {}
        reading.add(reading.key(row), row, delivery.CLIENT if made_up or foreign else delivery.AGENT, text, extra)
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            _call(reading, block)
    if not made_up:
        _usage(reading, row, message)
    if made_up or string(message, "stop_reason") in _ENDS:
        reading.events.append(TurnEnd(reading.at))


def _foreign(row: Row, message: Row) -> bool:
    """Whether somebody else wrote the row: every answer of the model has an id, a usage and a request."""
    return not (string(message, "id") or table(message, "usage") or string(row, "requestId"))


def _call(reading: Reading, block: Row) -> None:
    call = calls.started(block, reading.at)
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


def _usage(reading: Reading, row: Row, message: Row) -> None:
    """Every block of an answer repeats its usage, so it is told once an answer; a sub-agent's is its own file's."""
    key, state = string(message, "id"), reading.state
    if not key or key == state.usage or flag(row, "isSidechain") != state.child:
        return
    usage = table(message, "usage")
    tokens = sum([whole(usage, name) or 0 for name in _SIZES])
    if tokens <= 0:
        return
    model = string(row, "requestedModel") or string(message, "model") or None
    reading.state = changed(state, usage=key)
    if model is not None and model != state.facts.model:
        reading.tell(replace(state.facts, model=model))
    reading.events.append(Usage(key, reading.at, tokens, model))
