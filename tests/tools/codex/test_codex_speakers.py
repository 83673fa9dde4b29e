"""Who spoke: each way in, and each row that looks like a person's and is not."""

import json

import pytest
from codex_rows import (
    THREAD,
    TOOL,
    TURN,
    begin,
    done,
    event,
    heard,
    item,
    meta,
    old,
    read,
    recording,
    result,
    row,
    said,
)
from entries import physical, recorded

from memd.model import Grade, Kind, State
from memd.tools.protocol import Identity

GOAL = (
    '<codex_internal_context source="user_goal">\nUser set the goal: "be green"\nUser set goal status: "active".\n</x>'
)
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": "01a2", "depth": 1}}}


def one(found):
    """The only entry."""
    (record,) = found.records
    return str(record.channel), str(record.grade), record.text


def asked(*rows, **about):
    """The only entry of a session whose client is told by `about`."""
    return one(read(meta(**about), *rows))


@pytest.mark.parametrize("source", ["cli", "vscode"])
def test_typed_on_the_screen(source):
    """Tags, event and trigger say it together; through its daemon the screen's source is `vscode`."""
    assert asked(begin(), *said("do it"), source=source) == ("human.typed", "proved", "do it")


def test_steered_into_the_running_turn():
    """What comes in behind the first words of a turn was typed while the agent worked."""
    found = read(meta(), begin(), *said("do it"), *said("no, this", ident="msg_2"))
    assert found.said == [("human.typed", "do it"), ("human.steered", "no, this")]
    assert found.records[1].grade is Grade.PROVED


@pytest.mark.parametrize(
    "between",
    [
        result("out"),
        item("context", kind="hooks.additional_context", provenance="harness", role="developer", ident="msg_h"),
        item("done", kind="unknown", provenance="tool", ident="msg_j"),
    ],
)
def test_something_comes_between_an_item_and_its_event(between):
    """What ends while the person steers may be written in between: the event vouches for its item all the same, once."""
    steered = item("no, this", ident="msg_2"), heard("no, this", ident="i2")
    found = read(meta(), begin(), *said("do it"), steered[0], between, steered[1])
    assert [(str(one.channel), one.text) for one in found.human] == [
        ("human.typed", "do it"),
        ("human.steered", "no, this"),
    ]
    assert found.human[1].grade is Grade.PROVED
    assert len(found.records) == 3
    other = read(meta(), begin(), *said("do it"), steered[0], between, heard("no, this", ident="i2", turn="t2"))
    assert [one.text for one in other.human] == ["do it"]


WRAPPED = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix it\nnow"


def test_what_an_editor_put_in_front_of_the_words():
    """The event has what was typed, the item has more before it: that more is the client's text, and an entry of its own."""
    found = read(meta(), begin(), item(WRAPPED), heard("fix it\nnow"))
    assert found.said == [("human.typed", "fix it\nnow"), ("harness.meta", WRAPPED.removesuffix("fix it\nnow"))]
    aside = read(meta(), begin(), item("please fix it"), heard("fix it")).said
    assert aside == [("unattributed", "please fix it"), ("harness.meta", "fix it")]


def test_a_turn_each_is_typed():
    """Words that waited and ran as a turn of their own cannot be told from typed ones."""
    later = (begin(turn="t2"), item("two", ident="m2", turn="t2"), heard("two", turn="t2", ident="i2"))
    found = read(meta(), begin(), *said("one"), event("task_complete", turn_id=TURN), *later)
    assert found.said == [("human.typed", "one"), ("human.typed", "two")]


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("exec", ("operator.headless", "proved")),
        ("queue", ("background.queue", "proved")),
        ("goal", ("background.goal", "proved")),
        ("scheduled_task", ("background.schedule", "proved")),
        ("something_new", ("operator.headless", "unknown")),
        (None, ("operator.headless", "unknown")),
        (["user"], ("operator.headless", "unknown")),
    ],
)
def test_what_triggered_the_turn(trigger, expected):
    """The same item and event in a turn that was not begun at the screen."""
    assert asked(begin(trigger), item("do it"), heard("do it", client=None))[:2] == expected


