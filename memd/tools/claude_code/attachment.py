"""Attachment rows: what the client puts beside a message. Hook output, queued words, listings, files, the model."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from memd.model import Envelope, Gap, Origin, Receipt, Wrapper, marks
from memd.provenance import classify
from memd.tools.claude_code import delivery, known, queue
from memd.tools.claude_code.reading import HARNESS, Reading, Row
from memd.tools.fields import excerpt, flat, items, string, table

_SILENT = frozenset({"command_permissions", "prompt_snapshot", "total_tokens_reminder"})
_HOOKS = ("hook_", "async_hook_")
_INSTRUCTIONS = frozenset({"environment", "instructions", "session_context"})


def read(reading: Reading, row: Row) -> None:
    """An attachment row."""
    what = table(row, "attachment")
    match string(what, "type"):
        case "hook_additional_context" | "hook_success":
            _hook(reading, row, what, _texts(what))
        case "hook_blocking_error":
            _hook(reading, row, what, [string(table(what, "blockingError"), "blockingError")])
        case "queued_command":
            _queued(reading, row, what)
        case "model":
            model = string(table(what, "identity"), "modelId")
            reading.tell(replace(reading.state.facts, model=model or reading.state.facts.model))
        case kind if kind not in _SILENT:
            _harness(reading, row, what)


def _queued(reading: Reading, row: Row, what: Row) -> None:
    """Words that were taken into the running turn; there is no user row for them."""
    prompt = what.get("prompt")
    envelope, text = delivery.of_queued(row, what), flat(prompt)
    extra = {"host": host} if (host := delivery.host(row, what, envelope)) else {}
    images = _images(prompt)
    if not queue.arrived(reading, text, classify(envelope), host):
        reading.say(reading.key(row), row, envelope, text, **extra, **({"images": images} if images else {}))


def _images(content: Any) -> int:
    blocks = content if isinstance(content, list) else []
    return sum(isinstance(block, dict) and block.get("type") == "image" for block in blocks)


def _harness(reading: Reading, row: Row, what: Row) -> None:
    """A text of the client's own that the model was shown; without one there is nothing to record."""
    shown = "\n".join(flat(block.get("content")) for block in items(row, "rendered") if isinstance(block, dict))
    kind = string(what, "type")
    if kind not in known.ATTACHMENTS:
        reading.events.append(Gap("unknown", f"attachment/{kind}"))
    if shown or kind in _INSTRUCTIONS:
        origin = Origin.INSTRUCTIONS if kind in _INSTRUCTIONS else Origin.CLIENT
        origin = Origin.HOOK if kind.startswith(_HOOKS) else origin
        reading.say(reading.key(row), row, Envelope(origin), excerpt(shown, HARNESS), attachment=kind)


def _texts(what: Row) -> list[str]:
    listed = [text for text in items(what, "content") if isinstance(text, str)]
    return listed or [string(what, "content")]


def _hook(reading: Reading, row: Row, what: Row, texts: list[str]) -> None:
    """A hook's output that went to the model; memd's own is known by its marks and proves its delivery."""
    hook = string(what, "hookName") or string(what, "hookEvent")
    for number, text in enumerate(filter(None, texts), 1):
        own = Wrapper.OWN if marks.own(text) else None
        key = reading.key(row) if number == 1 else f"{reading.key(row)}:{number}"
        reading.say(key, row, Envelope(Origin.HOOK, wrapper=own), text, hook=hook)
        reading.events.extend(_receipt(text, hook, reading.at))


def _receipt(text: str, hook: str, at: int | None) -> Iterator[Receipt]:
    found = marks.find(text)
    if found is not None:
        yield Receipt(at, found.number, found.part, found.parts, found.code, found.session, hook)
