"""Tool calls: what Claude Code's own tools do, in the words that all tools share.

Names and fields of inputs and results as in the client's published `sdk-tools.d.ts` (2.1.332) and in transcripts from 2.1.5 on.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from memd.model import Kind, Operation, State
from memd.model.secrets import mask, masked_in
from memd.tools.claude_code import jobs
from memd.tools.fields import DETAIL, asked, flag, flat, items, lines, short, string, table

Row = Mapping[str, Any]

RESULT = 400
"""Characters of a tool's answer that are kept; the rest is found by the record's pointer into the transcript."""

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
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_DENIALS = (2, 1, 332)
"""From this version on a refusal is known to have the client's own field."""
_EXIT = re.compile(r"\AExit code (\d{1,3})\b")
_SILENT = ("(Bash completed with no output)",)
"""What the client puts where a command printed nothing (seen in 2.1.332)."""
_REFUSAL = "The user doesn't want to proceed with this tool use."
_SAID = "the user said:\n"
_CLIENT_WORDS = ("The user wants to clarify these questions.",)
"""What the client itself puts behind `the user said:` when the person chose to talk instead of answering (seen in 2.1.45)."""


def started(block: Row, at: int | None) -> Operation | None:
    """The call that a `tool_use` block makes."""
    call, name = string(block, "id"), string(block, "name")
    if not call or not name:
        return None
    given = table(block, "input")
    kind = _KINDS.get(name, Kind.SERVER if name.startswith("mcp__") else Kind.OTHER)
    named = next((string(given, key) for key in _TARGETS.get(kind, ()) if string(given, key)), "")
    target = asked(name, given) if kind is Kind.SERVER else named
    return Operation(call, kind, name, at, State.RUNNING, target, _detail(kind, given))


def _detail(kind: Kind, given: Row) -> dict[str, Any]:
    kept = ((key, short(given.get(key))) for key in _DETAILS.get(kind, ()))
    detail: dict[str, Any] = {key: value for key, value in kept if value is not None and value != ""}
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


def finished(call: Operation, row: Row, block: Row, at: int | None, kept: str) -> Operation:
    """The call with its result, of which `kept` is kept; `row` is the user row that carries the `tool_result` block."""
    text, result = flat(block.get("content")), row.get("toolUseResult")
    known = result if isinstance(result, dict) else {}
    state = _state(row, block, known)
    detail: dict[str, Any] = {**call.detail, **_answered(known), **jobs.ended(known), **_unnamed(call, known)}
    if call.kind is Kind.COMMAND and (code := _EXIT.match(text)):
        detail["exit"] = int(code[1])
    elif call.kind is Kind.COMMAND and state is State.DONE:
        detail["exit"] = 0
    kept = "" if text.strip() in _SILENT else kept
    return Operation(call.call, call.kind, call.name, at, state, call.target, detail, kept)


def _unnamed(call: Operation, known: Row) -> dict[str, Any]:
    """The pieces of an edit without the secrets that only the whole lines, which the result has, show to be some."""
    hunks = [hunk for hunk in items(known, "structuredPatch") if isinstance(hunk, dict)]
    rows = [row for hunk in hunks for row in items(hunk, "lines") if isinstance(row, str)]
    lines = "\n".join(row[1:] for row in rows if row.startswith(("-", "+")))
    pieces = {name: call.detail.get(name) for name in ("old", "new")} if lines and call.kind is Kind.EDIT else {}
    return {name: masked_in(piece, lines) for name, piece in pieces.items() if isinstance(piece, str)}


def _state(row: Row, block: Row, known: Row) -> State:
    if refused(row, block):
        began = string(row, "toolDenialKind") and not flag(row, "toolDenialBeforeRun")
        return State.INTERRUPTED if began else State.REFUSED
    if flag(known, "interrupted"):
        return State.INTERRUPTED
    if flag(block, "is_error"):
        return State.FAILED
    if flag(known, "isAsync") or string(known, "backgroundTaskId") or string(known, "shellId"):
        return State.BACKGROUND
    return State.DONE


def _answered(known: Row) -> dict[str, Any]:
    """What a structured result adds: ids of what goes on, answers, plans, when a schedule fires."""
    found: dict[str, Any] = {}
    named = (("job", "backgroundTaskId"), ("job", "shellId"), ("agent", "agentId"), ("output", "outputFile"))
    found |= {name: string(known, key) for name, key in named if string(known, key)}
    found |= {name: short(known[name]) for name in ("id", "humanSchedule", "scheduledFor", "numLines") if name in known}
    if string(known, "type") == "update" and "originalFile" in known:  # a Write over a file that was there
        found |= {"existed": True, "old": short(string(known, "originalFile"))}
    if string(known, "plan"):
        found["plan"] = mask(string(known, "plan"))[: DETAIL * 4]
    if table(known, "answers"):
        found["answers"] = {str(q): short(a) for q, a in table(known, "answers").items()}
    if string(table(known, "file"), "filePath"):
        shown = table(known, "file")
        found |= {name: short(shown.get(name)) for name in ("startLine", "numLines", "totalLines")}
    return found


def release(version: str) -> tuple[int, ...]:
    """A client's version as numbers that can be compared; nothing for what is none."""
    found = _VERSION.match(version)
    return tuple(int(part) for part in found.groups()) if found else ()


def refused(row: Row, block: Row) -> bool:
    """Whether the person said no: the client's own field, or in clients without it the fixed text of its whole answer.

    The result of a tool cannot pass for it: a failed command's text begins with its exit code, and a client that has the
    field (measured on 2.1.332) writes it for each refusal.
    """
    if string(table(row, "permissionDecision"), "source") == "config":
        return False  # nobody was asked: a headless run denies what its settings do not allow (measured on 2.1.332)
    if string(row, "toolDenialKind"):
        return string(row, "toolDenialKind") == "user-rejected" and not row.get("toolDenialUnanswered")
    if string(row, "promptSource") or table(row, "permissionDecision") or not flag(block, "is_error"):
        return False
    if release(string(row, "version")) >= _DENIALS:
        return False
    return flat(block.get("content")).startswith(_REFUSAL)


def refusal_words(row: Row, block: Row) -> str:
    """The person's own words in a refusal, empty when they gave none.

    They have a field of their own, `userFeedback` (read in 2.1.332); else they stand behind the client's fixed text.
    """
    if not refused(row, block):
        return ""
    if string(row, "userFeedback").strip():
        return string(row, "userFeedback")
    words = flat(block.get("content")).partition(_SAID)[2].strip()
    return "" if words.startswith(_CLIENT_WORDS) else words


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