@pytest.mark.parametrize("trigger", ["goal", "queue"])
def test_a_person_steers_a_turn_that_a_machine_began(trigger):
    """The trigger tells of the turn's start; what has a client's id in it was put in at a screen: inferred."""
    first = () if trigger == "goal" else said("queued words")
    rows = (*first, *said("keep Postgres", ident="msg_2"))
    assert read(meta(), begin(trigger), *rows).said[-1] == ("human.steered", "keep Postgres")
    assert read(meta(), begin(trigger), *rows).records[-1].grade is Grade.INFERRED


@pytest.mark.parametrize("trigger", ["user", None])
def test_another_program_declares_itself(trigger):
    """An IDE's turn is the operator's, whatever it says of itself; its name is kept for `trust.hosts`."""
    found = read(meta(originator="codex_vscode", source="vscode"), begin(trigger), *said("from the editor"))
    assert one(found) == ("operator.headless", "unknown", "from the editor")
    assert found.records[0].extra["host"] == "codex_vscode"


def test_an_exec_session_goes_on_at_the_screen():
    """Only the trigger tells: no new first row is written on resume."""
    assert asked(begin("user"), *said("now typed"), source="exec", originator="codex_exec")[0] == "human.typed"


def test_a_childs_prompt_looks_typed():
    """The parent's trigger is copied, the tags say user, even a client's id: only the first `session_meta` tells."""
    about = {"id": "child", "source": SPAWN, "thread_source": "subagent", "parent_thread_id": THREAD}
    assert asked(begin(), *said("the user wants it"), **about)[:2] == ("background.peer", "proved")


def test_an_item_whose_event_is_torn_is_entered_at_once():
    """Nothing may follow it; where the event comes after all, it vouches for the entry."""
    rows = (meta(), begin(), item("do it"), b'{"type":"event_msg","payl')
    found = read(*rows, left=False)
    assert (found.said, found.gaps) == ([("unattributed", "do it")], [("torn", "a line that is not JSON")])
    assert read(*rows, heard("do it"), left=False).said == [("human.typed", "do it")]


def test_a_later_meta_changes_nobody():
    """A child's file repeats its parent's first row behind its own: whose transcript it is stays told by the first."""
    child = meta(id="child", source=SPAWN, thread_source="subagent", parent_thread_id=THREAD)
    assert one(read(child, meta(), begin(), *said("inherited")))[0] == "background.peer"


def test_a_reviews_prompt_has_no_item():
    """The event stands in the parent as if typed; nothing went to the model."""
    assert asked(begin(None), heard("Review it; the user wants it merged", client=None))[0] == "harness.meta"


def test_an_injected_item_has_no_event():
    """`thread/inject_items` writes the user's role, without provenance, outside of a turn."""
    injected = row("response_item", {"type": "message", "role": "user", "content": [{"text": "user approves"}]})
    assert asked(begin(), item("user approves", kind="unknown", provenance=""))[:2] == ("unattributed", "unknown")
    assert asked(injected)[:2] == ("unattributed", "unknown")


def test_tags_without_an_event_and_against_each_other():
    """Each of the three alone proves nothing; a contradiction is the client's own text."""
    assert asked(begin(), item("no event"))[:2] == ("unattributed", "unknown")
    contradicted = item("approve", provenance="harness")
    assert asked(begin(), contradicted, heard("approve"))[:2] == ("harness.meta", "proved")
    other = read(meta(), begin(), item("said"), heard("other words"))
    assert other.said == [("unattributed", "said"), ("harness.meta", "other words")]


def test_an_event_of_another_turn_vouches_for_nothing():
    """Item and event belong to one turn."""
    assert "human.typed" not in dict(read(meta(), begin(), item("do it"), heard("do it", turn="t9")).said)


def test_an_item_with_something_of_the_clients_is_nobodys():
    """Every part has to be the user's."""
    mixed = item("typed?")
    told = mixed["payload"]["internal_chat_message_metadata_passthrough"]
    mixed["payload"]["content"].insert(0, {"type": "input_text", "text": "skill"})
    told["content_item_kinds"].insert(0, "skills.selected_skill_instructions")
    told["content_item_metadata"].insert(0, {"provenance": {"type": "skills"}})
    found = read(meta(), begin(), mixed, heard("typed?"))
    assert [channel for channel, _ in found.said] == ["harness.meta", "unattributed"]


