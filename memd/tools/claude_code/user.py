"""User rows: a person's words, a tool's answers and the words inside them, and all that the client writes in the user's role."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from memd.later import pattern
from memd.model import Channel, Delivery, Envelope, Gap, Kind, Operation, Origin, State, TurnEnd, Wrapper
from memd.model.secrets import mask
from memd.provenance import classify
from memd.tools.claude_code import branches, calls, delivery, queue, results
from memd.tools.claude_code.reading import HARNESS, Reading, Row
from memd.tools.fields import DETAIL, excerpt, flag, flat, items, string, table
from memd.tools.remembered import changed

_ARGS = pattern(r"<command-args>(.*)</command-args>", re.DOTALL)
_NAME = pattern(r"<command-name>/?(.*?)</command-name>", re.DOTALL)
_SHELL = pattern(r"<bash-input>(.*)</bash-input>", re.DOTALL)
_EDITOR = pattern(r"<(ide_opened_file|ide_selection|ide_diagnostics)>(?:(?!</\1>).)*</\1>", re.DOTALL)
_EARLIER = pattern(r"read the full transcript at: \S*?([A-Za-z0-9_-]{8,64})\.jsonl\s*\Z")
_FRAME = pattern(
    r"This session is being continued|The (?:summary|conversation)\b.*(?:below|summari)|If you need specific details"
    r"|Please continue|Continue the conversation|Recent messages are preserved|(?:Analysis|Summary):\s*\Z"
)
"""What the client puts around a summary (2.0.76 to 2.1.332)."""
_ERROR = pattern(r"(?:Summary:\s*)?API Error\b")
_BLOCKS = frozenset({"image", "document", "tool_result"})
"""Of a prompt, beside its text."""
_UNANSWERED = frozenset({"skipped", "replied_in_chat", "dismissed"})


def read(reading: Reading, row: Row) -> None:
    """A user row: its tool results first, then what text it has beside them."""
    content = table(row, "message").get("content")
    if not isinstance(content, str | list):
        reading.events.append(Gap("words", "a user row whose message has another shape"))
    answers, images, call = 0, 0, ""
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_result":
            _result(reading, row, block)
            answers, call = answers + 1, "" if answers else string(block, "tool_use_id")
        elif kind == "image":
            images += 1
    if isinstance(content, list) and 0 < answers == len(content) and "planContent" not in row:
        return  # as nearly always
    if not answers and isinstance(content, list) and not all(map(_readable, content)):
        reading.events.append(Gap("words", "a user row with a block of another shape"))
    noted, content = _editors(content)
    if noted:
        reading.say(f"{reading.key(row)}:editor", row, Envelope(Origin.CLIENT), excerpt(flat(noted), HARNESS))
    text = flat(content)
    if string(row, "planContent"):
        _plan(reading, row, text)
    elif text or images:
        _words(reading, row, text, images, beside=answers > 0, call=call)


def _readable(block: Any) -> bool:
    """Whether what a block of a prompt holds can be read, or is no words."""
    if not isinstance(block, dict):
        return False
    kind = string(block, "type")
    return isinstance(block.get("text"), str) if kind == "text" else kind in _BLOCKS


def _editors(content: Any) -> tuple[list[Any], Any]:
    """What an editor puts before a prompt, in blocks of its own (seen in transcripts of the VS Code extension), and the rest.

    Where nothing else is there, or the words stand in the same block, nothing tells it from what a person wrote.
    """
    noted = [block for block in content if _editors_own(block)] if isinstance(content, list) else []
    rest = [block for block in content if block not in noted] if noted else content
    return (noted, rest) if rest else ([], content)


def _editors_own(block: Any) -> bool:
    return isinstance(block, dict) and _EDITOR.fullmatch(string(block, "text").strip()) is not None


def _plan(reading: Reading, row: Row, text: str) -> None:
    """A plan that the person approved, carried into a fresh context: the client's text, and the act of approving it."""
    key, plan = reading.key(row), string(row, "planContent")
    earlier = _EARLIER.search(text[-1_000:])
    extra = {"plan": True, **({"earlier": earlier[1]} if earlier else {})}
    reading.say(key, row, Envelope(Origin.CLIENT), text, **extra)
    detail = {"plan": mask(plan)[: DETAIL * 4], **({"earlier": earlier[1]} if earlier else {})}
    reading.events.append(Operation(f"plan:{key}", Kind.PLAN, "plan", reading.at, State.DONE, "", detail))


def _words(reading: Reading, row: Row, text: str, images: int, *, beside: bool, call: str) -> None:
    """The text of a user row that is not a tool's answer, but may stand beside that of one `call`."""
    before = reading.state.last
    child, attests = reading.state.child, reading.state.attests
    if beside:
        envelope = delivery.of_beside(row, text, child=child, attests=attests)
    else:
        envelope = delivery.of_user_row(row, text, child=child)
    shown, extra = _unwrapped(text, envelope)
    extra |= {"images": images} if images else {}
    if envelope.delivery is Delivery.ANSWER:
        extra |= {"allowed": True, **({"call": call} if call else {})}
    extra |= {"host": host} if not beside and (host := delivery.host(row, row, envelope)) else {}
    if "command" in extra and not shown:  # a command without arguments has no words of the person's
        envelope, shown = replace(envelope, meta=True, origin=Origin.CLIENT), text
    answer = classify(envelope)
    channel, starts = answer[0], answer[0].starts_turn
    if channel is Channel.HARNESS_META:
        shown = excerpt(shown, HARNESS)
    extra |= {"failed": True} if envelope.summary and _failed(text) else {}
    extra |= {"dequeued": True} if starts and reading.state.arriving else {}
    key = reading.key(row)
    if not starts:
        queue.expanded(reading, text)
    if not (starts and queue.arrived(reading, shown, answer, str(extra.get("host", "")))):
        reading.add(key, row, answer, shown, extra)
    if starts:
        reading.state = branches.mark(reading.state, string(row, "uuid"), string(row, "parentUuid"), key, before)
    if string(row, "interruptedMessageId") or (string(row, "rowSource") == "harness" and not flag(row, "isMeta")):
        reading.events.append(TurnEnd(reading.at))


