"""Tool calls: what Claude Code's own tools do, in the words that all tools share (their results: `results`).

Names and fields of inputs and results as in the client's published `sdk-tools.d.ts` (2.1.332) and in transcripts from 2.1.5 on.
"""

from collections.abc import Callable, Mapping
from typing import Any

from memd.model import Kind, Operation, State
from memd.model.secrets import mask
from memd.tools.fields import DETAIL, asked, items, lines, short, string, table

Row = Mapping[str, Any]

_KINDS = {
    "Read": Kind.READ,
    "NotebookRead": Kind.READ,
    "Edit": Kind.EDIT,
    "MultiEdit": Kind.EDIT,
    "NotebookEdit": Kind.EDIT,
    "Write": Kind.CREATE,
    "Bash": Kind.COMMAND,
    "PowerShell": Kind.COMMAND,
    "Monitor": Kind.COMMAND,
    "Glob": Kind.SEARCH,
    "Grep": Kind.SEARCH,
    "LS": Kind.SEARCH,
    "WebFetch": Kind.WEB,
    "WebSearch": Kind.WEB,
    "TodoWrite": Kind.TASKS,
    "TaskCreate": Kind.TASKS,
    "TaskUpdate": Kind.TASKS,
    "TaskList": Kind.TASKS,
    "AskUserQuestion": Kind.ASK,
    "ExitPlanMode": Kind.PLAN,
    "Agent": Kind.AGENT,
    "Task": Kind.AGENT,
    "Skill": Kind.SKILL,
    "CronCreate": Kind.SCHEDULE,
    "ScheduleWakeup": Kind.SCHEDULE,
    "CronDelete": Kind.STOP,
    "TaskStop": Kind.STOP,
    "KillShell": Kind.STOP,
    "KillBash": Kind.STOP,
}
_TARGETS = {
    Kind.READ: ("file_path", "notebook_path"),
    Kind.EDIT: ("file_path", "notebook_path"),
    Kind.CREATE: ("file_path",),
    Kind.COMMAND: ("command",),
    Kind.SEARCH: ("pattern", "path"),
    Kind.WEB: ("url", "query"),
    Kind.TASKS: ("subject", "taskId"),
    Kind.AGENT: ("description",),
    Kind.SKILL: ("skill", "command"),
    Kind.SCHEDULE: ("cron", "reason"),
    Kind.STOP: ("task_id", "shell_id", "id"),
}
_DETAILS = {
    Kind.READ: ("offset", "limit"),
    Kind.COMMAND: ("description", "run_in_background"),
    Kind.SEARCH: ("path", "glob"),
    Kind.AGENT: ("prompt", "subagent_type"),
    Kind.SKILL: ("args",),
    Kind.SCHEDULE: ("prompt", "cron", "delaySeconds", "recurring"),
    Kind.PLAN: ("plan",),
}


def started(block: Row, at: int | None) -> Operation | None:
    """The call that a `tool_use` block makes."""
    call, name = string(block, "id"), string(block, "name")
    if not call or not name:
        return None
    given = table(block, "input")
    kind = _KINDS.get(name) or (Kind.SERVER if name.startswith("mcp__") else Kind.OTHER)
    target = asked(name, given) if kind is Kind.SERVER else _target(kind, given)
    return Operation(call, kind, name, at, State.RUNNING, target, _detail(kind, given))


def _target(kind: Kind, given: Row) -> str:
    for key in _TARGETS.get(kind, ()):
        if target := string(given, key):
            return target
    return ""


def _detail(kind: Kind, given: Row) -> dict[str, Any]:
    detail: dict[str, Any] = {}
    for key in _DETAILS.get(kind, ()):
        value = short(given.get(key))
        if value is not None and value != "":
            detail[key] = value
    match kind:
        case Kind.EDIT:
            edits = items(given, "edits") or [given]
            pieces = [edit for edit in edits if isinstance(edit, dict)]
            old, new = ("\n".join(filter(None, map(piece, pieces))) for piece in (_old, _new))
            detail |= {"old": short(old), "new": short(new), "edits": len(edits)}
        case Kind.CREATE:
            text = string(given, "content")
            detail |= {"new": short(text), "lines": lines(text)}
        case Kind.ASK:
            asked = [string(q, "question") for q in items(given, "questions") if isinstance(q, dict)]
            detail |= {"questions": [short(question) for question in asked]}
        case _:
            pass
    return detail


def _old(edit: Row) -> str:
    return string(edit, "old_string")


def _new(edit: Row) -> str:
    return string(edit, "new_string") or string(edit, "new_source")


Tasks = Mapping[str, Mapping[str, str]]


def task_input(given: Row) -> dict[str, Any]:
    """Of the input of a task call what is needed once its result is known."""
    todos = [
        {key: string(e, key) for key in ("content", "status")} for e in items(given, "todos") if isinstance(e, dict)
    ]
    kept = {key: string(given, key) for key in ("subject", "taskId", "status") if string(given, key)}
    return {**kept, "todos": todos} if todos else kept


def tasks_after(tasks: Tasks, operation: Operation, row: Row, given: Row) -> Tasks:
    """The agent's task list after one of its task calls; unchanged when the call failed."""
    if operation.state is not State.DONE:
        return tasks
    known = table(row, "toolUseResult")
    change: Callable[[Tasks, Row, Row], Tasks] | None = {
        "TodoWrite": _todo,
        "TaskCreate": _create,
        "TaskUpdate": _update,
        "TaskList": _list,
    }.get(operation.name)
    return change(tasks, given, known) if change else tasks


def _todo(_: Tasks, given: Row, known: Row) -> Tasks:
    listed = items(known, "newTodos") or items(given, "todos")
    entries = [entry for entry in listed if isinstance(entry, dict)]
    return {str(n): _task(string(e, "content"), string(e, "status")) for n, e in enumerate(entries, 1)}


def _create(tasks: Tasks, given: Row, known: Row) -> Tasks:
    made = table(known, "task")
    ident = string(made, "id") or str(len(tasks) + 1)
    return {**tasks, ident: _task(string(made, "subject") or string(given, "subject"), "pending")}


def _update(tasks: Tasks, given: Row, known: Row) -> Tasks:
    ident = string(given, "taskId") or string(known, "taskId")
    status = string(given, "status")
    if status == "deleted":
        return {key: task for key, task in tasks.items() if key != ident}
    old = tasks.get(ident, {"text": string(given, "subject"), "status": "pending"})
    return {**tasks, ident: _task(string(given, "subject") or old["text"], status or old["status"])}


def _list(tasks: Tasks, _: Row, known: Row) -> Tasks:
    """A full listing restates the list; an empty one is no proof that nothing is left, so it changes nothing."""
    entries = [entry for entry in items(known, "tasks") if isinstance(entry, dict) and string(entry, "id")]
    return {string(e, "id"): _task(string(e, "subject"), string(e, "status")) for e in entries} or tasks


def _task(text: str, status: str) -> dict[str, str]:
    return {"text": mask(text)[:DETAIL], "status": status or "pending"}