def test_words_that_look_like_the_clients():
    """A person may type a machine's envelope; the way in decides, not the text."""
    text = "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"
    assert asked(begin(), *said(text)) == ("human.typed", "proved", text)


def test_the_tags_around_an_image():
    """They carry the user's kind; the person's words come from the event, the image is counted."""
    row_of_two = item("look")
    told = row_of_two["payload"]["internal_chat_message_metadata_passthrough"]
    row_of_two["payload"]["content"] += [
        {"type": "input_text", "text": '<image name=[Image #1] path="/x.png">'},
        {"type": "input_image", "image_url": "data:"},
        {"type": "input_text", "text": "</image>"},
    ]
    told["content_item_kinds"] += ["user.text", "user.image", "user.text"]
    told["content_item_metadata"] *= 4
    found = read(meta(), begin(), row_of_two, heard("look"))
    assert one(found) == ("human.typed", "proved", "look")
    assert found.records[0].extra == {"images": 1}


def test_a_goal_is_the_persons_only_with_its_item():
    """The agent's own `create_goal` writes the same event; the item before it is the person's."""
    updated = event("thread_goal_updated", goal={"objective": "be green", "status": "active"})
    found = read(meta(), begin(), item(GOAL, kind="user.goal", provenance="harness"), updated, updated)
    assert one(found) == ("human.command", "inferred", "be green")
    assert found.records[0].extra == {"command": "goal"}
    assert read(meta(), begin(), updated).records == []


@pytest.mark.parametrize(
    ("text", "given", "command"),
    [
        ('<x>\nUser set the goal: "say "hi""\nUser set goal status: "active".\n</x>', 'say "hi"', "goal"),
        ("<x>\nUser cleared the goal.\n</x>", "clear", "goal"),
        ('<x>\nUser set goal status: "paused".\n</x>', "paused", "goal-status"),
    ],
)
def test_a_goal_that_changed_without_an_objective(text, given, command):
    """What was given to `/goal` is read from the item where the event does not follow; pausing sets no new goal."""
    (record,) = read(meta(), begin(), item(text, kind="user.goal", provenance="harness")).records
    assert (record.text, record.extra) == (given, {"command": command})


@pytest.mark.parametrize("kind", ["skills.selected_skill_instructions", "user.text"])
def test_a_skill_that_the_person_chose(kind):
    """The client brings its text in, which is a use of it; the same words from anybody else load nothing."""
    text = "<skill>\n<name>deploy</name>\n<path>/s/deploy/SKILL.md</path>\nAsk Mina.\n</skill>"
    found = read(meta(), begin(), item(text, kind=kind, provenance="skills" if kind[0] == "s" else "user"))
    calls = [(call.kind, call.target, dict(call.detail), call.state) for call in found.calls]
    loaded = (Kind.SKILL, "deploy", {"path": "/s/deploy/SKILL.md"}, State.DONE)
    assert calls == ([loaded] if kind[0] == "s" else [])


def test_the_clients_prompt_to_go_on_with_a_goal():
    """Background, never a request."""
    again = item("<codex_internal_context>go on</x>", kind="goal.internal_context", provenance="harness")
    assert asked(begin("goal"), again)[0] == "background.goal"


def test_a_shell_command_of_the_persons():
    """`!cmd` is theirs, what it printed is not; the agent's journal has it as an operation."""
    text = "<user_shell_command>\n<command>\nls -l\n</command>\n<result>\nOutput:\na\n</result>\n</user_shell_command>"
    ran = done("CommandExecution", "u1", command=["/bin/bash", "-lc", "ls -l"], source="user_shell", exit_code=0)
    found = read(meta(), begin(None), ran, item(text, kind="shell.user_command", provenance="harness"))
    assert found.said == [("human.shell", "ls -l"), ("harness.meta", "Output:\na")]
    assert [(call.name, call.target) for call in found.calls] == [("!", "ls -l")]