def _failed(summary: str) -> bool:
    """Whether a summary is the error message of the request that should have made it, and nothing else."""
    said = [row.strip() for row in summary.splitlines() if row.strip() and not _FRAME.match(row.strip())]
    return len(said) == 1 and _ERROR.match(said[0]) is not None


def _unwrapped(text: str, envelope: Envelope) -> tuple[str, dict[str, Any]]:
    """The person's own words inside the tags that the client put around them."""
    tagged = envelope.origin in {Origin.LOCAL, Origin.NONE} or envelope.delivery is Delivery.COMMAND
    if tagged and envelope.wrapper is Wrapper.COMMAND and (name := _NAME.search(text)):
        args = _ARGS.search(text)
        return (args[1].strip() if args else ""), {"command": name[1].strip()}
    if envelope.origin in {Origin.LOCAL, Origin.NONE} and envelope.wrapper is Wrapper.SHELL_INPUT:
        typed = _SHELL.search(text)
        return (typed[1] if typed else text), {"shell": True}
    return text, {}


def _result(reading: Reading, row: Row, block: Row) -> None:
    """A tool's answer, and the person's words inside it if there are any."""
    call = string(block, "tool_use_id")
    key = f"{string(row, 'uuid') or reading.place}:{call}"
    result, begun = results.of(row, block), reading.state.calls.get(call)
    if begun is not None and begun["name"].startswith("mcp__") and not string(row, "toolDenialKind"):
        result = result._replace(
            refused=False
        )  # an old client stores a server's error word for word: it may read like one
    kept = excerpt(result.text, results.RESULT)
    extra: dict[str, Any] = {"call": call}
    if len(result.text) > results.RESULT:
        extra["cut"] = len(result.text) - results.RESULT
    reading.add(key, row, delivery.TOOL, kept, extra)
    if begun is not None:
        _settle(reading, call, begun, result, kept)
    if words := results.refusal_words(result):
        reading.say(f"{key}:refusal", row, _refusal(row), words, call=call, refusal=True)
    if begun is None or begun["kind"] == Kind.ASK:
        asked = begun["detail"].get("questions", ()) if begun is not None else ()
        for number, (question, answer) in enumerate([*_answers(row), *results.talked(result, asked)], 1):
            reading.say(f"{key}:answer:{number}", row, delivery.of_answer(row), answer, call=call, question=question)


def _refusal(row: Row) -> Envelope:
    """A client without `toolDenialKind` leaves only its own fixed wording as a witness: inferred, not proved."""
    envelope = delivery.of_answer(row)
    return envelope if string(row, "toolDenialKind") else replace(envelope, origin=Origin.NONE, witness=True)


def _answers(row: Row) -> Iterator[tuple[str, str]]:
    """Each question with what the person answered, noted beside a choice or wrote in place of one; silence is no answer.

    Only where the agent asked: another tool may have an output of that shape. A capture may begin behind the question. The
    fields are those of the client's published `sdk-tools.d.ts` (2.1.332): `afkTimeoutMs` is "absent on every human-resolved
    path", and a question that is `unanswered` has the client's text for its answer.
    """
    result = table(row, "toolUseResult")
    if result.get("afkTimeoutMs") is not None:
        return
    beside = table(result, "annotations")
    for question, answer in table(result, "answers").items():
        chosen = answer if isinstance(answer, list) else [answer]
        words = ", ".join(choice for choice in chosen if isinstance(choice, str))
        if words.strip() and string(table(beside, question), "unanswered") not in _UNANSWERED:
            yield str(question), words
    for question in beside:
        if string(table(beside, question), "notes").strip():
            yield str(question), string(table(beside, question), "notes")
    if string(result, "response").strip():
        asked = (string(question, "question") for question in items(result, "questions") if isinstance(question, dict))
        yield next(asked, ""), string(result, "response")


def _settle(reading: Reading, call: str, begun: Row, result: results.Result, kept: str) -> None:
    """The result is known, `kept` of its text is kept: tell the whole call, and forget that it was open."""
    done = results.finished(call, begun, result, reading.at, kept)
    state = reading.state
    if done.kind is Kind.TASKS:
        tasks = calls.tasks_after(state.tasks, done, result.row, begun.get("given", {}))
        done = replace(done, detail={**done.detail, "items": [{"id": ident, **task} for ident, task in tasks.items()]})
        state = changed(state, tasks=tasks)
    open_calls = dict(state.calls)
    del open_calls[call]
    reading.state = changed(state, calls=open_calls)
    reading.events.append(done)
