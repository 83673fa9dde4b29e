"""The scripted model for a client that speaks the Responses API: same script, same log, another wire.

`serving_responses` listens like `serving` does; every entry of `requests` is a `ResponsesRequest`, which knows the messages of
the developer role, where hooks' texts arrive, and what the request is for.
"""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Any

from .scripted_model import HOLD_LIMIT, Handler, Request, ScriptedModel, Tool, Turn, serving

SUMMARY_PROMPT = "CONTEXT CHECKPOINT COMPACTION"
PATCH = "apply_patch"


class ResponsesRequest(Request):
    """One call of /v1/responses, as sent."""

    @property
    def items(self) -> list[dict[str, Any]]:
        """The input's items in order."""
        found: list[dict[str, Any]] = self.body.get("input") or []
        return found

    @property
    def texts(self) -> list[str]:
        """Every text of the conversation in order, calls and tool results included."""
        return [text for item in self.items for text in _texts(item)]

    @property
    def given(self) -> list[str]:
        """The texts of the developer role that are memd's, in order."""
        texts = [text for item in self.items if item.get("role") == "developer" for text in _texts(item)]
        return [text for text in texts if "memd" in text]

    @property
    def asks_for_summary(self) -> bool:
        """The client compacts: it wants the conversation in short."""
        return any(SUMMARY_PROMPT in text for text in self.texts[-3:])


def _texts(item: dict[str, Any]) -> Iterator[str]:
    content = item.get("content")
    for piece in content if isinstance(content, list) else [{"text": content}]:
        if isinstance(piece, dict) and isinstance(piece.get("text"), str):
            yield piece["text"]
    for name in ("arguments", "input", "output"):
        if isinstance(item.get(name), str):
            yield item[name]


def serving_responses(model: ScriptedModel) -> AbstractContextManager[ScriptedModel]:
    """Listen on a free port of 127.0.0.1 for the time of the block."""
    model.shape = ResponsesRequest
    return serving(model, _ResponsesHandler)


class _ResponsesHandler(Handler):
    def do_GET(self) -> None:  # noqa: N802  (the base class names it so)
        if self.headers.get("upgrade"):
            self.answer({"error": {"message": "no websockets here"}}, HTTPStatus.UPGRADE_REQUIRED)
        else:
            self.answer({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:  # noqa: N802
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.partition("?")[0].endswith("/responses"):
            self.answer({}, HTTPStatus.NOT_FOUND)
            return
        body = json.loads(raw)
        self._play(self.model.take(body), len(raw) // 4)

    def _play(self, turn: Turn, guess: int) -> None:
        time.sleep(turn.delay)
        if turn.until is not None:
            turn.until.wait(HOLD_LIMIT)
        if turn.status != HTTPStatus.OK:
            self.answer({"error": {"message": turn.text or "scripted", "type": "invalid_request_error"}}, turn.status)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for event in _events(turn, guess):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # the person interrupted the client, or the test ended it
        self.close_connection = True


def _events(turn: Turn, guess: int) -> Iterator[dict[str, Any]]:
    ident = f"{time.time_ns():x}"
    yield {"type": "response.created", "response": {"id": f"resp_{ident}"}}
    items = [_message(turn.text, ident)] if turn.text is not None else []
    items += [_call(tool, f"{ident}{i:02d}") for i, tool in enumerate(turn.tools)]
    for i, item in enumerate(items):
        bare = {**item, "content": []} if item["type"] == "message" else item
        yield {"type": "response.output_item.added", "output_index": i, "item": bare}
        yield {"type": "response.output_item.done", "output_index": i, "item": item}
    read = guess if turn.tokens is None else turn.tokens
    usage = {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + 20,
    }
    done = {"id": f"resp_{ident}", "status": "completed", "output": [], "usage": usage}
    yield {"type": "response.completed", "response": done}


def _message(text: str, ident: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "id": f"msg_{ident}", "status": "completed", "content": content}


def _call(tool: Tool, ident: str) -> dict[str, Any]:
    namespace, _, name = tool.name.rpartition("/")  # a connected server's tools have one
    common = {"call_id": f"call_{ident}", "name": name, "status": "completed"}
    common |= {"namespace": namespace} if namespace else {}
    if tool.name == PATCH:
        return {"type": "custom_tool_call", "id": f"ctc_{ident}", "input": tool.arguments["input"], **common}
    arguments = json.dumps(tool.arguments)
    return {"type": "function_call", "id": f"fc_{ident}", "arguments": arguments, **common}