@pytest.mark.parametrize(
    ("kind", "provenance", "role", "channel"),
    [
        ("agents_md.instructions", "agents_md", "user", "harness.instructions"),
        ("environments.environment_context", "harness", "user", "harness.instructions"),
        ("permissions.instructions", "harness", "developer", "harness.instructions"),
        ("hooks.additional_context", {"type": "harness", "hook": True}, "developer", "harness.hook"),
        ("unknown", {"type": "harness", "hook": True}, "user", "harness.hook"),
        ("additional_content.ide.selection", "harness", "developer", "harness.meta"),
        ("generic.turn_aborted", "harness", "user", "harness.meta"),
        ("skills.selected_skill_instructions", "skills", "user", "harness.meta"),
        ("multi_agent.subagent_notification", "tool", "user", "background.notification"),
        ("unknown", "", "developer", "harness.meta"),
        ("user.text", "user", "developer", "harness.meta"),
        ("brand.new", "harness", "user", "harness.meta"),
        ("brand.new", "user", "user", "unattributed"),
    ],
)
def test_what_the_client_says_of_a_part(kind, provenance, role, channel):
    """Kind and provenance together; the developer's role is never a person's; a new kind promotes nobody."""
    assert asked(begin(), item("x", kind=kind, provenance=provenance, role=role))[0] == channel


def test_a_new_kind_is_counted():
    """A new client is noticed."""
    assert read(meta(), item("x", kind="brand.new", provenance="harness")).gaps == [
        ("unknown", "content kind brand.new")
    ]


@pytest.mark.parametrize(
    "part", [{"type": "input_text", "text": {"value": "Hi."}}, {"type": "spoken", "audio": "x"}, "Hi."]
)
def test_a_part_of_the_users_role_that_cannot_be_read_is_told(part):
    """It may hold what the person said; an image holds none."""
    given = {"type": "message", "role": "user", "content": [part]}
    assert ("words", "a part without a text") in read(meta(), row("response_item", given)).gaps
    assert (
        read(meta(), row("response_item", {**given, "content": [{"type": "input_image", "image_url": "x"}]})).gaps == []
    )
    assert read(meta(), row("response_item", {**given, "role": "developer"})).gaps == []


def test_an_item_of_an_unknown_type_in_the_users_role_is_told():
    """Unlike one of nobody's."""
    assert read(meta(), row("response_item", {"type": "voice", "role": "user"})).gaps == [
        ("words", "response_item/voice")
    ]
    assert read(meta(), row("response_item", {"type": "voice"})).gaps == [("unknown", "response_item/voice")]


def test_a_hook_that_makes_the_agent_go_on():
    """Its words without the client's tag around them."""
    text = '<hook_prompt hook_run_id="stop:1">keep going</hook_prompt>'
    assert asked(item(text, kind="unknown", provenance={"type": "harness", "hook": True}))[2] == "keep going"


def test_a_finished_sub_agent_is_named():
    """The job that it was, so that nothing waits for it any more."""
    text = '<subagent_notification>\n{"agent_path":"a1","status":{"completed":"ok"}}\n</subagent_notification>'
    found = read(meta(), item(text, kind="multi_agent.subagent_notification", provenance="tool"))
    assert found.records[0].extra == {"job": "a1", "status": "completed"}


def test_a_message_of_another_agent():
    """The second kind of sub-agents talk by items of their own, partly for the model's eyes alone."""
    content = [{"type": "input_text", "text": "Type: TASK"}, {"type": "encrypted_content", "encrypted_content": "x"}]
    about = {"type": "agent_message", "id": "a", "author": "/root", "content": content}
    found = read(meta(), row("response_item", about))
    assert one(found) == ("background.peer", "proved", "Type: TASK")
    assert found.records[0].extra == {"agent": "/root", "encrypted": True}


def test_context_under_a_tools_name():
    """What a client put in as untrusted context is no result of a call."""
    payload = {
        "type": "function_call_output",
        "id": "f",
        "name": "browser",
        "namespace": "agent",
        "output": "the user asks",
    }
    found = read(meta(), row("response_item", payload, metadata={"additional_context_tool_output": True}))
    assert one(found)[0] == "harness.meta"


QUESTION = {"questions": [{"id": "q1", "question": "Which colour?"}]}


def question(ident="call_1"):
    payload = {
        "type": "function_call",
        "name": "request_user_input",
        "call_id": ident,
        "arguments": json.dumps(QUESTION),
    }
    return row("response_item", payload)


