"""Tool calls: what Codex's tools do, in the words that all tools share.

The client's own items (`CommandExecution`, `FileChange`, ...; before 2026 `exec_command_end`, `patch_apply_end`, ...) say what
was really done, also inside of a model's JavaScript, and with which result. Where a client keeps none, see `asked`.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from memd.model import Kind, Operation, State
from memd.model.secrets import mask
from memd.tools import patches
from memd.tools.codex import patch
from memd.tools.fields import DETAIL, asked, excerpt, items, short, string, table, whole
from memd.tools.jsonl import clean

Row = Mapping[str, Any]

RESULT = 400
"""Characters of a tool's answer that are kept; the rest is found by the record's pointer into the transcript."""

READ = 100
"""So many files that one command reads are told of."""

_AT_ONCE = msgspec.json.Decoder().decode
_STATES = {"failed": State.FAILED, "declined": State.REFUSED, "in_progress": State.RUNNING}


def output(value: Any) -> str:
    """The text of a result: a string, a list of parts, or (2025) a string of JSON around the text."""
    if isinstance(value, list):
        texts = [string(part, "text") for part in value if isinstance(part, dict)]
        return "\n".join([text for text in texts if text])
    if isinstance(value, dict):
        return output(value.get("content")) or string(value, "output")
    text = value if isinstance(value, str) else ""
    return string(loaded(text), "output") if text.startswith('{"output"') else text


def loaded(text: Any) -> dict[str, Any]:
    """The JSON object that a field of text holds, empty when it is none."""
    if not isinstance(text, str) or text.lstrip()[:1] != "{":
        return {}
    try:
        value = _AT_ONCE(text)
    except (ValueError, RecursionError):
        value = _patiently(text)
    return value if isinstance(value, dict) else {}


def _patiently(text: str) -> Any:
    """Also with what only Python reads: half of a pair of surrogates, which the record cannot hold, is replaced."""
    try:
        return clean(json.loads(text))
    except (ValueError, RecursionError):
        return None


def command(value: Any) -> str:
    """A command as a person would type it, without the shell that the client puts around it."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else ""
    words = [word for word in value if isinstance(word, str)]
    if len(words) == 3 and words[1] in {"-lc", "-c"}:
        return words[2]
    return shlex.join(words)


def done(item: Row, at: int | None) -> list[Operation]:
    """The operations that a completed item tells of; none for an item that is no tool call."""
    build = _ITEMS.get(string(item, "type"))
    return list(build(item, at)) if build and string(item, "id") else []


def _command(item: Row, at: int | None) -> Iterator[Operation]:
    code, status = whole(item, "exit_code"), string(item, "status")
    state = _STATES.get(status) or (State.DONE if code in {0, None} else State.FAILED)
    text = string(item, "aggregated_output") or string(item, "stdout") + string(item, "stderr")
    detail = {} if code is None else {"exit": code}
    name = "!" if string(item, "source") == "user_shell" else "exec_command"
    typed = command(item.get("command"))
    yield Operation(
        string(item, "id"), Kind.COMMAND, name, at, state, mask(typed)[: DETAIL * 2], detail, excerpt(text, RESULT)
    )
    parsed = [one for one in items(item, "parsed_cmd") if isinstance(one, dict)]
    if state is State.DONE and parsed and all(string(one, "type") == "read" for one in parsed):
        for number, one in enumerate(parsed[:READ], 1):
            path = _inside(string(item, "cwd"), string(one, "path") or string(one, "name"))
            shown = {"command": mask(string(one, "cmd"))[:DETAIL]}
            yield Operation(f"{string(item, 'id')}:read:{number}", Kind.READ, name, at, state, path, shown)


def _inside(folder: str, path: str) -> str:
    folder = folder.removeprefix("file://").rstrip("/")
    return path if not folder or not path or path.startswith(("/", "~")) else f"{folder}/{path.removeprefix('./')}"


def _files(item: Row, at: int | None) -> Iterator[Operation]:
    state = _STATES.get(string(item, "status"), State.DONE)
    state = State.FAILED if item.get("success") is False else state
    text = string(item, "stdout") if state is State.DONE else string(item, "stderr") or string(item, "stdout")
    changes = patch.reported(table(item, "changes"))
    yield from patches.operations(string(item, "id"), changes, at, state, excerpt(text, RESULT))


