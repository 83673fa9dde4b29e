"""Tool calls: what was done, in the words that all tools share."""

import pytest
from opencode_rows import BEGIN, assistant, feed, play, read_all, recording, text, tool, typed, user

from memd.model import Kind, State
from memd.tools.opencode.calls import DETAIL, RESULT


def called(*parts, note=()):
    """A turn with these parts."""
    return feed(*note, *user("m1", text("go")), *assistant("m2", "m1", BEGIN, *parts))


def one(*given, **more):
    (call,) = called(tool(*given, **more)).calls
    return call


def test_an_edit():
    """Old and new text, and the file."""
    call = one("edit", {"filePath": "/p/a.py", "oldString": "a - b", "newString": "a + b"})
    assert (call.kind, call.target, call.state) == (Kind.EDIT, "/p/a.py", State.DONE)
    assert call.detail == {"old": "a - b", "new": "a + b", "edits": 1}


def test_a_piece_of_a_line_keeps_no_secret_that_the_whole_line_shows():
    """The result's diff has the name that makes a value one."""
    given = {"filePath": "/p/a.toml", "oldString": "q9ZkP2vX7rLm", "newString": "1"}
    call = one("edit", given, metadata={"diff": '@@ -1 +1 @@\n-api_key = "q9ZkP2vX7rLm"\n+api_key = "1"\n'})
    assert call.detail == {"old": "[secret sha256:68917652]", "new": "1", "edits": 1}


def test_several_edits():
    """The first is shown, all are counted."""
    edits = [{"oldString": "a", "newString": "b"}, {"oldString": "c", "newString": "d"}]
    assert one("multiedit", {"filePath": "/p/a", "edits": edits}).detail == {"old": "a", "new": "b", "edits": 2}


def test_a_patch():
    """Each of its files is told of, with what went and what came."""
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    calls = called(tool("apply_patch", {"patchText": patch})).calls
    assert [(call.kind, call.target, call.detail) for call in calls] == [
        (Kind.EDIT, "src/a.py", {"old": "x", "new": "y"}),
        (Kind.CREATE, "b.py", {"new": "z", "lines": 1}),
    ]


def test_a_skill():
    """Its name, and where its text lies."""
    call = one("skill", {"name": "deploy"}, metadata={"name": "deploy", "dir": "/s/deploy"})
    assert (call.kind, call.target, call.detail) == (Kind.SKILL, "deploy", {"path": "/s/deploy/SKILL.md"})


def test_a_new_file():
    """Its text and how long it is."""
    call = one("write", {"filePath": "/p/n.txt", "content": "one\ntwo"})
    assert (call.kind, call.detail) == (Kind.CREATE, {"new": "one\ntwo", "lines": 2})


@pytest.mark.parametrize(("code", "state"), [(0, State.DONE), (1, State.FAILED), (None, State.DONE), ("1", State.DONE)])
def test_a_command_s_exit(code, state):
    """A command that failed is `completed` for the client; its exit code tells."""
    call = one("bash", {"command": "make", "description": "build"}, metadata={"exit": code})
    assert state == call.state
    assert {"description": "build", **({"exit": code} if isinstance(code, int) else {})} == call.detail


@pytest.mark.parametrize(
    ("error", "state"),
    [
        ("no such file", State.FAILED),
        ("The user rejected permission to use this specific tool call.", State.REFUSED),
        ("The user dismissed this question", State.REFUSED),
        ("Tool execution aborted", State.INTERRUPTED),
    ],
)
def test_an_error(error, state):
    """A failure, a person's no and an abort are told apart by the client's own words."""
    call = one("bash", {"command": "make"}, error, status="error")
    assert (state, error) == (call.state, call.result)


def test_a_running_call_is_told_once():
    """The client writes a running call again with each piece of its output."""
    going = [tool("bash", {"command": "make"}, status="running", metadata={"output": "x" * n}) for n in range(5)]
    read = called(*going)
    assert [event.state for event in read.events if hasattr(event, "call")] == [State.RUNNING] * 5
    rows = assistant("m2", "m1", *going)
    for at in range(2, 6):
        rows[at]["data"]["part"]["id"] = "prt_m2_0"
    read = feed(*user("m1", text("go")), *rows)
    assert sum(hasattr(event, "call") for event in read.events) == 1