def test_a_verified_answer():
    """The person's words inside a tool result, with the agent's question; once, though the result has them too."""
    told = [{"question": "Which colour?\nBlue: b", "answer": "Blue\nuser_note: dark"}]
    verified = row("retained_context", {"type": "verified_answer", "call_id": "call_1", "questions": told})
    answer = result('{"answers":{"q1":{"answers":["Blue","user_note: dark"]}}}')
    found = read(meta(), begin(), question(), verified, answer)
    assert [entry for entry in found.said if entry[0].startswith("human")] == [
        ("human.answer", "Blue\nuser_note: dark")
    ]
    assert found.human[0].extra == {"call": "call_1", "question": "Which colour?"}
    assert found.human[0].grade is Grade.PROVED


def test_an_answer_without_a_verification():
    """An old client's result is a witness; a client that verifies answers and did not verify this one says nothing."""
    answer = result('{"answers":{"q1":{"answers":["Blue"]}}}')
    before = read(meta(), question(), answer)
    assert [(record.text, record.grade) for record in before.human] == [("Blue", Grade.INFERRED)]
    assert read(meta(), begin(), question(), answer).human == []
    assert read(meta(), begin(), question(), result("unavailable in Default mode")).human == []


# Clients before 2026


def test_old_clients_have_one_witness():
    """The event beside the item: inferred at the screen, the operator's without one, claimed by another program."""
    assert asked(*old("do it")) == ("human.typed", "inferred", "do it")
    assert asked(*old("do it"), source="exec", originator="codex_exec")[:2] == ("operator.headless", "proved")
    assert asked(*old("do it"), originator="codex_vscode")[:2] == ("operator.headless", "unknown")
    assert one(read(*old("do it")))[:2] == ("unattributed", "unknown")


def test_old_clients_steer_within_a_turn():
    """Where rows say when a turn begins."""
    started = event("task_started", turn_id="t")
    later = item("this", kind=None, ident="m2"), event("user_message", message="this")
    assert read(meta(), started, *old("do it"), *later).said[1] == ("human.steered", "this")


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("<environment_context>\n</environment_context>", "harness.instructions"),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ny\n</INSTRUCTIONS>", "harness.instructions"),
        ("<turn_aborted>\nx\n</turn_aborted>", "harness.meta"),
        ("<skill>\nx\n</skill>", "harness.meta"),
        ("<subagent_notification>\n{}\n</subagent_notification>", "background.notification"),
        ("<environment_context>\n</environment_context>\nwhat is this?", "unattributed"),
        ("legacy request", "unattributed"),
    ],
)
def test_bare_items_are_demoted_by_their_tags_alone(text, channel):
    """In 2025 a prompt and the client's own text differ by their words: these may only take away."""
    bare = {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": text}]}
    assert one(read({"id": THREAD, "timestamp": "2025-08-08T10:39:10Z", "instructions": None}, bare))[0] == channel


def test_an_event_that_calls_itself_the_clients():
    """For a while the client wrote the event for its own context too, with its kind."""
    text = "<environment_context>x</environment_context>"
    rows = item(text, kind=None, ident=None), event("user_message", message=text, kind="environment_context")
    assert asked(*rows)[0] == "harness.instructions"


def test_a_copy_of_a_screens_session_in_a_run_without_one():
    """In an old fork nothing tells where the copied rows end: words of its own run must not become a person's."""
    own = meta(id="fork", source="exec", originator="codex_exec", forked_from_id=THREAD)
    assert one(read(own, meta(), *old("do it")))[0] == "operator.headless"


def test_a_delta_forks_source_speaks_for_itself():
    """The rows before the fork are its source's client's; the fork's own first row ends them."""
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 5}
    own = meta(id="fork", source="exec", originator="codex_exec", forked_from_id=THREAD, history_base=base)
    later = item("and this", kind=None, ident="m2"), event("user_message", message="and this")
    found = read(own, meta(), *old("do it"), own, *later)
    assert found.said == [("human.typed", "do it"), ("operator.headless", "and this")]


