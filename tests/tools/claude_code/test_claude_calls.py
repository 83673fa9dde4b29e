"""The agent's tool calls in the words that all tools share."""

import pytest
from claude_rows import agent, attachment, call, chained, play, read, result

from memd.model import Kind, State
from memd.model.secrets import stand_in


def run(name, given, text="ok", *, known=None, error=False, **fields):
    """One call with its result, as last known."""
    rows = chained(
        agent(call(name, "t", **given), stop="tool_use"), result(text, "t", error=error, known=known, **fields)
    )
    return read(*rows).calls[0]


@pytest.mark.parametrize(
    ("name", "given", "kind", "target"),
    [
        ("Read", {"file_path": "/w/a.py"}, Kind.READ, "/w/a.py"),
        ("NotebookRead", {"notebook_path": "/w/a.ipynb"}, Kind.READ, "/w/a.ipynb"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "1", "new_string": "2"}, Kind.EDIT, "/w/a.py"),
        ("MultiEdit", {"file_path": "/w/a.py", "edits": []}, Kind.EDIT, "/w/a.py"),
        ("NotebookEdit", {"notebook_path": "/w/a.ipynb", "new_source": "x"}, Kind.EDIT, "/w/a.ipynb"),
        ("Write", {"file_path": "/w/a.py", "content": "x"}, Kind.CREATE, "/w/a.py"),
        ("Bash", {"command": "ls"}, Kind.COMMAND, "ls"),
        ("PowerShell", {"command": "dir"}, Kind.COMMAND, "dir"),
        ("Monitor", {"command": "tail -f x"}, Kind.COMMAND, "tail -f x"),
        ("Glob", {"pattern": "*.py", "path": "/w"}, Kind.SEARCH, "*.py"),
        ("Grep", {"pattern": "x"}, Kind.SEARCH, "x"),
        ("LS", {"path": "/w"}, Kind.SEARCH, "/w"),
        ("WebFetch", {"url": "https://example.org"}, Kind.WEB, "https://example.org"),
        ("WebSearch", {"query": "q"}, Kind.WEB, "q"),
        ("TaskCreate", {"subject": "s"}, Kind.TASKS, "s"),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, Kind.ASK, ""),
        ("ExitPlanMode", {"plan": "1. do"}, Kind.PLAN, ""),
        ("Agent", {"description": "d", "prompt": "p"}, Kind.AGENT, "d"),
        ("Task", {"description": "d", "prompt": "p"}, Kind.AGENT, "d"),
        ("Skill", {"skill": "s"}, Kind.SKILL, "s"),
        ("CronCreate", {"cron": "* * * * *", "prompt": "p"}, Kind.SCHEDULE, "* * * * *"),
        ("ScheduleWakeup", {"reason": "r", "delaySeconds": 60}, Kind.SCHEDULE, "r"),
        ("CronDelete", {"id": "c"}, Kind.STOP, "c"),
        ("TaskStop", {"task_id": "b"}, Kind.STOP, "b"),
        ("KillShell", {"shell_id": "s"}, Kind.STOP, "s"),
        ("mcp__server__tool", {"file_path": "/w"}, Kind.SERVER, "mcp__server__tool file_path=/w"),
        ("NewTool", {"file_path": "/w"}, Kind.OTHER, ""),
    ],
)
def test_kind_and_target(name, given, kind, target):
    """Each of the client's tools has its kind and says what it is about; any other is OTHER, and is there."""
    operation = run(name, given)
    assert (operation.kind, operation.name, operation.target, operation.state) == (kind, name, target, State.DONE)


