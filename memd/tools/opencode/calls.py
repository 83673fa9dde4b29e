"""Tool calls: what OpenCode's own tools do, in the words that all tools share.

Names and fields as in 1.18.33 (recorded, or read in the client: question, permission refusals, background tasks) and 1.1.65.
A command that failed is `completed` there, its exit code in `metadata.exit`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memd.model import Kind, Operation, State
from memd.model.secrets import mask, masked_in
from memd.tools import patches
from memd.tools.fields import DETAIL, asked, excerpt, flag, flat, items, lines, short, string, table, whole

Row = Mapping[str, Any]

RESULT = 400
"""Characters of a tool's answer that are kept; the rest is found by the record's pointer into the log."""

_KINDS = {
    "read": Kind.READ,
    "edit": Kind.EDIT,
    "multiedit": Kind.EDIT,
    "patch": Kind.EDIT,
    "apply_patch": Kind.EDIT,
    "write": Kind.CREATE,
    "bash": Kind.COMMAND,
    "shell": Kind.COMMAND,
    "grep": Kind.SEARCH,
    "glob": Kind.SEARCH,
    "list": Kind.SEARCH,
    "codesearch": Kind.SEARCH,
    "webfetch": Kind.WEB,
    "websearch": Kind.WEB,
    "todowrite": Kind.TASKS,
    "todoread": Kind.TASKS,
    "question": Kind.ASK,
    "plan_enter": Kind.PLAN,
    "plan_exit": Kind.PLAN,
    "task": Kind.AGENT,
    "skill": Kind.SKILL,
}
_TARGETS = {
    Kind.READ: ("filePath", "path"),
    Kind.EDIT: ("filePath", "path"),
    Kind.CREATE: ("filePath", "path"),
    Kind.COMMAND: ("command",),
    Kind.SEARCH: ("pattern", "query", "path"),
    Kind.WEB: ("url", "query"),
    Kind.AGENT: ("description",),
    Kind.SKILL: ("name",),
}
_DETAILS = {
    Kind.READ: ("offset", "limit"),
    Kind.COMMAND: ("description", "workdir"),
    Kind.SEARCH: ("path", "include"),
    Kind.AGENT: ("prompt", "subagent_type", "background", "command"),
}
_REFUSED = "The user rejected permission to use this specific tool call"
_FEEDBACK = "The user rejected permission to use this specific tool call with the following feedback: "
_DISMISSED = "The user dismissed this question"
_OTHERS = frozenset({Kind.SERVER, Kind.OTHER})
"""Tools of servers and plugins. Their errors are stored word for word (read in 1.18.33), so one may read like a refusal."""
_ABORTED = ("Tool execution aborted", "Tool execution was aborted", "Aborted", "The operation was aborted")


def operations(part: Row, at: int | None) -> tuple[Operation, ...]:
    """The call that a tool part tells of, as far as it has come, a patch as one for each of its files; none before its input."""
    call = operation(part, at)
    changes = patches.written(string(table(table(part, "state"), "input"), "patchText")) if call else []
    if call is None or not changes:
        return () if call is None else (call,)
    return tuple(patches.operations(call.call, changes, at, call.state, call.result))


def operation(part: Row, at: int | None) -> Operation | None:
    """The whole call in one."""
    name, state = string(part, "tool"), table(part, "state")
    call = string(part, "callID") or string(part, "id")
    if not name or not call or string(state, "status") not in {"running", "completed", "error"}:
        return None
    kind = _kind(name)
    given, found = table(state, "input"), table(state, "metadata")
    target = asked(name, given) if kind is Kind.SERVER else _target(kind, given)
    done = _state(kind, state, found)
    result = "" if done is State.RUNNING else excerpt(answer(part), RESULT)
    chosen = {question: short(words) for question, words in answers(part)}
    detail = _detail(kind, given, found) | _outcome(kind, found) | ({"answers": chosen} if chosen else {})
    return Operation(call, kind, name, at, done, target, detail, result)


def _kind(tool: str) -> Kind:
    return _KINDS.get(tool, Kind.SERVER if "_" in tool else Kind.OTHER)


def answer(part: Row) -> str:
    """What a tool answered: its output, or its error."""
    state = table(part, "state")
    return string(state, "error") if string(state, "status") == "error" else flat(state.get("output"))


def _state(kind: Kind, state: Row, found: Row) -> State:
    status, error = string(state, "status"), string(state, "error")
    if status == "running":
        return State.RUNNING
    if status == "error":
        if kind not in _OTHERS and error.startswith((_REFUSED, _DISMISSED)):
            return State.REFUSED
        return State.INTERRUPTED if flag(found, "interrupted") or error.startswith(_ABORTED) else State.FAILED
    if kind is Kind.AGENT and flag(found, "background"):
        return State.BACKGROUND
    return State.FAILED if kind is Kind.COMMAND and (whole(found, "exit") or 0) != 0 else State.DONE


def _target(kind: Kind, given: Row) -> str:
    if kind is Kind.ASK:
        return next((string(one, "question") for one in items(given, "questions") if isinstance(one, dict)), "")[
            :DETAIL
        ]
    return next((string(given, key) for key in _TARGETS.get(kind, ()) if string(given, key)), "")


def _detail(kind: Kind, given: Row, found: Row) -> dict[str, Any]:
    kept = ((key, short(given.get(key))) for key in _DETAILS.get(kind, ()))
    detail: dict[str, Any] = {key: value for key, value in kept if value is not None and value != ""}
    match kind:
        case Kind.EDIT:
            edits: list[Row] = [one for one in items(given, "edits") if isinstance(one, dict)] or [given]
            old, new = (string(edits[0], name) for name in ("oldString", "newString"))
            whole_lines = "\n".join(row[1:] for row in string(found, "diff").splitlines() if row[:1] in "-+")
            old, new = (
                masked_in(piece, whole_lines) for piece in (old, new)
            )  # a piece of a line may have lost a secret's name
            detail |= {"old": short(old), "new": short(new), "edits": len(edits)}
        case Kind.CREATE:
            text = string(given, "content")
            detail |= {"new": short(text), "lines": lines(text)}
        case Kind.ASK:
            detail |= {"questions": [short(question) for question in questions(given)]}
        case Kind.TASKS:
            detail |= {"items": _tasks(given, found)} if items(given, "todos") or items(found, "todos") else {}
        case _:
            pass
    return detail


def _outcome(kind: Kind, found: Row) -> dict[str, Any]:
    """What the result adds: how a command ended, whether a written file was there before, who goes on working."""
    match kind:
        case Kind.COMMAND if (code := whole(found, "exit")) is not None:
            return {"exit": code}
        case Kind.CREATE if flag(found, "exists"):
            return {"existed": True}
        case Kind.AGENT:
            agent = string(found, "sessionId")
            job = (string(found, "jobId") or agent) if flag(found, "background") else ""
            return {name: value for name, value in (("agent", agent), ("job", job)) if value}
        case Kind.SKILL if folder := string(found, "dir"):
            return {"path": f"{folder.rstrip('/')}/SKILL.md"}
        case _:
            return {}


def _tasks(given: Row, found: Row) -> list[dict[str, str]]:
    listed = [one for one in items(found, "todos") or items(given, "todos") if isinstance(one, dict)]
    return [
        {"id": str(n), "text": mask(string(one, "content"))[:DETAIL], "status": string(one, "status") or "pending"}
        for n, one in enumerate(listed, 1)
    ]


def questions(given: Row) -> list[str]:
    """The agent's questions."""
    return [string(one, "question") for one in items(given, "questions") if isinstance(one, dict)]


def answers(part: Row) -> Iterator[tuple[str, str]]:
    """Each question of a question call with what was answered; silence is no answer."""
    state = table(part, "state")
    if string(part, "tool") != "question" or string(state, "status") != "completed":
        return
    chosen = items(table(state, "metadata"), "answers")
    for question, one in zip(questions(table(state, "input")), chosen, strict=False):
        words = ", ".join(word for word in one if isinstance(word, str)) if isinstance(one, list) else ""
        if words.strip():
            yield question, words


def stopped(part: Row) -> bool:
    """Whether an error reads like a refusal, behind which the client ends the turn; whose it is, no one can tell."""
    return string(table(part, "state"), "error").startswith((_REFUSED, _DISMISSED))


def refusal(part: Row) -> str:
    """The words of a refusal, empty where none were given, and where a server's or plugin's tool may have made them up."""
    state = table(part, "state")
    if _kind(string(part, "tool")) in _OTHERS:
        return ""
    error = string(state, "error") if string(state, "status") == "error" else ""
    return error.removeprefix(_FEEDBACK).strip() if error.startswith(_FEEDBACK) else ""
