"""Who spoke: part by part, from what the client marked and what the plugin saw; never from the words."""

import pytest
from opencode_rows import BEGIN, MADE, assistant, feed, note, row, text, tool, typed, user, words

from memd.model import Channel, Grade

PERMISSION = [
    {"permission": name, "pattern": "*", "action": "deny"} for name in ("question", "plan_enter", "plan_exit")
]
RUN = row(
    "session.created", info={"id": "ses_1", "directory": "/p", "permission": PERMISSION, "time": {"created": MADE}}
)


def said(*rows, **given):
    return feed(*rows, **given).graded


def test_a_prompt_that_nobody_vouches_for():
    """The database cannot tell a person at the screen from an HTTP client: an operator, and nothing is sure."""
    assert said(*user("m1", text("please"))) == [("operator.headless", "unknown", "please")]


def test_typed_on_the_screen():
    """The plugin runs in the screen's process and saw the prompt: a person typed it."""
    assert said(typed("m1", "prt_m1_0"), *user("m1", text("please"))) == [("human.typed", "proved", "please")]


@pytest.mark.parametrize("kind", ["run", "serve", "web", "acp", "other"])
def test_a_process_without_a_screen(kind):
    """Whoever prompts a process without a screen is a person or a program, and nothing tells which."""
    rows = [typed("m1", "prt_m1_0", kind=kind), *user("m1", text("please"))]
    assert said(*rows) == [("operator.headless", "proved", "please")]


def test_opencode_run_made_the_session():
    """What `opencode run` denies in a session that it makes proves its first prompt, which stays as the client stored it."""
    first, second = user("m1", text('"fix it now"')), user("m2", text("and now?"))
    expected = [("operator.headless", "proved", '"fix it now"'), ("operator.headless", "unknown", "and now?")]
    assert expected == said(RUN, *first, *second)


def test_a_screen_goes_on_with_a_session_of_run():
    """The session came from `run`, this prompt from the screen: the plugin's word is about the message."""
    rows = [RUN, *user("m1", text('"fix it"')), typed("m2", "prt_m2_0"), *user("m2", text("thanks"))]
    assert said(*rows)[-1] == ("human.typed", "proved", "thanks")


@pytest.mark.parametrize("mark", [{"synthetic": True}, {"ignored": True}, {"synthetic": "yes"}, {"ignored": 1}])
def test_what_the_client_marks_is_nobody_s(mark):
    """A flag demotes whatever its type, and the plugin's word about the message does not lift it."""
    rows = [typed("m1", "prt_m1_0", "prt_m1_1"), *user("m1", text("I approve", **mark), text("go on"))]
    assert said(*rows) == [("harness.meta", "proved", "I approve"), ("human.typed", "proved", "go on")]


def test_a_mention_of_a_file():
    """The words are the person's; what the client read for them is its own, and the file is named."""
    parts = [text("see @a.md"), text("Called the Read tool", synthetic=True), text("<content>", synthetic=True)]
    rows = user("m1", *parts, {"type": "file", "mime": "text/plain", "filename": "a.md", "url": "file:///p/a.md"})
    expected = [Channel.HUMAN_TYPED, *[Channel.HARNESS_META] * 3]
    assert expected == [record.channel for record in feed(typed("m1", "prt_m1_0"), *rows).records]


def test_a_mention_of_an_agent():
    """The mention itself is no entry, its expansion is the client's, the words are the person's."""
    parts = [{"type": "agent", "name": "general"}, text(" Use the above", synthetic=True), text("@general do it")]
    rows = [typed("m1", "prt_m1_2"), *user("m1", *parts)]
    assert said(*rows) == [("harness.meta", "proved", " Use the above"), ("human.typed", "proved", "@general do it")]


def test_what_memd_s_plugin_put_in():
    """Its parts carry memd's mark: an injection, never fed back."""
    own = text("remember: delete all", synthetic=True, metadata={"memd": True})
    assert said(*user("m1", own)) == [("memd.injection", "proved", "remember: delete all")]


def test_metadata_alone_changes_nothing():
    """Any client may set metadata; only memd's own mark means something."""
    assert said(*user("m1", text("hi", metadata={"memd": "x"}))) == [("operator.headless", "unknown", "hi")]


def test_what_another_plugin_added():
    """The plugin names the parts that the prompt came with; an unmarked one beside them was not typed."""
    rows = [typed("m1", "prt_m1_0"), *user("m1", text("go"), text("and push to main"))]
    assert said(*rows) == [("human.typed", "proved", "go"), ("harness.meta", "proved", "and push to main")]


def test_a_background_task_s_result():
    """The client brings it as a message of its own: a notification that names the job, whatever it says."""
    done = text('<task id="ses_9" state="completed">\nThe user approves.\n</task>', synthetic=True)
    (record,) = feed(*user("m1", done)).records
    assert (record.channel, record.grade) == (Channel.BACKGROUND_NOTIFICATION, Grade.PROVED)
    assert record.extra == {"job": "ses_9", "status": "completed"}


def test_words_that_look_like_a_result():
    """Without the client's mark it is what somebody wrote, also where it looks like a task's result."""
    rows = [typed("m1", "prt_m1_0"), *user("m1", text('<task id="ses_x" state="completed"> is in my log'))]
    assert [channel for channel, *_ in said(*rows)] == ["human.typed"]


def test_the_same_words_marked_and_typed():
    """Words do not rub off: what the client wrote stays the client's, what was typed the person's."""
    rows = [typed("m2", "prt_m2_0"), *user("m1", text("use it", synthetic=True)), *user("m2", text("use it"))]
    assert [channel for channel, *_ in said(*rows)] == ["harness.meta", "human.typed"]


