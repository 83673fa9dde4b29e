"""The scripted model itself: what tests rely on when they script a conversation."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from .scripted_model import ScriptedModel, Tool, Turn, serving

OFFER = [{"name": "Bash"}]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with serving(ScriptedModel()) as model:
        yield model


def ask(model: ScriptedModel, text: str, **body: Any) -> str:
    """One request; the raw answer."""
    data = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **body}).encode()
    request = urllib.request.Request(f"{model.url}/v1/messages?beta=true", data=data)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def said(answer: str) -> str:
    return json.loads(answer)["content"][0]["text"]


def test_queued_turns_go_to_the_conversation_alone(model: ScriptedModel) -> None:
    """A side request, which offers no tools, uses up no turn; the conversation's next request gets it."""
    model.push(Turn("queued"))

    assert [
        said(ask(model, "a title, please")),
        said(ask(model, "hello", tools=OFFER)),
        said(ask(model, "hello again", tools=OFFER)),
    ] == ["Understood.", "queued", "Understood."]


def test_a_rule_goes_before_the_queue_and_runs_out(model: ScriptedModel) -> None:
    """A rule answers what fits it, as often as it may, and leaves the queue alone."""
    model.push(Turn("queued"))
    model.rule(lambda request: "special" in request.text, Turn("by rule"), times=1)

    assert [said(ask(model, "special", tools=OFFER)) for _ in range(2)] == ["by rule", "queued"]


def test_a_stream_says_the_same_as_a_plain_answer(model: ScriptedModel) -> None:
    """The events carry the text, the tool call, the stop reason and the claimed usage."""
    model.push(Turn("Looking.", (Tool("Bash", {"command": "ls"}),), tokens=90_000))

    lines = ask(model, "look", tools=OFFER, stream=True).splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert deltas == [
        {"type": "text_delta", "text": "Looking."},
        {"type": "input_json_delta", "partial_json": '{"command": "ls"}'},
    ]
    assert events[0]["message"]["usage"]["input_tokens"] == 90_000
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-1] == {"type": "message_stop"}


def test_a_held_turn_is_answered_when_the_test_says_so(model: ScriptedModel) -> None:
    """The request is in the log while its answer is held back."""
    go = threading.Event()
    model.push(Turn("late", until=go))
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(ask(model, "wait", tools=OFFER)))
    asking.start()

    assert model.wait_for(lambda request: request.text == "wait", seconds=10).number == 1
    assert answers == []

    go.set()
    asking.join(10)
    assert [said(answer) for answer in answers] == ["late"]


def test_an_error_turn_is_an_error_of_the_api(model: ScriptedModel) -> None:
    """Its status and words are what the client gets."""
    model.push(Turn("prompt is too long", status=400))

    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(model, "hello", tools=OFFER)

    with refused.value as error:
        assert error.code == 400
        assert json.loads(error.read())["error"]["message"] == "prompt is too long"


def test_waiting_ends_with_an_error(model: ScriptedModel) -> None:
    """A request that never comes fails the test that waits for it, within the limit."""
    ask(model, "something else")

    with pytest.raises(TimeoutError, match="1 came"):
        model.wait_for(lambda request: request.text == "never", seconds=0.2)
