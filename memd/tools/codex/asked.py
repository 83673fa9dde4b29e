"""The agent's own calls and their results, for what the client's items do not tell.

Clients of 2025 and most of 2026 keep few items, or none; then function calls and the texts of their results have to do. Only
names that cannot mean anything else are read, and nothing of a model's JavaScript (`exec`).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from memd.later import pattern
from memd.model import Kind, Operation, State
from memd.model.secrets import mask
from memd.tools import patches
from memd.tools.codex.calls import RESULT, command, line, loaded
from memd.tools.fields import DETAIL, excerpt, items, short, string, table, whole

Row = Mapping[str, Any]

_EXIT = pattern(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\b", re.MULTILINE)
_JOB = pattern(r"^Process running with session ID (\d{1,12})\b", re.MULTILINE)
_HEAD = 600
"""What the client puts before a command's output lies within so many characters."""
_REFUSED = ("rejected by user", "exec command rejected", "patch rejected")
_STOPPED = pattern(r"(?:wall time: [0-9.]+ seconds\n)?aborted\b")


def started(item: Row, at: int | None) -> Operation | None:
    """The call that an item makes, if its name is known."""
    call, name = string(item, "call_id") or string(item, "id"), string(item, "name")
    name = "local_shell" if string(item, "type") == "local_shell_call" else name
    build = _CALLS.get(name)
    if build is None or not call:
        return None
    given = table(item, "action") or table(item, "arguments") or loaded(item.get("arguments"))
    kind, target, detail = build({**given, "input": string(item, "input") or string(given, "input")})
    return Operation(call, kind, "apply_patch" if kind is Kind.EDIT else name, at, State.RUNNING, target, detail)


_Call = tuple[Kind, str, dict[str, Any]]
"""What a call does, what it is about, and its details."""


def _shell(given: Row) -> _Call:
    typed = command(given.get("cmd") or given.get("command"))
    if "apply_patch" in typed[:_HEAD] and patches.written(typed):
        return _patch({"input": typed})
    why = string(given, "justification")
    return Kind.COMMAND, mask(typed)[: DETAIL * 2], {"description": short(why)} if why else {}


def _patch(given: Row) -> _Call:
    """A patch that is under way: its files are told when its result is known."""
    return Kind.EDIT, "", {"patch": mask(string(given, "input") or string(given, "patch"))[: DETAIL * 10]}


def _steps(given: Row) -> _Call:
    listed = [one for one in items(given, "plan") if isinstance(one, dict)]
    steps = [
        {"id": str(number), "text": mask(string(one, "step"))[:DETAIL], "status": string(one, "status") or "pending"}
        for number, one in enumerate(listed[: patches.FILES], 1)
    ]
    return Kind.TASKS, "", {"steps": steps}


def _question(given: Row) -> _Call:
    questions = [string(one, "question") for one in items(given, "questions") if isinstance(one, dict)]
    return Kind.ASK, "", {"questions": [short(one) for one in questions]}


def _spawn(given: Row) -> _Call:
    prompt = string(given, "message")
    return Kind.AGENT, line(prompt), {"prompt": short(prompt)}


def _close(given: Row) -> _Call:
    return Kind.STOP, string(given, "id") or string(given, "target"), {}


def _look(given: Row) -> _Call:
    job = whole(given, "session_id")
    return Kind.OTHER, "" if job is None else str(job), {}


def _view(given: Row) -> _Call:
    return Kind.READ, string(given, "path"), {}


_CALLS: dict[str, Callable[[Row], _Call]] = {
    **dict.fromkeys(("container.exec", "exec_command", "local_shell", "shell", "shell_command"), _shell),
    "apply_patch": _patch,
    "close_agent": _close,
    "request_user_input": _question,
    "spawn_agent": _spawn,
    "update_plan": _steps,
    "view_image": _view,
    "write_stdin": _look,
}


def kept(text: str) -> tuple[str, str]:
    """What is kept of a result's text as an entry, and what the call keeps: the same without the client's own lines."""
    body = _body(text)
    short = excerpt(body, RESULT)
    return text[: len(text) - len(body)] + short, short


class Result(NamedTuple):
    """What a tool answered: the item's field, its text, and what of that is kept."""

    value: Any
    text: str
    printed: str


def finished(call: str, begun: Row, result: Result, at: int | None) -> list[Operation]:
    """The call that began so with its result, where no item of the client's told of it before."""
    value, text, printed = result
    kind, exits = Kind(begun["kind"]), _exit(value, text)
    state = _state(text, exits)
    if kind is Kind.EDIT:
        changes = patches.written(begun["detail"].get("patch", ""))
        return list(patches.operations(call, changes, at, state, printed))
    detail = dict(begun["detail"])
    match kind:
        case Kind.COMMAND:
            if exits is not None:
                detail["exit"] = exits
            elif job := _JOB.search(_head(text)):
                detail["job"], state = job[1], State.BACKGROUND
        case Kind.TASKS:
            steps = detail.pop("steps", [])
            state = State.FAILED if text.startswith("unsupported call") else state
            detail |= {"items": steps} if state is State.DONE else {}
        case Kind.ASK:
            state = State.DONE if table(loaded(value), "answers") else State.FAILED
        case Kind.AGENT:
            named = loaded(value)
            agent = string(named, "agent_id") or string(named, "task_name")
            detail |= {"agent": agent} if agent else {}
            state = State.BACKGROUND if agent else State.FAILED
        case _:
            pass
    return [Operation(call, kind, begun["name"], at, state, begun["target"], detail, printed)]


def _body(text: str) -> str:
    """What a command itself printed: the client writes some lines of its own before it."""
    head, found, body = text.partition("\nOutput:\n")
    return body if found and len(head) < _HEAD else text


def _head(text: str) -> str:
    """The client's own lines before what a command printed."""
    return text[:_HEAD].partition("\nOutput:")[0]


def _exit(value: Any, text: str) -> int | None:
    told = whole(table(loaded(value), "metadata"), "exit_code")
    if told is not None:
        return told
    found = _EXIT.search(_head(text))
    return int(found[1]) if found else None


def _state(text: str, exits: int | None) -> State:
    if exits is not None:
        return State.FAILED if exits else State.DONE
    head = text[:_HEAD].lower()
    if any(word in head for word in _REFUSED):
        return State.REFUSED
    if _STOPPED.match(head):
        return State.INTERRUPTED
    return State.FAILED if head.startswith(("exec_command failed", "apply_patch verif")) else State.DONE


def exited(text: str) -> int | None:
    """The exit code of a background command, where a later look at it tells that it ended."""
    return _exit("", text)