@pytest.mark.parametrize(
    ("name", "given", "known", "detail"),
    [
        ("Read", {"file_path": "/a", "offset": 5, "limit": 10}, None, {"offset": 5, "limit": 10}),
        (
            "Read",
            {"file_path": "/a"},
            {"file": {"filePath": "/a", "startLine": 1, "numLines": 2, "totalLines": 9}},
            {"startLine": 1, "numLines": 2, "totalLines": 9},
        ),
        ("Edit", {"file_path": "/a", "old_string": "x=1", "new_string": "x=3"}, None, {"old": "x=1", "new": "x=3"}),
        (
            "MultiEdit",
            {"file_path": "/a", "edits": [{"old_string": "1", "new_string": "2"}, {}]},
            None,
            {"old": "1", "new": "2", "edits": 2},
        ),
        ("NotebookEdit", {"notebook_path": "/a", "new_source": "y"}, None, {"new": "y"}),
        ("Write", {"file_path": "/a", "content": "1\n2"}, None, {"new": "1\n2", "lines": 2}),
        ("Bash", {"command": "x", "description": "why"}, {"stdout": "ok"}, {"description": "why", "exit": 0}),
        ("Agent", {"prompt": "p", "subagent_type": "t"}, {"agentId": "a1"}, {"prompt": "p", "agent": "a1"}),
        ("Skill", {"skill": "s", "args": "a"}, None, {"args": "a"}),
        ("CronCreate", {"cron": "*", "prompt": "p"}, {"id": "c1", "humanSchedule": "now"}, {"prompt": "p", "id": "c1"}),
        (
            "ScheduleWakeup",
            {"delaySeconds": 60, "prompt": "p"},
            {"scheduledFor": 5},
            {"delaySeconds": 60, "scheduledFor": 5},
        ),
        ("ExitPlanMode", {}, {"plan": "1. do"}, {"plan": "1. do"}),
        ("AskUserQuestion", {"questions": [{"question": "A?"}]}, {"answers": {"A?": "b"}}, {"answers": {"A?": "b"}}),
    ],
)
def test_details(name, given, known, detail):
    """What is needed later is kept: what was replaced by what, where, ids of what goes on, answers and plans."""
    assert run(name, given, known=known).detail.items() >= detail.items()


@pytest.mark.parametrize(
    ("text", "code"),
    [("Exit code 2\nno such file", 2), ("Exit code 137", 137), ("exit code 2", None), ("see: Exit code 2", None)],
)
def test_exit_codes(text, code):
    """They stand at the head of a failed command's answer and nowhere else."""
    operation = run("Bash", {"command": "x"}, text, error=True)
    assert (operation.state, operation.detail.get("exit")) == (State.FAILED, code)


@pytest.mark.parametrize(
    ("known", "fields", "state"),
    [
        ({"backgroundTaskId": "b1"}, {}, State.BACKGROUND),
        ({"shellId": "s1"}, {}, State.BACKGROUND),
        ({"isAsync": True, "agentId": "a"}, {}, State.BACKGROUND),
        ({"interrupted": True}, {}, State.INTERRUPTED),
        ({}, {"error": True}, State.FAILED),
        ({}, {"error": True, "toolDenialKind": "user-rejected", "toolDenialBeforeRun": True}, State.REFUSED),
        ({}, {"error": True, "toolDenialKind": "user-rejected"}, State.INTERRUPTED),
        (
            {},
            {
                "error": True,
                "toolDenialKind": "user-rejected",
                "userFeedback": "use the cache",
                "permissionDecision": {"decision": "reject", "source": "user_reject"},
            },
            State.REFUSED,
        ),
        ({}, {"error": True, "toolDenialKind": "hook"}, State.FAILED),
        (
            {},
            {
                "error": True,
                "toolDenialKind": "user-rejected",
                "permissionDecision": {"decision": "reject", "source": "config"},
            },
            State.FAILED,
        ),
        ({}, {}, State.DONE),
        ("Error: no", {}, State.DONE),
        (None, {}, State.DONE),
    ],
)
def test_how_far_it_came(known, fields, state):
    """Going on in the background, stopped, refused before it ran, failed or done."""
    assert run("Bash", {"command": "x"}, known=known, **fields).state is state


