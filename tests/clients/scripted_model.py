"""A stand-in for the Anthropic Messages API: the real client talks to it, and the test decides every answer.

It lives in the test's own process, so there is nothing to configure and nothing to poll over the network: a test queues
`Turn`s, adds `Rule`s and reads `requests`. A request takes the first rule that fits it, else the next queued turn if it
is one of the conversation's own (those offer tools; titles and other side requests do not), else `default`.

A turn can be held until the test lets it go (`Turn.until`): that is how "the person types while the model works" is
made certain, where a delay would only make it likely.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

SUMMARY_PROMPT = "Your task is to create a detailed summary"
HOLD_LIMIT = 120.0  # seconds: a test that forgets to let a turn go shall fail, not hang


@dataclass(frozen=True)
class Tool:
    """One tool call in an answer."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One answer: text, then tool calls.

    Attributes:
        text: What the model says; none when it only calls tools.
        tools: The calls, in order.
        tokens: The input tokens that it claims to have read; None: a guess from the request's size.
        delay: Seconds before it answers.
        until: Answer only when this is set.
        status: Anything but 200 is an error with `text` as its message.
    """

    text: str | None = None
    tools: tuple[Tool, ...] = ()
    tokens: int | None = None
    delay: float = 0.0
    until: threading.Event | None = None
    status: int = HTTPStatus.OK


@dataclass(frozen=True)
class Request:
    """What reached the model: one call of /v1/messages, as sent."""

    number: int
    at: float
    body: dict[str, Any]

    @property
    def offers_tools(self) -> bool:
        """A conversation's own request, or the side request of a client that wants a title or a topic."""
        return bool(self.body.get("tools"))

    @property
    def texts(self) -> list[str]:
        """Every text of the conversation in order, tool results included; not the system prompt."""
        return [text for message in self.body.get("messages", []) for text in _texts(message["content"])]

    @property
    def text(self) -> str:
        """All of `texts` in one."""
        return "\n".join(self.texts)

    @property
    def asks_for_summary(self) -> bool:
        """The client compacts: it wants the conversation in short."""
        return any(SUMMARY_PROMPT in text for text in self.texts[-3:])


def _texts(content: Any) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for block in content:
                yield from _texts(block)
        case {"type": "text", "text": str(text)}:
            yield text
        case {"type": "tool_result", "content": inner}:
            yield from _texts(inner)
        case {"type": "tool_use"}:
            yield json.dumps(content["input"], ensure_ascii=False)


@dataclass
class Rule:
    """Answers every request that fits, `times` often (None: always); a turn may be made from the request."""

    fits: Callable[[Any], bool]
    turn: Turn | Callable[[Any], Turn]
    times: int | None = None


@dataclass
class ScriptedModel:
    """The script and the log; `serving` gives one that listens."""

    rules: list[Rule] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    default: Turn = Turn("Understood.")
    requests: list[Any] = field(default_factory=list)
    shape: type[Request] = Request
    """What the requests are on this wire."""
    url: str = ""
    _lock: threading.Condition = field(default_factory=threading.Condition)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def push(self, *turns: Turn) -> None:
        """Queue answers for the conversation's next requests."""
        with self._lock:
            self.turns.extend(turns)

    def rule(self, fits: Callable[[Any], bool], turn: Turn | Callable[[Any], Turn], times: int | None = None) -> None:
        """Answer requests that fit with this turn, before any rule made earlier."""
        with self._lock:
            self.rules.insert(0, Rule(fits, turn, times))

    def find(self, fits: Callable[[Any], bool], *, after: int = 0) -> Any:
        """The first request behind number `after` that fits."""
        with self._lock:
            return next((r for r in self.requests if r.number > after and fits(r)), None)

    def wait_for(self, fits: Callable[[Any], bool], *, after: int = 0, seconds: float = 60.0) -> Any:
        """The first such request, now or within `seconds`.

        Raises:
            TimeoutError: Names how many requests came instead.
        """
        with self._lock:
            found = self._lock.wait_for(lambda: self.find(fits, after=after), timeout=seconds)
            if found is None:
                raise TimeoutError(f"no such request in {seconds:g} s; {len(self.requests)} came, {after} were skipped")
            return found

    @property
    def latest(self) -> int:
        """The newest request's number, 0 before the first: for `after`."""
        with self._lock:
            return self.requests[-1].number if self.requests else 0

    def take(self, body: dict[str, Any]) -> Turn:
        """Note the request and choose its answer."""
        with self._lock:
            request = self.shape(next(self._numbers), time.monotonic(), body)
            self.requests.append(request)
            self._lock.notify_all()
            for rule in self.rules:
                if rule.times != 0 and rule.fits(request):
                    if rule.times is not None:
                        rule.times -= 1
                    return rule.turn if isinstance(rule.turn, Turn) else rule.turn(request)
            if self.turns and request.offers_tools:
                return self.turns.pop(0)
            return self.default


@contextmanager
def serving(model: ScriptedModel, handler: "type[Handler] | None" = None) -> Iterator[ScriptedModel]:
    """Listen on a free port of 127.0.0.1 for the time of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Serving", (handler or MessagesHandler,), {"model": model}))
    server.daemon_threads = True
    server.block_on_close = False
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="scripted-model")
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    """What any wire needs."""

    protocol_version = "HTTP/1.1"
    model: ScriptedModel

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class names it so)
        """Say nothing: the log is `ScriptedModel.requests`."""

    def do_HEAD(self) -> None:
        self.answer({})

    def do_GET(self) -> None:
        self.answer({"data": [], "has_more": False})

    def answer(self, value: dict[str, Any], status: int = HTTPStatus.OK) -> None:
        """One JSON object, in one piece."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class MessagesHandler(Handler):
    """The Messages API."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self.answer({"input_tokens": len(raw) // 4})
        elif path == "/v1/messages":
            body = json.loads(raw)
            self._play(self.model.take(body), body, len(raw) // 4)
        else:
            self.answer({})

    def _play(self, turn: Turn, body: dict[str, Any], guess: int) -> None:
        time.sleep(turn.delay)
        if turn.until is not None:
            turn.until.wait(HOLD_LIMIT)
        if turn.status != HTTPStatus.OK:
            error = {"type": "invalid_request_error", "message": turn.text or "scripted"}
            self.answer({"type": "error", "error": error}, turn.status)
            return
        message = _message(turn, body, guess)
        try:
            if body.get("stream"):
                self._stream(message)
            else:
                self.answer(message)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the person interrupted the client, or the test ended it

    def _stream(self, message: dict[str, Any]) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in _events(message):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.close_connection = True


def _message(turn: Turn, body: dict[str, Any], guess: int) -> dict[str, Any]:
    ident = f"{time.time_ns():x}"
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text is not None else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{ident}{i:02d}", "name": tool.name, "input": tool.arguments}
        for i, tool in enumerate(turn.tools)
    ]
    return {
        "id": f"msg_{ident}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if turn.tools else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": guess if turn.tokens is None else turn.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
        },
    }


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same message as the stream of events that the API would send."""
    blocks, stop, usage = message["content"], message["stop_reason"], message["usage"]
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for i, block in enumerate(blocks):
        if block["type"] == "text":
            head, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            head, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        yield {"type": "content_block_start", "index": i, "content_block": head}
        yield {"type": "content_block_delta", "index": i, "delta": delta}
        yield {"type": "content_block_stop", "index": i}
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}