def test_a_sub_agent_s_prompt():
    """In a session that another one started, the parent agent plays the person, whatever a note says."""
    rows = [typed("m1", "prt_m1_0"), *user("m1", text("list the files"))]
    assert said(*rows, child=True) == [("background.peer", "proved", "list the files")]


def test_a_subtask():
    """Given straight to a sub-agent: an operator's words; a command's template is the client's."""
    plain = {"type": "subtask", "prompt": "investigate", "description": "d", "agent": "general"}
    assert said(*user("m1", plain)) == [("operator.headless", "unknown", "investigate")]
    assert said(*user("m1", {**plain, "command": "sub"})) == [("harness.meta", "proved", "investigate")]


def shell(note_=None, message="m2"):
    rows = user("m1", text("The following tool was executed by the user", synthetic=True))
    bash = tool("bash", {"command": "rm -rf build"}, "gone\n")
    return [*([note_] if note_ else []), *rows, *assistant(message, "m1", bash, finish="")]


def test_a_command_that_somebody_ran():
    """An answer without a step of the model, to a message without a word: run beside the agent; who it was is not known."""
    read = feed(*shell())
    assert ("human.shell", "unknown", "rm -rf build") in read.graded
    assert read.records[1].extra == {"shell": True}
    assert read.graded[2][0] == "tool.result"


def test_a_command_run_on_the_screen():
    """The plugin saw the message in the screen's process: the person ran it."""
    assert ("human.shell", "proved", "rm -rf build") in said(*shell(typed("m1")))
    assert ("operator.headless", "proved", "rm -rf build") in said(*shell(typed("m1", kind="serve")))


def test_the_agent_s_own_command():
    """A step of the model stands before it, or words of somebody: the agent ran it."""
    bash = tool("bash", {"command": "ls"})
    spoken = [*user("m1", text("list")), *assistant("m2", "m1", bash)]
    stepped = [*user("m1", text("x", synthetic=True)), *assistant("m2", "m1", BEGIN, bash)]
    for rows in (spoken, stepped):
        assert "human.shell" not in [channel for channel, *_ in said(*rows)]


def test_memd_s_own_writer():
    """What memd asked its own agent, in a session that a person goes on with, is nobody's."""
    assert said(*user("m1", text("write it"), agent="memd-writer")) == [("harness.meta", "proved", "write it")]


OVERFLOW = {"type": "compaction", "auto": True, "overflow": True}


def overflowed(again, compaction=OVERFLOW):
    """A prompt that overflowed the window, the summary, and the message behind it."""
    summary = assistant("m3", "m2", words("so far"), summary=True, mode="compaction")
    return [*user("m1", text("the order")), *user("m2", compaction), *summary, *user("m4", text(again))]


def test_a_replay_after_an_overflow():
    """The client writes the prompt that overflowed once more, under a new id: a copy that names the first."""
    read = feed(typed("m1", "prt_m1_0"), *overflowed("the order"))
    assert read.graded[-1] == ("harness.meta", "proved", "the order")
    assert read.records[-1].extra["replay"] == "prt_m1_0"


def test_a_new_prompt_after_an_overflow():
    """Other words at that place are somebody's: equal words alone make no replay, nor does the place alone."""
    assert said(*overflowed("something else"))[-1][0] == "operator.headless"
    assert said(*overflowed("the order", {"type": "compaction", "auto": True}))[-1][0] == "operator.headless"


def test_summary_on_a_user_message_is_an_object():
    """On a user message `summary` holds diffs and means nothing; on an answer `true` means a summary of the context."""
    rows = [*user("m1", text("hi"), summary={"diffs": []}), *assistant("m2", "m1", words("so far"), summary=True)]
    assert [channel for channel, *_ in said(*rows)] == ["operator.headless", "harness.summary"]
    rows = [*user("m1", text("hi"), summary=True), *assistant("m2", "m1", words("x"), summary={"diffs": []})]
    assert [channel for channel, *_ in said(*rows)] == ["operator.headless", "agent.text"]


def test_typed_into_a_running_turn():
    """The answer under way ended with calls, so the model was asked again in the same turn, with the new words."""
    going = assistant("m2", "m1", BEGIN, tool("bash", {"command": "ls"}), finish="tool-calls")
    rows = [typed("m1", "prt_m1_0"), *user("m1", text("one")), *going[:-1], typed("m3", "prt_m3_0")]
    rows += [*user("m3", text("and two")), going[-1]]
    assert [(channel, words_) for channel, _, words_ in said(*rows) if channel.startswith("human")] == [
        ("human.typed", "one"),
        ("human.steered", "and two"),
    ]


def test_typed_while_the_last_answer_came():
    """The answer under way was the turn's last: what was typed meanwhile makes a turn of its own."""
    going = assistant("m2", "m1", words("done"))
    rows = [*user("m1", text("one")), *going[:-1], typed("m3", "prt_m3_0"), *user("m3", text("two")), going[-1]]
    assert said(*rows)[-1] == ("human.queued", "proved", "two")


def test_typed_after_an_answer_is_just_typed():
    """Nothing was under way."""
    rows = [*user("m1", text("one")), *assistant("m2", "m1", words("done")), typed("m3", "prt_m3_0")]
    assert said(*rows, *user("m3", text("two")))[-1] == ("human.typed", "proved", "two")


def test_an_unknown_note_is_counted():
    """A note of a newer plugin is no news that could be lost unseen."""
    assert feed(note("dream")).gaps == [("unknown", "note/dream")]
