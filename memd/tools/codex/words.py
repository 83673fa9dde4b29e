"""Items of the user's and the developer's role, and the events that vouch for them.

An item that may be a person's waits until the next row (its event follows at once); anything else that makes an entry lets
it go as it is. What a person said is taken from the event, where there is one: the item has the client's tags around images.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from memd.later import pattern
from memd.model import Amend, Delivery, Envelope, Gap, Kind, Operation, Origin, State, Wrapper
from memd.provenance import classify
from memd.tools.codex import delivery, rollback
from memd.tools.codex.delivery import WAITING, Part
from memd.tools.codex.reading import HARNESS, Reading, Row, digest, turn_of
from memd.tools.codex.state import Pending
from memd.tools.fields import excerpt, items, string, table
from memd.tools.remembered import changed

_IMAGE = pattern(r"<image(?: [^<>]*)?>|</image>")
_HOOK = pattern(r"\s*<hook_prompt[^>]*>(.*)</hook_prompt>\s*", re.DOTALL)
_COMMAND = pattern(r"<command>\n?(.*?)\n?</command>", re.DOTALL)
_RESULT = pattern(r"<result>\n?(.*?)\n?</result>", re.DOTALL)
_OBJECTIVE = pattern(r'User set the goal: "(.*)"(?=\n|\Z)', re.DOTALL)
_STATUS = pattern(r'User set goal status: "?(\w+)')
_SKILL = pattern(r"\s*<skill>\s*<name>([^<\n]{1,200})</name>\s*<path>([^<\n]{1,1000})</path>")
_AGENT = pattern(r'"agent_path"\s*:\s*"([^"]{1,200})"')
_ENDED = pattern(r'"status"\s*:\s*(?:\{\s*)?"(\w{1,40})"')
_MACHINE_KINDS = frozenset({"user_instructions", "environment_context"})
"""What the event of a client of 2025 calls messages that it wrote itself."""


def read(reading: Reading, item: Row) -> None:
    """A message of the user's, the developer's or the system's role: an entry for each run of parts of one sort."""
    content = items(item, "content") or [{"text": string(item, "content")}]
    found, unknown = delivery.parts({**item, "content": content})
    reading.events.extend(Gap("unknown", f"content kind {kind}") for kind in unknown)
    texts = [_text(part) for part in content]
    images = [isinstance(part, dict) and string(part, "type") == "input_image" for part in content]
    if string(item, "role") == "user" and not all(
        image or _readable(part) for part, image in zip(content, images, strict=True)
    ):
        reading.events.append(Gap("words", "a part without a text"))
    runs = [list(run) for _, run in groupby(range(len(content)), key=lambda n: found[n])]
    key = reading.key(item, "\n".join(texts))
    for number, run in enumerate(runs, 1):
        named = key if number == 1 else f"{key}:{number}"
        count = sum(images[n] for n in run)
        shown = [texts[n] for n in run if texts[n] and not (count and _IMAGE.fullmatch(texts[n]))]
        # Where the client put something of its own into the item, none of it is taken for the person's.
        part = found[run[0]] if len(runs) == 1 or found[run[0]] not in WAITING else Part.UNSTATED
        _one(reading, named, part, shown, count, turn_of(item))


