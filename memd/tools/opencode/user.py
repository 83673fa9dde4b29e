"""The parts of user messages: a person's words, and all that the client writes in the user's role."""

import re
from hashlib import blake2b
from typing import Any

from memd.model import Amend, Channel, Delivery, Gap
from memd.tools.fields import excerpt, flag, string, table
from memd.tools.opencode import delivery
from memd.tools.opencode.delivery import Answer
from memd.tools.opencode.reading import HARNESS, Reading, Row
from memd.tools.remembered import changed

GOES_ON = "tool-calls"
"""How an answer ends behind which the client asks the model again."""
Offer = list[str]
"""A prompt's entry: its key, what it is (`prompt`, `run`: the first of `opencode run`, `shell`), its part."""
_JOB = re.compile(r'\s*<task id="([^"]{1,200})"(?: state="([^"]{1,40})")?')


def text(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A text part."""
    said = string(part, "text")
    if not isinstance(part.get("text"), str):
        reading.events.append(Gap("words", "a part without a text"))
    if not said:
        return
    if part.get("synthetic") or part.get("ignored") or table(part, "metadata").get("memd") is True:
        _own(reading, message, part, said, at)
        return
    reading.remember(message, spoken=True)
    known = reading.message(message) or {}
    if string(known, "agent") == delivery.OWN:
        _say(reading, message, part, at, delivery.client(), said)
    elif flag(known, "replay") and _digest(said) == reading.state.asked.partition(" ")[0]:
        original = reading.state.asked.partition(" ")[2]
        _say(reading, message, part, at, delivery.client(), said, replay=original)
    else:
        _prompt(reading, message, part, said, at)


def _own(reading: Reading, message: str, part: Row, said: str, at: int | None) -> None:
    """A text that the client, or a program through it, marks as nobody's words."""
    if table(part, "metadata").get("memd") is True:
        _say(reading, message, part, at, delivery.injection(), said)
        return
    answer = delivery.synthetic(said) if part.get("synthetic") else delivery.client()
    job = _JOB.match(said) if answer[0] is Channel.BACKGROUND_NOTIFICATION else None
    if job is None:
        _say(reading, message, part, at, answer, excerpt(said, HARNESS))
    else:
        _say(reading, message, part, at, answer, said, job=job[1], status=job[2])


def _prompt(reading: Reading, message: str, part: Row, said: str, at: int | None) -> None:
    """Words that nothing marks: a prompt, or the template that a command was expanded to."""
    run, ident = reading.state.run, string(part, "id")
    key = reading.of or ident
    reading.state = changed(reading.state, run=False, asked=f"{_digest(said)} {key}")
    _offer(reading, message, [key, "run" if run else "prompt", ident], at, said)


def subtask(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A task that somebody, or a command's template, gives straight to a sub-agent."""
    said = string(part, "prompt")
    if not said:
        return
    reading.remember(message, spoken=True)
    if string(part, "command"):
        _expanded(reading, message, reading.of or string(part, "id"), at, said)
        return
    _offer(reading, message, [reading.of or string(part, "id"), "prompt", ""], at, said)


def _offer(reading: Reading, message: str, offer: Offer, at: int | None, said: str) -> None:
    """A prompt, which the plugin's word may still show to be a command's template, or whose it is."""
    known = reading.message(message) or {}
    if table(known, "command"):
        _expanded(reading, message, offer[0], at, said)
        return
    reading.say(message, offer[0], at, _speaker(reading, known, offer), said)
    reading.remember(message, offered=[*known.get("offered", ()), offer])


def _speaker(reading: Reading, known: Row, offer: Offer) -> Answer:
    """Who a prompt is from. The plugin names the parts that came with it: one that came later is another plugin's.

    Where it names none, no prompt made the message: it tells the process of a shell command, and nothing about words.
    """
    _, what, ident = offer
    child, who, parts = reading.state.child, string(known, "kind"), known.get("typed", ())
    if what == "shell":
        return delivery.shell(child=child, kind=who)
    if not child and ident and parts and ident not in parts:
        return delivery.client()
    way = Delivery(string(known, "way") or Delivery.PROMPT)
    return delivery.prompt(child=child, kind=who if parts else "", run=what == "run", way=way)


def _expanded(reading: Reading, message: str, key: str, at: int | None, said: str) -> None:
    """A template, and behind it what was said with the command, once."""
    reading.say(message, key, at, delivery.client(), excerpt(said, HARNESS), **_named(reading, message))
    _arguments(reading, message, at)


def _named(reading: Reading, message: str) -> dict[str, Any]:
    return {"command": string(table(reading.message(message) or {}, "command"), "name")}


def _arguments(reading: Reading, message: str, at: int | None) -> None:
    known = reading.message(message) or {}
    words = string(table(known, "command"), "arguments").strip()
    if words and not known.get("argued"):
        reading.remember(message, argued=True)
        answer = delivery.command(child=reading.state.child, kind=kind(reading, message))
        reading.say(message, f"{message}:command", at, answer, words, **_named(reading, message))


def arrived(reading: Reading, answer: str, finish: str) -> None:
    """An answer has ended: what was typed meanwhile goes into the same turn if that goes on, else it makes one of its own."""
    way = Delivery.STEERED if finish == GOES_ON else Delivery.QUEUED
    for message, known in list(reading.state.messages.items()):
        if known.get("during") == answer:
            reading.remember(message, way=way, during="")
            if string(known, "kind") == delivery.SCREEN:
                noted(reading, message)


def noted(reading: Reading, message: str) -> None:
    """What became known of a message whose rows were read before: the entries become what they would have been."""
    known = reading.message(message) or {}
    expanded = bool(table(known, "command"))
    for offer in known.get("offered", ()):
        channel, grade = delivery.client() if expanded else _speaker(reading, known, offer)
        reading.events.append(Amend(offer[0], channel=channel, grade=grade))
    if known.get("offered") and expanded:
        _arguments(reading, message, known.get("at"))


def retracted(reading: Reading, message: str) -> None:
    """Copied prompts that a fork has taken out again: its own conversation never had them."""
    channel, grade = delivery.client()
    offers = (reading.message(message) or {}).get("offered", ())
    reading.events.extend(Amend(offer[0], channel=channel, grade=grade) for offer in offers)


def shell(reading: Reading, message: str, key: str) -> Answer:
    """Whose a command is that was run beside the agent, with the user's message that stands before it."""
    known, offer = reading.message(message) or {}, [key, "shell", ""]
    reading.remember(message, offered=[*known.get("offered", ()), offer])
    return _speaker(reading, known, offer)


def kind(reading: Reading, message: str) -> str:
    """What kind of process a message came in through, where the plugin told."""
    return string(reading.message(message) or {}, "kind")


def file(reading: Reading, message: str, part: Row, at: int | None) -> None:
    """A file beside the words; its content is a text of the client's, or an image."""
    name = string(part, "filename") or string(part, "url")[:200].partition(",")[0]
    if name:
        _say(reading, message, part, at, delivery.client(), f"[file: {name}]", mime=string(part, "mime")[:100])


def compaction(reading: Reading, message: str, part: Row) -> None:
    """A request to summarise the context; the boundary is where its summary is whole."""
    asked = {"auto": part.get("auto") is not False, "overflow": bool(part.get("overflow"))}
    waiting = {**reading.state.compacting, message: asked}
    reading.state = changed(reading.state, compacting=dict(list(waiting.items())[-20:]))
    reading.remember(message, spoken=True)


def _say(reading: Reading, message: str, part: Row, at: int | None, answer: Answer, said: str, **extra: Any) -> None:
    reading.say(message, reading.of or string(part, "id"), at, answer, said, **extra)


def _digest(said: str) -> str:
    return blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()