def test_a_pending_call_has_no_input_yet():
    """Nothing is told of it."""
    assert called(tool("bash", {}, status="pending")).calls == []


def test_a_sub_agent():
    """Its prompt, its session, and that it goes on where it was sent to the background."""
    given = {"description": "explore", "prompt": "list", "subagent_type": "general"}
    call = one("task", given, metadata={"sessionId": "ses_c"})
    assert (call.kind, call.target, call.state, call.detail["agent"]) == (Kind.AGENT, "explore", State.DONE, "ses_c")
    call = one("task", given, metadata={"sessionId": "ses_c", "background": True})
    assert (call.state, call.detail["job"]) == (State.BACKGROUND, "ses_c")
    call = one("task", given, metadata={"sessionId": "ses_c", "background": True, "jobId": "job_1"})
    assert call.detail["job"] == "job_1"


def test_the_task_list():
    """The list as the result has it, else as it was given."""
    todos = [{"content": "fix", "status": "completed"}, {"content": "test"}, "rubbish"]
    expected = [{"id": "1", "text": "fix", "status": "completed"}, {"id": "2", "text": "test", "status": "pending"}]
    assert expected == one("todowrite", {"todos": todos}).detail["items"]
    assert expected[:1] == one("todowrite", {"todos": todos}, metadata={"todos": todos[:1]}).detail["items"]


QUESTIONS = {"questions": [{"question": "Which?", "header": "h", "options": []}, {"question": "When?"}]}


def test_answers():
    """An answer is the person's where the plugin saw the screen, an operator's else; an open question has none."""
    asked = tool("question", QUESTIONS, "…", metadata={"answers": [["Postgres", "SQLite"], []]})
    read = called(asked, note=[typed("m1", "prt_m1_0")])
    assert read.graded[-1] == ("human.answer", "proved", "Postgres, SQLite")
    assert read.records[-1].extra["question"] == "Which?"
    assert called(asked).graded[-1] == ("operator.headless", "unknown", "Postgres, SQLite")
    assert read.calls[0].detail == {"questions": ["Which?", "When?"], "answers": {"Which?": "Postgres, SQLite"}}


def test_a_refusal_s_words():
    """What the person gave as reason stands behind the client's words."""
    error = "The user rejected permission to use this specific tool call with the following feedback: use make"
    read = called(tool("bash", {"command": "rm x"}, error, status="error"), note=[typed("m1", "prt_m1_0")])
    assert read.graded[-1] == ("human.answer", "proved", "use make")


@pytest.mark.parametrize("name", ["linear_create_issue", "mytool"])
@pytest.mark.parametrize("words", ["", " with the following feedback: push to main"])
def test_another_tool_s_error_is_nobody_s_refusal(name, words):
    """A server's or plugin's error is stored word for word, so words alone would make it the person's."""
    error = f"The user rejected permission to use this specific tool call{words or '.'}"
    read = called(tool(name, {"title": "x"}, error, status="error"), note=[typed("m1", "prt_m1_0")])
    assert (read.calls[0].state, read.graded[-1]) == (State.FAILED, ("tool.result", "proved", error))


def test_long_values_are_cut():
    """A call keeps excerpts; the record points to the whole."""
    read = called(tool("write", {"filePath": "/p/a", "content": "y" * 9_000}, "z" * 9_000))
    (call,) = read.calls
    assert call.detail["new"] == "y" * DETAIL + f"\n[… {9_000 - DETAIL} characters left out …]"
    assert len(call.result) < RESULT + 100
    assert read.records[-1].extra["cut"] == 9_000 - RESULT


def test_an_unknown_tool():
    """A tool of a plugin or server is told by its name and arguments."""
    call = one("linear_create_issue", {"title": "x"})
    told = (Kind.SERVER, "linear_create_issue", "linear_create_issue title=x", State.DONE)
    assert (call.kind, call.name, call.target, call.state) == told


def test_the_recorded_calls(base):
    """A recorded session's tools, in order, with how they ended."""
    found = base.record("run")
    done = play(read_all(base.path / found)[0]).calls
    expected = [
        ("bash", State.DONE),
        ("read", State.DONE),
        ("edit", State.DONE),
        ("write", State.DONE),
        ("todowrite", State.DONE),
        ("skill", State.FAILED),
        ("task", State.DONE),
    ]
    assert expected == [(call.name, call.state) for call in done]
    assert recording("run-child").id == done[-1].detail["agent"]
