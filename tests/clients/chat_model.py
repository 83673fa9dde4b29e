"""The scripted model for a client that speaks the chat-completions API: same script, same log, another wire.

`serving_chat` listens like `serving` does; every entry of `requests` is a `ChatRequest`, which knows the system messages
and what the request is for.
"""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Any

from .scripted_model import HOLD_LIMIT, Handler, Request, ScriptedModel, Turn, serving

TITLE = "You are a title generator"
SUMMARISER = "You are a context summarization agent"


class ChatRequest(Request):
    """One call of /v1/chat/completions, as sent."""

    @property
    def systems(self) -> list[str]:
        """The system messages in order."""
        return [text for m in self.body["messages"] if m["role"] == "system" for text in _texts(m["content"])]

    @property
    def texts(self) -> list[str]:
        """Every text of the conversation in order, calls and tool results included; not the system messages."""
        messages = [message for message in self.body["messages"] if message["role"] != "system"]
        return [text for message in messages for text in (*_texts(message.get("content")), *_calls(message))]

    @property
    def asks_for_title(self) -> bool:
        """The client wants a name for the conversation."""
        return any(system.startswith(TITLE) for system in self.systems)

    @property
    def asks_for_summary(self) -> bool:
        """The client compacts: it wants the conversation in short."""
        return any(SUMMARISER in system for system in self.systems)

    @property
    def talks(self) -> bool:
        """The conversation's own request, of a session or of a sub-agent."""
        return not (self.asks_for_title or self.asks_for_summary)


def _texts(content: Any) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            yield from (piece["text"] for piece in content if piece.get("type") == "text")


def _calls(message: dict[str, Any]) -> Iterator[str]:
    return (call["function"]["arguments"] for call in message.get("tool_calls") or [])


def serving_chat(model: ScriptedModel) -> AbstractContextManager[ScriptedModel]:
    """Listen on a free port of 127.0.0.1 for the time of the block."""
    model.shape = ChatRequest
    return serving(model, _ChatHandler)


class _ChatHandler(Handler):
    def do_POST(self) -> None:  # noqa: N802  (the base class names it so)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw)
        self._play(self.model.take(body), body, len(raw) // 4)

    def _play(self, turn: Turn, body: dict[str, Any], guess: int) -> None:
        time.sleep(turn.delay)
        if turn.until is not None:
            turn.until.wait(HOLD_LIMIT)
        if turn.status != HTTPStatus.OK:
            error = {"message": turn.text or "scripted", "type": "invalid_request_error"}
            self.answer({"error": error}, turn.status)
            return
        try:
            if body.get("stream"):
                self._stream(turn, body, guess)
            else:
                self.answer(_whole(turn, body, guess))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the person interrupted the client, or the test ended it

    def _stream(self, turn: Turn, body: dict[str, Any], guess: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in _chunks(_whole(turn, body, guess)):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _whole(turn: Turn, body: dict[str, Any], guess: int) -> dict[str, Any]:
    ident = f"{time.time_ns():x}"
    calls = [
        {
            "id": f"call_{ident}{i:02d}",
            "type": "function",
            "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)},
        }
        for i, tool in enumerate(turn.tools)
    ]
    message = {"role": "assistant", "content": turn.text} | ({"tool_calls": calls} if calls else {})
    read = guess if turn.tokens is None else turn.tokens
    return {
        "id": f"chatcmpl-{ident}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": read, "completion_tokens": 20, "total_tokens": read + 20},
    }


def _chunks(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same answer as the stream of chunks that the API would send."""
    (choice,) = whole["choices"]
    message, usage = choice["message"], whole["usage"]
    base = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if message["content"]:
        deltas.append({"content": message["content"]})
    deltas += [{"tool_calls": [{"index": i, **call}]} for i, call in enumerate(message.get("tool_calls", []))]
    for delta in deltas:
        yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], "usage": usage}
