"""Items that are not words of the user's role: the agent's texts, its calls and their results, messages between agents."""

from collections.abc import Callable
from typing import Any

from memd.model import Envelope, Gap, Kind, Operation, Origin, State
from memd.tools import remembered
from memd.tools.codex import asked, calls, delivery, known, words
from memd.tools.codex.reading import HARNESS, Reading, Row, turn_of
from memd.tools.fields import excerpt, flag, items, string
from memd.tools.remembered import changed

_TOLD = "told"
"""Where it stands with an open call what the client's item said of it."""
_OPEN = 200
"""So many calls without a result are remembered: a crash leaves some, and their results never come."""


def read(reading: Reading, item: Row, about: Row) -> None:
    """One response item; `about` is what the client notes beside it."""
    kind = string(item, "type")
    reader = _READERS.get(kind)
    if reader is not None:
        reader(reading, item, about)
    elif kind not in known.ITEMS:
        reading.events.append(Gap("words" if string(item, "role") == "user" else "unknown", f"response_item/{kind}"))


def _said(reading: Reading, item: Row, about: Row) -> None:
    if string(item, "role") == "assistant":
        _text(reading, item, about)
    else:
        words.read(reading, item)


def _text(reading: Reading, item: Row, about: Row) -> None:
    """The agent's words; those of a compaction are its summary and come again with it."""
    text = calls.output(item.get("content")) or string(item, "content")
    if flag(about, "compaction_output"):
        reading.state = changed(reading.state, filled=reading.state.tokens)
    elif text:
        words.settle(reading)
        reading.add(reading.key(item, text), delivery.AGENT, text, turn_of(item), {})


def _message(reading: Reading, item: Row, about: Row) -> None:  # noqa: ARG001 - the readers' shape
    """A message of another agent; what it says may be encrypted for the model alone."""
    text, sender = calls.output(item.get("content")), string(item, "author")
    closed = any(
        isinstance(part, dict) and string(part, "type") == "encrypted_content" for part in items(item, "content")
    )
    words.settle(reading)
    extra: dict[str, Any] = {"agent": sender, **({"encrypted": True} if closed else {})}
    reading.say(reading.key(item, text), Envelope(Origin.PEER), text, turn_of(item), extra)
    call = reading.state.jobs.get(sender)
    if call is not None:  # it answered: nothing is waited for any more
        reading.events.append(Operation(call, Kind.AGENT, "spawn_agent", reading.at, State.DONE, "", {"agent": sender}))
        _over(reading, sender)


def _call(reading: Reading, item: Row, about: Row) -> None:  # noqa: ARG001 - the readers' shape
    call = asked.started(item, reading.at)
    ident = call.call if call else string(item, "call_id")
    if not ident or ident in reading.state.calls:
        return
    if call is None:  # another server's tool: the client's item says what it did, and waits for the result
        keep(reading, ident, {})
        return
    keep(reading, call.call, remembered.begun(call))
    if call.name != "write_stdin" and (call.target or call.kind in {Kind.ASK, Kind.AGENT}):
        reading.events.append(call)


def keep(reading: Reading, call: str, value: dict[str, Any]) -> None:
    """Remember an open call."""
    open_calls = {**reading.state.calls, call: value}
    while len(open_calls) > _OPEN:
        _say(reading, open_calls.pop(next(iter(open_calls))))
    reading.state = changed(reading.state, calls=open_calls)


def forget(reading: Reading, call: str) -> None:
    """A call is over."""
    if call in reading.state.calls:
        open_calls = dict(reading.state.calls)
        del open_calls[call]
        reading.state = changed(reading.state, calls=open_calls)


def _result(reading: Reading, item: Row, about: Row) -> None:
    """A tool's result, and what it tells of the call; or context that a client put in under a tool's name."""
    call, text = string(item, "call_id"), calls.output(item.get("output"))
    words.settle(reading)
    if flag(about, "additional_context_tool_output") or (string(item, "namespace") == "agent" and not call):
        named = {"context": string(item, "name")}
        reading.say(reading.key(item, text), Envelope(Origin.CLIENT), excerpt(text, HARNESS), turn_of(item), named)
        return
    extra: dict[str, Any] = {"call": call}
    if len(text) > calls.RESULT:
        extra["cut"] = len(text) - calls.RESULT
    said, printed = asked.kept(text)
    reading.add(reading.key({"call_id": call}, text), delivery.TOOL, said, turn_of(item), extra)
    begun = reading.state.calls.get(call)
    if begun is None:
        return
    forget(reading, call)
    if not _say(reading, begun) and begun:
        _settle(reading, call, begun, asked.Result(item.get("output"), text, printed))


def _settle(reading: Reading, call: str, begun: Row, result: asked.Result) -> None:
    """The result is known: tell the call."""
    if begun["name"] == "write_stdin":
        _looked(reading, begun["target"], result)
        return
    if begun["kind"] == Kind.ASK:
        words.unverified(reading, call, calls.loaded(result.value), begun["detail"].get("questions", []))
    for done in asked.finished(call, begun, result, reading.at):
        if done.state is State.BACKGROUND:
            job(reading, done)
        reading.events.append(done)


def job(reading: Reading, done: Operation) -> None:
    """A call that goes on outside of the turn is known by a number or a name."""
    name = str(done.detail.get("job") or done.detail.get("agent") or "")
    if name:
        jobs = dict([*reading.state.jobs.items(), (name, done.call)][-_OPEN:])
        reading.state = changed(reading.state, jobs=jobs)


def _looked(reading: Reading, name: str, result: asked.Result) -> None:
    """A later look at a command in the background: did it end?"""
    call, code = reading.state.jobs.get(name), asked.exited(result.text)
    if call is None or code is None:
        return
    state = State.FAILED if code else State.DONE
    ended = Operation(call, Kind.COMMAND, "exec_command", reading.at, state, "", {"exit": code}, result.printed)
    reading.events.append(ended)
    _over(reading, name)


def _over(reading: Reading, name: str) -> None:
    """Nothing goes on under that name any more."""
    jobs = {other: call for other, call in reading.state.jobs.items() if other != name}
    reading.state = changed(reading.state, jobs=jobs)


def tell(reading: Reading, item: Row) -> None:
    """The client's own item about a call, whose result needs not be read for it any more.

    It stands right before that result, which is the entry that has it: what the item tells waits for it.
    """
    told, begun = calls.done(item, reading.at), reading.state.calls.get(string(item, "id"))
    if told and begun is not None and all(remembered.settled(done) for done in told):
        keep(reading, string(item, "id"), {**begun, _TOLD: [remembered.whole(done) for done in told]})
        return
    for done in told:
        if done.state is State.BACKGROUND:
            job(reading, done)
        reading.events.append(done)
    if string(item, "type") == "CommandExecution" and string(item, "source") == "user_shell":
        reading.state = changed(reading.state, shell=calls.command(item.get("command"))[:100_000])
    if string(item, "type") != "SubAgentActivity":
        forget(reading, string(item, "id"))


def due(reading: Reading) -> None:
    """The turn is over: no result comes any more for what an item has told."""
    for call, value in reading.state.calls.items():
        if _say(reading, value):
            forget(reading, call)


def _say(reading: Reading, value: Row) -> bool:
    """What an item told of a call, if it did."""
    told = items(value, _TOLD)
    reading.events.extend(remembered.again(done) for done in told)
    return bool(told)


_READERS: dict[str, Callable[[Reading, Row, Row], None]] = {
    "message": _said,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
    "agent_message": _message,
}