def test_background_work_is_named():
    """The id under which its end will be told."""
    assert run("Bash", {"command": "x"}, known={"backgroundTaskId": "b1"}).detail["job"] == "b1"
    found = run("Agent", {"prompt": "p"}, known={"isAsync": True, "agentId": "a1", "outputFile": "/t/o"})
    assert found.detail["agent"] == "a1"
    assert found.detail["output"] == "/t/o"


@pytest.mark.parametrize(
    ("status", "detail"),
    [("completed", {"ends": "b1", "status": "completed"}), ("failed", {"ends": "b1", "status": "failed"})]
    + [(status, {}) for status in ("running", "pending", "", 5)],
)
def test_a_look_at_background_work_tells_its_end(status, detail):
    """An answer that calls the job over ends it; one that still runs does not."""
    known = {"retrieval_status": "success", "task": {"task_id": "b1", "task_type": "local_bash", "status": status}}
    assert run("TaskOutput", {"task_id": "b1"}, known=known).detail == detail


def tasks(*steps):
    """The list after each step: (tool, input, toolUseResult)."""
    rows = []
    for number, (name, given, known) in enumerate(steps):
        rows += [agent(call(name, f"t{number}", **given), stop="tool_use"), result("ok", f"t{number}", known=known)]
    return [[(i["id"], i["text"], i["status"]) for i in c.detail["items"]] for c in read(*chained(*rows)).calls]


def test_a_todo_list_is_written_whole():
    """Each writing replaces the list; the client's own word of it outranks what was asked for."""
    todos = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}, "odd", {"content": 3}]
    asked, stated = tasks(
        ("TodoWrite", {"todos": todos}, None), ("TodoWrite", {"todos": todos}, {"newTodos": todos[:1]})
    )
    assert asked == [("1", "a", "completed"), ("2", "b", "in_progress"), ("3", "", "pending")]
    assert stated == [("1", "a", "completed")]


def test_a_task_list_grows_and_changes():
    """Made, begun, renamed, deleted; a listing restates the list, and one that says none takes nothing away."""
    listed = {"tasks": [{"id": "9", "subject": "other", "status": "in_progress"}]}
    steps = tasks(
        ("TaskCreate", {"subject": "a"}, {"task": {"id": "1", "subject": "a"}}),
        ("TaskCreate", {"subject": "b"}, {"task": {"id": "2", "subject": "b"}}),
        ("TaskUpdate", {"taskId": "1", "status": "in_progress"}, {}),
        ("TaskUpdate", {"taskId": "2", "subject": "B"}, {}),
        ("TaskUpdate", {"taskId": "1", "status": "deleted"}, {}),
        ("TaskList", {}, {"tasks": []}),
        ("TaskList", {}, listed),
    )
    assert steps[2] == [("1", "a", "in_progress"), ("2", "b", "pending")]
    assert steps[3][1] == ("2", "B", "pending")
    assert steps[4] == steps[5] == [("2", "B", "pending")]
    assert steps[6] == [("9", "other", "in_progress")]


def test_a_failed_task_call_changes_nothing():
    """The list stays as it was."""
    made = [
        agent(call("TaskCreate", "a", subject="a"), stop="tool_use"),
        result("ok", "a", known={"task": {"id": "1"}}),
    ]
    failed = [agent(call("TaskCreate", "b", subject="b"), stop="tool_use"), result("no", "b", error=True)]
    assert [item["text"] for item in read(*chained(*made, *failed)).calls[1].detail["items"]] == ["a"]


def test_a_long_answer_is_cut_and_says_so():
    """Head and tail are kept, the entry says how much is missing, and points to its row."""
    text = "".join(f"line {n}\n" for n in range(1_000))
    done = read(*chained(agent(call("Bash", "t", command="x"), stop="tool_use"), result(text, "t")))
    entry = done.records[0]
    assert entry.text.startswith("line 0\n")
    assert entry.text.endswith("line 999\n")
    assert len(entry.text) < 1_300
    assert entry.extra["cut"] == len(text) - 400