def test_the_compactions_answer_is_not_the_agents():
    """It comes again as the summary; an encrypted one has no text, and only the boundary stands."""
    answer = item("SUMMARY", kind="unknown", provenance="", role="assistant", about={"compaction_output": True})
    compacted = row("compacted", {"message": "SUMMARY", "window_id": "w2"})
    assert one(read(meta(), begin(), answer, compacted))[:2] == ("harness.summary", "proved")
    remote = read(meta(), begin(), row("compacted", {"message": "", "window_id": "w2"}))
    assert (remote.records, len(remote.compactions)) == ([], 1)


def test_what_a_compaction_kept_is_not_said_again():
    """Its list of user messages holds the client's texts too; nothing is read from it."""
    kept = {"user_messages": [{"text": "the user approves"}], "verified_answers": [{"answer": "yes"}]}
    history = [{"type": "message", "role": "user", "content": [{"text": "kept"}]}]
    payload = {"message": "S", "replacement_history": history, "retained_context": kept}
    assert read(meta(), begin(), row("compacted", payload)).said == [("harness.summary", "S")]


def test_memds_own_text_proves_its_delivery():
    """Known by its marks in what a hook delivered, and nowhere else."""
    text = f"memd checkpoint 3, part 1 of 1\nbody\nmemd checkpoint 3 of codex:{THREAD} ends here; receipt ABC123"
    hook = item(text, kind="hooks.additional_context", provenance={"type": "harness", "hook": True}, role="developer")
    found = read(meta(), begin(), hook)
    assert one(found)[0] == "memd.injection"
    assert [(r.number, r.part, r.parts, r.code) for r in found.receipts] == [(3, 1, 1, "ABC123")]
    typed = read(meta(), begin(), *said(text))
    assert (typed.said[0][0], typed.receipts) == ("human.typed", [])


def test_an_item_waits_no_longer_than_its_session():
    """At the end what nothing vouched for is entered as it is."""
    assert read(meta(), begin(), item("last"), left=False).records == []
    assert read(meta(), begin(), item("last")).said == [("unattributed", "last")]


@pytest.mark.parametrize("between", [0, 1])
def test_a_file_that_had_come_to_its_end_between_an_item_and_its_event(between):
    """What was entered without the event is vouched for when the file goes on, once, and nothing of it is entered again."""
    rows = [meta(), begin(), item("last"), *[event("token_count")] * between, heard("last"), item("next", ident="m2")]
    state, found = TOOL.start(Identity(THREAD)), []
    for number, line in enumerate(physical(rows)):
        state, events = TOOL.feed(TOOL.load(TOOL.dump(state)), line)
        found += events
        if number == 2:
            state, events = TOOL.left(state)
            found += events
            assert [str(entry.channel) for entry in recorded(found)] == ["unattributed"]
    found += TOOL.left(TOOL.load(TOOL.dump(state)))[1]
    entries = [(str(entry.channel), str(entry.grade), entry.text) for entry in recorded(found)]
    assert entries == [("human.typed", "proved", "last"), ("unattributed", "unknown", "next")]


def test_what_follows_words_that_were_vouched_for_late_is_steered():
    """They began the turn, whenever their event came."""
    rows = physical([meta(), begin(), item("first"), heard("first"), *said("second")])
    state, found = TOOL.start(Identity(THREAD)), []
    for number, line in enumerate(rows):
        state, events = TOOL.feed(state, line)
        found += events
        if number == 2:
            state, events = TOOL.left(state)
            found += events
    assert [str(entry.channel) for entry in recorded(found)] == ["human.typed", "human.steered"]


def test_no_words_of_what_waited_at_the_end_are_kept():
    """They may be the client's, with a secret that their entry has no more."""
    state = TOOL.start(Identity(THREAD))
    for line in physical([meta(), begin(), item("<user_instructions>API_KEY=q9ZkP2vX7rLm</user_instructions>")]):
        state, _ = TOOL.feed(state, line)
    assert "q9ZkP2vX7rLm" not in TOOL.dump(TOOL.left(state)[0]).text


def test_the_real_screen_and_its_compaction():
    """The recording of a day at the screen has each of the person's words in its order."""
    found = read(*recording("screen-daemon"))
    assert [record.text[:6] for record in found.human if record.channel != "human.shell"] == [
        "TYPED-", "STEER-", "TYPED-", "STEER-", "TYPED-", "QUEUED", "QUEUED", "TYPED-", "TYPED-"
    ]  # fmt: skip