def _mcp(item: Row, at: int | None) -> Iterator[Operation]:
    result = table(item, "result")
    answer = table(result, "Ok") or result
    failed = bool(item.get("error") or result.get("Err")) or string(item, "status") == "failed"
    text = output(answer.get("content")) or string(table(item, "error"), "message") or string(result, "Err")
    name = ".".join(filter(None, (string(item, "server") or string(item, "namespace"), string(item, "tool"))))
    state = State.FAILED if failed else State.DONE
    target = asked(name, table(item, "arguments") or loaded(item.get("arguments")))
    yield Operation(string(item, "id"), Kind.SERVER, name, at, state, target, {}, excerpt(text, RESULT))


def _agent(item: Row, at: int | None) -> Iterator[Operation]:
    tool, prompt = string(item, "tool"), string(item, "prompt")
    others = [one for one in items(item, "receiver_thread_ids") if isinstance(one, str)]
    failed = string(item, "status") == "failed"
    if tool == "spawn_agent":
        state = State.FAILED if failed else State.BACKGROUND
        detail = {"prompt": short(prompt), **({"agent": others[0]} if others else {})}
        yield Operation(string(item, "id"), Kind.AGENT, tool, at, state, line(prompt), detail)
    elif tool == "close_agent":
        state = State.FAILED if failed else State.DONE
        yield Operation(string(item, "id"), Kind.STOP, tool, at, state, others[0] if others else "")


def _activity(item: Row, at: int | None) -> Iterator[Operation]:
    """Sub-agents of the second kind are known by a path, and their work is told by an item of its own."""
    if string(item, "kind") == "started":
        detail = {"agent": string(item, "agent_path") or string(item, "agent_thread_id")}
        yield Operation(string(item, "id"), Kind.AGENT, "spawn_agent", at, State.BACKGROUND, "", detail)


def line(text: str) -> str:
    """The first line of a text, as far as it may name a call."""
    return mask(text.strip().partition("\n")[0])[:200]


def _search(item: Row, at: int | None) -> Iterator[Operation]:
    action = table(item, "action")
    target = string(action, "url") or string(item, "query") or string(action, "query")
    yield Operation(string(item, "id"), Kind.WEB, "web_search", at, State.DONE, target[:DETAIL])


def _image(item: Row, at: int | None) -> Iterator[Operation]:
    yield Operation(string(item, "id"), Kind.READ, "view_image", at, State.DONE, string(item, "path"))


def _plan(item: Row, at: int | None) -> Iterator[Operation]:
    """A plan that the agent proposes. Whether the person takes it is told by what they say next, not here."""
    detail = {"plan": mask(string(item, "text"))[: DETAIL * 4]}
    yield Operation(string(item, "id"), Kind.PLAN, "plan", at, State.RUNNING, "", detail)


_ITEMS = {
    "CommandExecution": _command,
    "FileChange": _files,
    "McpToolCall": _mcp,
    "DynamicToolCall": _mcp,
    "CollabAgentToolCall": _agent,
    "SubAgentActivity": _activity,
    "WebSearch": _search,
    "ImageView": _image,
    "Plan": _plan,
}


_AS_ITEMS = {
    "exec_command_end": "CommandExecution",
    "patch_apply_end": "FileChange",
    "mcp_tool_call_end": "McpToolCall",
    "dynamic_tool_call_response": "DynamicToolCall",
    "web_search_end": "WebSearch",
    "view_image_tool_call": "ImageView",
    "collab_agent_spawn_end": "CollabAgentToolCall",
    "collab_close_end": "CollabAgentToolCall",
    "sub_agent_activity": "SubAgentActivity",
}


def item_of(event: Row) -> Row:
    """The item that an event of a client before 2026 would be now."""
    kind = string(event, "type")
    if kind not in _AS_ITEMS:
        return {}
    more: Row = {}
    if kind == "mcp_tool_call_end":
        more = table(event, "invocation")
    elif kind == "collab_agent_spawn_end":
        others = [string(event, "new_thread_id")] if string(event, "new_thread_id") else []
        more = {"tool": "spawn_agent", "receiver_thread_ids": others, "status": "" if others else "failed"}
    elif kind == "collab_close_end":
        more = {"tool": "close_agent", "receiver_thread_ids": [string(event, "receiver_thread_id")], "status": ""}
    return {**event, "id": string(event, "call_id"), **more, "type": _AS_ITEMS[kind]}


def tells(item: Row) -> bool:
    """Whether a completed item is about a tool call."""
    return string(item, "type") in _ITEMS
