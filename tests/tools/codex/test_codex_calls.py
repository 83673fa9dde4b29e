"""Tool calls: what was done, told by the client's items, else by the agent's calls and their results."""

import json

import pytest
from codex_rows import TURN, begin, call, done, event, item, meta, play, read, result, row, said

from memd.model import Kind, Message, Operation, State


def only(*rows):
    """The only call, as it is known in the end."""
    (found,) = read(meta(), begin(), *rows).calls
    return found


def command(code=0, **more):
    return done(
        "CommandExecution",
        command=["/bin/bash", "-lc", "make test"],
        exit_code=code,
        aggregated_output="12 passed",
        **more,
    )


def test_a_command():
    """The line as a person would type it, its exit code, what it printed."""
    found = only(
        call("exec_command", cmd="make test"), command(), result("Process exited with code 0\nOutput:\n12 passed")
    )
    assert (found.kind, found.target, found.state) == (Kind.COMMAND, "make test", State.DONE)
    assert (found.detail, found.result) == ({"exit": 0}, "12 passed")


def test_a_call_has_the_number_of_its_result():
    """The client's item stands before it, also where several run at once and where another server's tool was asked."""
    server = done("McpToolCall", "call_2", server="gh", tool="issue", arguments={"n": 6}, status="completed")
    rows = (
        *said("go"),
        call("exec_command", cmd="make test"),
        call("issue", "call_2", n=6),
        command(),
        server,
        result("Process exited with code 0\nOutput:\n12 passed"),
        result("made", "call_2"),
    )
    told = [event for event in read(meta(), begin(), *rows).events if isinstance(event, Message | Operation)]
    entry = {one.call: told[place - 1].text for place, one in enumerate(told) if isinstance(one, Operation)}
    assert {one.call for one in told if isinstance(one, Operation) and one.state is State.DONE} == {"call_1", "call_2"}
    assert entry["call_1"].endswith("12 passed")
    assert entry["call_2"] == "made"


@pytest.mark.parametrize("end", [event("turn_aborted", turn_id=TURN), begin(turn="turn-2"), None])
def test_what_an_item_told_is_kept_where_no_result_comes(end):
    """The client was ended between the two: the turn's end, the next one's start or the session's end says so."""
    rows = (meta(), begin(), call("exec_command", cmd="make test"), command(2), *([end] if end else []))
    (found,) = read(*rows).calls
    assert (found.state, found.detail["exit"], found.result) == (State.FAILED, 2, "12 passed")


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"code": 2}, State.FAILED),
        ({"status": "failed"}, State.FAILED),
        ({"status": "declined"}, State.REFUSED),
        ({"code": "0"}, State.DONE),
    ],
)
def test_how_a_command_ended(fields, state):
    """By its status, else by its exit code; one of another type is none."""
    assert only(command(**fields)).state is state


def test_files_that_a_command_only_read():
    """The client parses commands: a plain read is a read of the file, wherever the command ran."""
    parsed = [{"type": "read", "cmd": "cat a.py", "name": "a.py", "path": "src/a.py"}]
    found = read(meta(), command(cwd="file:///srv/work", parsed_cmd=parsed)).calls
    assert [(one.kind, one.target) for one in found][1:] == [(Kind.READ, "/srv/work/src/a.py")]
    mixed = [*parsed, {"type": "unknown", "cmd": "rm a.py"}]
    assert len(read(meta(), command(parsed_cmd=mixed)).calls) == 1