def _readable(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _text(part: Any) -> str:
    return string(part, "text") if isinstance(part, dict) else ""


def _one(reading: Reading, key: str, part: Part, texts: list[str], images: int, turn: str) -> None:
    text = "\n".join(texts)
    settle(reading)
    match part:
        case _ if part in WAITING:
            source = reading.source
            reading.wait(Pending(key, reading.at, source.offset, source.length, text, turn, images, part))
        case Part.SHELL:
            _shell(reading, key, text, turn)
        case Part.HOOK:
            for number, shown in enumerate(texts, 1):
                inner = _HOOK.fullmatch(shown)
                reading.hook(key if number == 1 else f"{key}.{number}", inner[1] if inner else shown, turn)
        case Part.JOB | Part.AGAIN:
            reading.say(key, delivery.of_part(part), text, turn, _job(text) if part is Part.JOB else None)
        case _:
            reading.say(key, delivery.of_part(part), excerpt(text, HARNESS), turn)
            if part is Part.CLIENT and (skill := _SKILL.match(text[:2_000])):  # the person chose it with `$`
                call = f"{key}:skill"
                reading.events.append(
                    Operation(call, Kind.SKILL, "skill", reading.at, State.DONE, skill[1], {"path": skill[2]})
                )


def _job(text: str) -> dict[str, str]:
    """Which sub-agent a notification is about; that it is one has been told by the item's tags, not by this text."""
    found = {"job": _AGENT.search(text[:2_000]), "status": _ENDED.search(text[:2_000])}
    return {name: match[1] for name, match in found.items() if match}


def _shell(reading: Reading, key: str, text: str, turn: str) -> None:
    """What was run with `!`: the command is the person's, its output is not."""
    typed, answer = _COMMAND.search(text), _RESULT.search(text)
    command = reading.state.shell or (typed[1] if typed else text)
    reading.state = changed(reading.state, shell="")
    reading.say(key, delivery.of_shell(reading.state), command, turn, {"shell": True})
    if answer:
        reading.say(f"{key}:output", Envelope(Origin.CLIENT), excerpt(answer[1], HARNESS), turn)


def settle(reading: Reading) -> None:
    """Nothing vouched for the item that waits."""
    pending = reading.state.pending
    if pending is None:
        return
    part = Part(pending.stated)
    if part is Part.GOAL:
        _goal(reading, pending, "")
        return
    if part is Part.USER and pending.turn:
        reading.state = changed(reading.state, late=_digested(pending))
    envelope = delivery.of_unvouched(reading.state, part, pending.text)
    extra: dict[str, Any] = {}
    text = pending.text
    if envelope.wrapper is Wrapper.SHELL_INPUT and (typed := _COMMAND.search(text)):
        text, extra = typed[1], {"shell": True}
    elif envelope.wrapper is not None or envelope.origin is Origin.CLIENT:
        text = excerpt(text, HARNESS)
    _enter(reading, pending, envelope, text, extra)


def _enter(
    reading: Reading,
    pending: Pending,
    envelope: Envelope,
    text: str,
    extra: Row | None = None,
    *,
    command: bool = False,
) -> None:
    """Enter the item that waited, where and when it was written."""
    now = reading.at
    state = changed(reading.state, pending=None)
    machine = envelope.wrapper is not None or envelope.origin in {Origin.CLIENT, Origin.INSTRUCTIONS}
    reading.state, reading.at = state if machine or command else rollback.prompt(state), pending.at
    shown = {**(extra or {}), **({"images": pending.images} if pending.images else {})}
    source = replace(reading.source, offset=pending.offset, length=pending.length)
    reading.say(pending.key, envelope, text, pending.turn, shown, source)
    reading.at = now


def vouched(reading: Reading, event: Row) -> None:
    """The client's event for a user's message: `item_completed` with a `UserMessage`, or `user_message` before 2026."""
    text, images = _said(event)
    machine = string(event, "kind") in _MACHINE_KINDS
    pending = reading.state.pending
    around = _around(pending, text, string(event, "turn_id")) if pending is not None and not machine else ""
    if pending is None or not (around or _same(pending, text, string(event, "turn_id"))):
        if machine or not text:
            settle(reading)
        elif not _late(reading, text, event):
            settle(reading)
            _alone(reading, text)
        return
    if machine:
        _enter(reading, pending, Envelope(Origin.INSTRUCTIONS), excerpt(text, HARNESS))
        return
    state = reading.state
    envelope = delivery.of_vouched(state, Part(pending.stated), named=bool(string(event, "client_id")))
    extra: dict[str, Any] = {"host": host} if (host := delivery.host(state, envelope)) else {}
    extra |= {"steered": True} if envelope.delivery is Delivery.STEERED else {}
    _enter(reading, replace(pending, images=images or pending.images), envelope, text, extra)
    if around:
        reading.say(f"{pending.key}:around", Envelope(Origin.CLIENT), excerpt(around, HARNESS), pending.turn)
    turn = reading.state.turn
    reading.state = changed(reading.state, turn=replace(turn, asked=turn.asked + 1))


def leave(reading: Reading) -> None:
    """The file has come to its end, or is torn: what waits is entered; its words stay as a digest, they may be nobody's."""
    pending = reading.state.pending
    settle(reading)
    if pending is not None:
        reading.state = changed(reading.state, late=_digested(pending))


def _digested(pending: Pending) -> Pending:
    return replace(pending, text=digest(_letters(pending.text)))


def _late(reading: Reading, text: str, event: Row) -> bool:
    """Vouch for the item that was entered without: the file had ended before this event, or something else stood between."""
    state = reading.state
    if state.late is None or not _same(state.late, digest(_letters(text)), string(event, "turn_id")):
        return False
    envelope = delivery.of_vouched(state, Part(state.late.stated), named=bool(string(event, "client_id")))
    channel, grade = classify(envelope)
    host = delivery.host(state, envelope)
    reading.events.append(Amend(state.late.key, channel=channel, grade=grade, host=host))
    reading.state = changed(state, late=None, turn=replace(state.turn, asked=state.turn.asked + 1))
    return True


def _said(event: Row) -> tuple[str, int]:
    content = items(event, "content")
    if not content:
        return string(event, "message"), len(items(event, "images")) + len(items(event, "local_images"))
    texts = [_text(part) for part in content if isinstance(part, dict) and string(part, "type") == "text"]
    images = sum(isinstance(part, dict) and "image" in string(part, "type") for part in content)
    return "\n".join(texts), images


def _same(pending: Pending, text: str, turn: str) -> bool:
    """Whether the event is about the item that waits: the same turn, the same words (blanks between parts may differ)."""
    same_turn = not (pending.turn and turn) or pending.turn == turn
    return same_turn and _letters(pending.text) == _letters(text) and pending.stated != Part.GOAL


def _around(pending: Pending, text: str, turn: str) -> str:
    """What an editor put in front of the words in the item, where the event has the words alone; they are its last lines."""
    same_turn = not (pending.turn and turn) or pending.turn == turn
    words, whole = text.strip(), pending.text.rstrip()
    if not same_turn or not words or pending.stated not in {Part.USER, Part.UNSTATED}:
        return ""
    before = whole.removesuffix(words)
    return before if len(before) < len(whole) and before.strip() and before.endswith("\n") else ""


def _letters(text: str) -> str:
    return "".join(text.split())


def _alone(reading: Reading, text: str) -> None:
    """An event without an item: the client wrote the prompt itself, such as that of a review."""
    reading.say(reading.key({}, text), Envelope(Origin.CLIENT), excerpt(text, HARNESS))


def goal_set(reading: Reading, event: Row) -> None:
    """The goal changed. Only the item before it tells that the person did it; the agent's own tool writes this event too."""
    pending = reading.state.pending
    if pending is not None and pending.stated == Part.GOAL:
        _goal(reading, pending, string(table(event, "goal"), "objective"))


def _goal(reading: Reading, pending: Pending, objective: str) -> None:
    """A goal that was set or cleared; one that was only paused or taken up again is no new one."""
    written, status = _OBJECTIVE.search(pending.text), _STATUS.search(pending.text)
    command = "goal"
    if written is not None:
        text = objective or written[1]
    elif "cleared the goal" in pending.text:
        text = "clear"
    else:
        command, text = "goal-status", status[1] if status else pending.text
    _enter(reading, pending, delivery.of_goal(reading.state), text, {"command": command}, command=True)


def answers(reading: Reading, row: Row) -> None:
    """`retained_context` with a `verified_answer`: what the person answered to the agent's question."""
    call = string(row, "call_id")
    asked = reading.state.calls.get(call, {}).get("detail", {}).get("questions", [])
    settle(reading)
    for number, one in enumerate(items(row, "questions"), 1):
        if isinstance(one, dict) and string(one, "answer").strip():
            question = next((q for q in asked if string(one, "question").startswith(q)), string(one, "question"))
            key = f"{call}:answer:{number}"
            envelope = delivery.of_answer(reading.state, verified=True)
            extra = {"call": call, "question": question}
            reading.say(key, envelope, string(one, "answer"), string(row, "turn_id"), extra)
    reading.state = changed(reading.state, answered=(*reading.state.answered, call)[-20:])


def unverified(reading: Reading, call: str, found: dict[str, Any], asked: list[str]) -> None:
    """The answers of a client that verifies none, in the result of its question."""
    if reading.state.attests or call in reading.state.answered:
        return
    for number, text in enumerate(_answered(found), 1):
        envelope = delivery.of_answer(reading.state, verified=False)
        question = asked[number - 1] if number <= len(asked) else ""
        reading.say(f"{call}:answer:{number}", envelope, text, extra={"call": call, "question": question})


def _answered(found: dict[str, Any]) -> Iterator[str]:
    for one in table(found, "answers").values():
        words = items(one, "answers") if isinstance(one, dict) else []
        said = "\n".join(word for word in words if isinstance(word, str))
        if said.strip():
            yield said