def test_plans_that_were_refused():
    """With words the person's answer is kept, and the plan is not approved."""
    refusal = {"error": True, "toolDenialKind": "user-rejected", "toolDenialBeforeRun": True, "userFeedback": "smaller"}
    rows = agent(call("ExitPlanMode", "t", plan="1. all"), stop="tool_use"), result("no", "t", **refusal)
    done = read(*chained(*rows))
    assert done.calls[0].state is State.REFUSED
    assert done.human[0].text == "smaller"


def test_a_call_is_told_when_it_starts_and_when_it_ends():
    """Twice under one id; a repeated row starts nothing again, a result without a call ends nothing."""
    start = agent(call("Bash", "t", command="x"), stop="tool_use")
    done = read(
        *chained(start, {**start, "uuid": "again"}, result("ok", "t"), result("late", "t"), result("?", "unknown"))
    )
    assert [(o.call, str(o.state)) for o in done.events if type(o).__name__ == "Operation"] == [
        ("t", "running"),
        ("t", "done"),
    ]


def test_no_call_is_made_of_text():
    """What the agent writes or a row without ids is no call."""
    odd = [
        {"type": "tool_use"},
        {"type": "tool_use", "id": "x"},
        {"type": "tool_use", "name": "Bash", "id": 5},
        "Bash(rm)",
    ]
    assert read(agent(*odd)).calls == []
    assert read(attachment({"type": "tool_use", "id": "x", "name": "Bash"})).calls == []


TAKEN = ["Read", "Edit", "MultiEdit", "Write", "Bash", "AskUserQuestion", "TodoWrite", "TaskUpdate", "Agent"]
WRONG = [None, 5, True, "text", ["x"], [{}], {"a": 1}, [None]]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", TAKEN)
def test_wrong_types_cost_only_themselves(name, wrong):
    """Whatever stands in a field of a call or of its result: the call is told, started and ended."""
    keys = ("file_path", "old_string", "edits", "content", "command", "questions", "todos", "taskId", "prompt")
    for known in (wrong, dict.fromkeys(("file", "answers", "plan", "newTodos", "task", "tasks", "interrupted"), wrong)):
        operation = run(name, dict.fromkeys(keys, wrong), known=known)
        assert (operation.name, operation.state) in {(name, State.DONE), (name, State.INTERRUPTED)}


def test_calls_that_never_end_are_bounded():
    """A session that crashes again and again leaves open calls; the newest are remembered, and end when their results come."""
    rows = [agent(call("Bash", f"t{n}", command="x" * 2_000), stop="tool_use") for n in range(300)]
    done = read(*chained(*rows, result("ok", "t299"), result("ok", "t0")))
    assert len(done.state.calls) == 199
    assert [str(c.state) for c in done.calls if c.call in {"t299", "t0"}] == ["running", "done"]


def test_the_recorded_calls():
    """The tools of a real session, each with its end."""
    found = [(c.name, str(c.state)) for c in play("tui-full").calls]
    assert [name for name, _ in found if name in {"Read", "Write", "Edit", "Bash", "Agent", "Skill"}]
    assert {state for _, state in found} == {"done", "background"}


def test_a_piece_of_a_line_keeps_no_secret_that_the_whole_line_shows():
    """An edit may name the value alone; its result has the lines, with the name that makes it one."""
    old, new = "q9ZkP2vX7rLm", "w3TtK8bN5sQd"
    lines = [f'-  "api_key": "{old}",', f'+  "api_key": "{new}",', '   "port": 80']
    given = {"file_path": "/w/a.json", "old_string": old, "new_string": new}
    detail = run("Edit", given, known={"structuredPatch": [{"lines": lines}]}).detail
    assert (detail["old"], detail["new"]) == ("[secret sha256:68917652]", stand_in(new))
    assert (
        run("Edit", {**given, "old_string": "80"}, known={"structuredPatch": [{"lines": lines}]}).detail["old"] == "80"
    )