def test_a_patch_is_a_call_for_each_file():
    """Old and new lines of each; a new file with its lines; one that was deleted, one that moved."""
    changes = {
        "/w/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-timeout = 30\n+timeout = 90\n", "move_path": None},
        "/w/b.py": {"type": "add", "content": "x\ny\n"},
        "/w/c.py": {"type": "delete", "content": "gone"},
        "/w/d.py": {"type": "update", "unified_diff": "-a\n+b\n", "move_path": "/w/e.py"},
        "/w/f.py": 5,
    }
    rows = (
        row("response_item", {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": "*"}),
    )
    found = read(meta(), *rows, done("FileChange", changes=changes, status="completed", stdout="Success")).calls
    assert [(one.kind, one.target, one.state) for one in found] == [
        (Kind.EDIT, "/w/a.py", State.DONE),
        (Kind.CREATE, "/w/b.py", State.DONE),
        (Kind.EDIT, "/w/c.py", State.DONE),
        (Kind.EDIT, "/w/d.py", State.DONE),
    ]
    assert (found[0].detail["old"], found[0].detail["new"]) == ("timeout = 30", "timeout = 90")
    assert [found[1].detail, found[2].detail["deleted"], found[3].detail["moved"]] == [
        {"new": "x\ny\n", "lines": 2},
        True,
        "/w/e.py",
    ]


def test_a_models_script_is_no_operation():
    """In code mode the calls inside of it are told by items; its text names functions and proves nothing."""
    script = 'await tools.exec_command({cmd: "rm -rf /"})'
    made = row("response_item", {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": script})
    assert read(meta(), made, result("Script completed", "c")).calls == []
    assert [(one.kind, one.target) for one in play("code-mode").calls] == [
        (Kind.COMMAND, "echo code-mode-out"),
        (Kind.CREATE, "/home/dev/proj/cm.txt"),
    ]


HEAD = "Chunk ID: 1\nWall time: 0.1 seconds\n"


@pytest.mark.parametrize(
    ("output", "state", "detail", "printed"),
    [
        (f"{HEAD}Process exited with code 0\nOutput:\nok", State.DONE, {"exit": 0}, "ok"),
        (f"{HEAD}Process exited with code 1\nOutput:\nno", State.FAILED, {"exit": 1}, "no"),
        (f"{HEAD}Process running with session ID 7\nOutput:\nup", State.BACKGROUND, {"job": "7"}, "up"),
        ('{"output":"a\\n","metadata":{"exit_code":3}}', State.FAILED, {"exit": 3}, "a\n"),
        ("exec command rejected by user", State.REFUSED, {}, "exec command rejected by user"),
        ("aborted by user after 3.1s", State.INTERRUPTED, {}, "aborted by user after 3.1s"),
        ("Wall time: 3.9 seconds\naborted by user", State.INTERRUPTED, {}, "Wall time: 3.9 seconds\naborted by user"),
        (f"{HEAD}Output:\naborted by user", State.DONE, {}, "aborted by user"),
        (f"{HEAD}Output:\nProcess exited with code 9", State.DONE, {}, "Process exited with code 9"),
        (f"{HEAD}Output:\nProcess running with session ID 9", State.DONE, {}, "Process running with session ID 9"),
        (None, State.DONE, {}, ""),
    ],
)
def test_a_command_of_a_client_without_items(output, state, detail, printed):
    """Its result's first lines are the client's; what comes behind them is the command's own, whatever it looks like."""
    found = only(call("exec_command", cmd="make"), result(output))
    assert (found.state, found.detail, found.result) == (state, detail, printed)


def test_half_a_pair_of_surrogates_in_a_call():
    """A model's JSON inside the row's may hold one: the record cannot, and goes on."""
    given = row("response_item", {"type": "function_call", "name": "exec_command", "call_id": "call_1"})
    given["payload"]["arguments"] = '{"cmd":"echo \\ud83d"}'
    found = only(given, result('{"output":"\\ud83d","metadata":{"exit_code":0}}'))
    assert (found.target, found.result, found.detail) == ("echo �", "�", {"exit": 0})


def test_a_command_in_the_background_ends_later():
    """A look at it tells the exit code under the call that started it."""
    later = (
        call("write_stdin", "call_2", session_id=7, chars=""),
        result("Process exited with code 2\nOutput:\nx", "call_2"),
    )
    found = only(call("exec_command", cmd="serve"), result("Process running with session ID 7\nOutput:\n"), *later)
    assert (found.target, found.state, found.detail["exit"], found.detail["job"]) == ("serve", State.FAILED, 2, "7")


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch\n"


@pytest.mark.parametrize(
    "made",
    [
        call("apply_patch", input=PATCH),
        call("shell", command=["apply_patch", PATCH]),
        call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]),
        row("response_item", {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": PATCH}),
    ],
)
def test_a_patch_of_a_client_without_items(made):
    """As a function, as a command, in a heredoc: its text tells the files when its result has come."""
    found = read(meta(), made, result("Exit code: 0\nOutput:\nSuccess")).calls
    assert [(one.kind, one.target, one.state) for one in found] == [
        (Kind.EDIT, "a.py", State.DONE),
        (Kind.CREATE, "b.py", State.DONE),
    ]


def test_the_task_list():
    """As the last plan that was taken; a client that has no such tool says so."""
    plan = {"plan": [{"step": "one", "status": "completed"}, {"step": "two", "status": "in_progress"}]}
    found = only(call("update_plan", **plan), result("Plan updated"))
    assert found.detail["items"] == [
        {"id": "1", "text": "one", "status": "completed"},
        {"id": "2", "text": "two", "status": "in_progress"},
    ]
    refused = only(call("update_plan", **plan), result("unsupported call: update_plan"))
    assert (refused.state, "items" in refused.detail) == (State.FAILED, False)


def test_a_question():
    """Open until its result comes."""
    asked = call("request_user_input", questions=[{"question": "Which?"}])
    assert only(asked).state is State.RUNNING
    assert only(asked, result('{"answers":{"q":{"answers":["a"]}}}')).state is State.DONE
    assert only(asked, result("unavailable")).state is State.FAILED


def test_a_sub_agent_goes_on_until_it_is_heard():
    """Its id is what a notification names."""
    spawned = done("CollabAgentToolCall", tool="spawn_agent", receiver_thread_ids=["a1"], prompt="Look\nclosely")
    found = only(call("spawn_agent", message="Look\nclosely"), spawned, result('{"agent_id":"a1"}'))
    assert (found.kind, found.target, found.state) == (Kind.AGENT, "Look", State.BACKGROUND)
    assert found.detail == {"prompt": "Look\nclosely", "agent": "a1"}
    closed = done("CollabAgentToolCall", tool="close_agent", receiver_thread_ids=["a1"])
    assert (only(closed).kind, only(closed).target) == (Kind.STOP, "a1")


def test_a_sub_agent_of_the_second_kind():
    """It is known by its path, and has answered when a message of that path comes."""
    started = done("SubAgentActivity", kind="started", agent_path="/root/helper", agent_thread_id="a2")
    about = {"type": "agent_message", "id": "m", "author": "/root/helper", "content": [{"text": "done"}]}
    asked = call("spawn_agent", message="Look", task_name="helper")
    assert only(asked, started, result('{"task_name":"/root/helper"}')).state is State.BACKGROUND
    assert only(asked, started, result('{"task_name":"/root/helper"}'), row("response_item", about)).state is State.DONE


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (done("WebSearch", query="zstd", action={"type": "search"}), (Kind.WEB, "zstd")),
        (done("WebSearch", query="x", action={"type": "open_page", "url": "https://a.b"}), (Kind.WEB, "https://a.b")),
        (done("ImageView", path="/x.png"), (Kind.READ, "/x.png")),
        (done("McpToolCall", server="gh", tool="issue", arguments={"n": 6}), (Kind.SERVER, "gh.issue n=6")),
        (event("web_search_end", call_id="w", query="zstd"), (Kind.WEB, "zstd")),
        (event("exec_command_end", call_id="c", command=["ls"], exit_code=0, stdout="a"), (Kind.COMMAND, "ls")),
    ],
)
def test_other_calls(made, expected):
    """Searches, images, other servers' tools; items of today and the events before them."""
    found = only(made)
    assert (found.kind, found.target) == expected


def test_another_servers_tool_tells_how_it_ended():
    """By its name, its result, and whether it failed; the older event has both in other places."""
    good = done("McpToolCall", server="gh", tool="issue", result={"content": [{"type": "text", "text": "made"}]})
    bad = event("mcp_tool_call_end", call_id="c", invocation={"server": "gh", "tool": "issue"}, result={"Err": "no"})
    assert [(one.name, one.state, one.result) for one in (only(good), only(bad))] == [
        ("gh.issue", State.DONE, "made"),
        ("gh.issue", State.FAILED, "no"),
    ]


def test_a_plan_that_is_proposed():
    """Proposing is no decision: the person's next words tell."""
    found = only(done("Plan", text="# Plan"))
    assert (found.kind, found.state, found.detail) == (Kind.PLAN, State.RUNNING, {"plan": "# Plan"})


def test_results_are_entries_with_an_excerpt():
    """Each takes a number; what is long is cut and pointed to."""
    found = read(meta(), call("exec_command", cmd="cat big"), result("x" * 5_000))
    (record,) = found.records
    assert (str(record.channel), len(record.text) < 1_400, record.extra) == (
        "tool.result",
        True,
        {"call": "call_1", "cut": 4_600},
    )


def test_the_state_stays_small():
    """Calls without a result, and what they hold, are bounded."""
    rows = [call("exec_command", f"c{n}", cmd="y" * 50_000) for n in range(300)]
    found = read(meta(), *rows[:210])
    assert len(found.state.calls) == 200
    assert max(len(json.dumps(dict(kept))) for kept in found.state.calls.values()) < 5_000


def test_a_call_that_is_written_twice_is_told_once():
    """A copied row begins nothing anew."""
    made = call("exec_command", cmd="ls")
    assert len(read(meta(), made, made).events) == len(read(meta(), made).events)


def test_the_agents_words():
    """Once, from the item; the event says them again."""
    agent = item("All done.", kind="unknown", provenance="", role="assistant", content=[{"text": "All done."}])
    again = done("AgentMessage", "msg_1", content=[{"type": "Text", "text": "All done."}])
    assert read(meta(), again, agent).said == [("agent.text", "All done.")]
