"""Advice before a call: for what is known to be so, three lines a turn, none twice between two compactions, nothing refused."""

import os
import time

import pytest
from chain import Chain
from transcript import given

from memd import config
from memd.daemon.setup import project as setup

OLD, NEW = "request_timeout = 30.0", "request_timeout = 47.5"


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    setup.init(tmp_path / "state", folder, in_repo=False)
    (folder / "gateway.toml").write_text(NEW + "\n")
    past = time.time() - 3_600
    os.utime(folder / "gateway.toml", (past, past))
    return folder


@pytest.fixture
def session(chain, work):
    """It edited, read, renamed, installed and pushed; then it was compacted."""
    (work / "lib").mkdir()
    (work / "lib" / "pool.py").write_text("")
    transcript = chain.transcript(cwd=str(work))
    transcript.typed("Raise the timeout.")
    transcript.uses("Read", file_path=str(work / "gateway.toml"))
    transcript.uses("Edit", file_path=str(work / "gateway.toml"), old_string=OLD, new_string=NEW)
    transcript.runs("mv src/pool.py lib/pool.py")
    transcript.runs("npm install left-pad")
    transcript.runs("git commit -m 'Raise it'")
    transcript.runs("git push origin main")
    transcript.says("Done.")
    chain.read(transcript)
    return transcript


def call(chain, transcript, name, turn="t1", **given_):
    reply = chain.hook("PreToolUse", transcript, prompt_id=turn, tool_name=name, tool_input=given_, tool_use_id="x")
    chain.settle()
    return given(reply).partition("memd: project constraints")[0].rstrip()


def compact(chain, transcript):
    transcript.compacts()
    transcript.typed("Go on.", promptId="t1")
    chain.read(transcript)


def edit(chain, transcript, work, **options):
    path = str(work / "gateway.toml")
    return call(chain, transcript, "Edit", file_path=path, old_string=OLD, new_string=NEW, **options)


def test_before_a_compaction_nothing_is_a_repeat(chain, session, work):
    """The agent has it in its context."""
    assert edit(chain, session, work) == ""
    assert call(chain, session, "Read", file_path=str(work / "gateway.toml")) == ""
    assert call(chain, session, "Bash", command="git push origin main") == ""


def test_repeats_and_rereads_are_told_once(chain, session, work):
    """The edit with its values, the side effect, the file that nobody changed; the second time nothing."""
    compact(chain, session)
    told = edit(chain, session, work)
    assert told.startswith("memd: note: done before the compaction (#")
    assert "edit `gateway.toml:request_timeout`: `30.0` -> `47.5`" in told
    assert "`npm install left-pad`" in call(chain, session, "Bash", command="npm install left-pad")
    assert "was read before the compaction (#" in call(chain, session, "Read", file_path=str(work / "gateway.toml"))
    again = [edit(chain, session, work, turn="t2"), call(chain, session, "Bash", "t2", command="npm install left-pad")]
    assert again == ["", ""]


def test_the_next_compaction_takes_what_was_told_and_it_is_told_again(chain, session, work):
    """The agent knows of it no more, and what it did stands as it did."""
    compact(chain, session)
    assert "`npm install left-pad`" in call(chain, session, "Bash", command="npm install left-pad")
    session.says("Left as it is.")
    session.compacts()
    session.typed("Go on.", promptId="t2")
    chain.read(session)
    assert "`npm install left-pad`" in call(chain, session, "Bash", "t2", command="npm install left-pad")
    assert call(chain, session, "Bash", "t3", command="npm install left-pad") == ""


def test_what_a_shell_line_shows_counts_as_read(chain, session, work):
    """The same part of a file, by a tool or the shell; another part, a search or a file that is written is none."""
    past = time.time() - 3_600
    for name in ("b.md", "c.md", "d.md"):
        (work / name).write_text("x\n")
        os.utime(work / name, (past, past))
    session.runs("cat b.md && sed -n 1,20p c.md")
    session.runs("cd /tmp && cat d.md")
    compact(chain, session)
    assert "`gateway.toml` was read before" in call(chain, session, "Bash", "t1", command="cat gateway.toml | head -3")
    assert "`b.md` was read before" in call(chain, session, "Read", "t2", file_path=str(work / "b.md"))
    assert "`c.md` was read before" in call(chain, session, "Bash", "t3", command="sed -n 1,20p c.md")
    others = ["cat c.md", "sed -n 20,40p c.md", "rg x b.md", "cat > b.md <<EOF\nx\nEOF", "cat d.md"]
    assert [call(chain, session, "Bash", f"u{n}", command=command) for n, command in enumerate(others)] == [""] * 5


def test_three_lines_a_turn(chain, session, work):
    """The fourth waits for another turn, and is not lost."""
    compact(chain, session)
    commands = ["npm install left-pad", "git commit -m 'Raise it'", "git push origin main"]
    assert all(call(chain, session, "Bash", command=command) for command in commands)
    assert edit(chain, session, work) == ""
    assert edit(chain, session, work, turn="t2")


def test_what_has_a_reason_is_no_repeat(chain, session, work):
    """A value that was set back, a push after a new commit, a file that changed: done again rightly."""
    session.uses("Edit", file_path=str(work / "gateway.toml"), old_string=NEW, new_string=OLD)
    session.runs("git commit -m 'Take it back'")
    (work / "gateway.toml").write_text(OLD)
    compact(chain, session)
    assert edit(chain, session, work) == ""
    assert call(chain, session, "Bash", command="git push origin main") == ""
    assert call(chain, session, "Read", file_path=str(work / "gateway.toml")) == ""


def test_a_path_that_is_elsewhere(chain, session, work):
    """Renamed, by the journal; of the same name elsewhere, by an anchor; in a shell line too. One that is there: nothing."""
    told = call(chain, session, "Read", file_path=str(work / "src" / "pool.py"))
    assert told.startswith("memd: note: `src/pool.py` is not there; `lib/pool.py` is (renamed #")
    assert "`lib/pool.py` is (used " in call(chain, session, "Bash", "t2", command="python app/pool.py --check")
    assert call(chain, session, "Read", "t3", file_path=str(work / "lib" / "pool.py")) == ""
    for outside in ("/nowhere/pool.py", "../other/pool.py"):
        assert call(chain, session, "Read", "t4", file_path=outside) == ""


def test_rules_that_name_a_target(chain, session, work):
    """Before risky commands, edits of what a rule names, and changes of what is depended on; other rules stay silent."""
    (work / ".agent" / "constraints.md").write_text(
        "- Never drop table invoices.\n- Do not touch schema.sql, fixtures depend on it.\n- No lodash here.\n- Be kind.\n"
    )
    drop = call(chain, session, "Bash", command="psql -c 'DROP TABLE invoices'")
    assert drop == 'memd: note: a constraint of this project names this: "- Never drop table invoices."'
    assert "schema.sql" in call(
        chain, session, "Edit", "t2", file_path=str(work / "schema.sql"), old_string="a", new_string="b"
    )
    package = '"dependencies": {\n  "lodash": "^4"\n}'
    assert "No lodash" in call(
        chain, session, "Edit", "t3", file_path=str(work / "package.json"), old_string="", new_string=package
    )
    assert call(chain, session, "Bash", "t4", command="psql -c 'SELECT 1 FROM invoices'") == ""


def test_a_rule_names_a_folder_with_all_that_lies_in_it(chain, session, work):
    """Written as a folder for an edit; before something risky without the stroke too."""
    (work / ".agent" / "constraints.md").write_text(
        "- What is in gen/ is generated.\n- Keep the user-data.\n- One gen at a time.\n"
    )
    inner = str(work / "gen" / "a" / "b.py")
    told = call(chain, session, "Edit", "t2", file_path=inner, old_string="a", new_string="b")
    assert told == 'memd: note: a constraint of this project names this: "- What is in gen/ is generated."'
    assert "Keep the user-data" in call(chain, session, "Bash", "t3", command="rm -rf user-data/cache")


def test_decisions_that_name_a_dependency(chain, session, work):
    """What the person answered is a recorded decision."""
    question = "Use moment or date-fns?"
    session.uses(
        "AskUserQuestion",
        known={"answers": {question: "date-fns, never moment again"}},
        questions=[{"question": question}],
    )
    session.says("Then date-fns.")
    chain.read(session)
    told = call(chain, session, "Bash", "t9", command="npm install moment")
    assert "a recorded decision names this (this session): " in told
    assert "never moment again" in told


def test_one_setting_turns_it_off_and_a_file_adds_commands(tmp_path, work):
    """`guard = false`; `.agent/risks.txt` has beginnings of commands that are risky here."""
    (work / ".agent" / "risks.txt").write_text("# what moves things\nctl beamline  # the hall\n")
    (work / ".agent" / "constraints.md").write_text("- The beamline is switched by hand.\n")
    for settings, silent in (
        (config.Config(guard=False), True),
        (config.Config(), False),
    ):
        chain = Chain(tmp_path, settings)
        try:
            transcript = chain.transcript(cwd=str(work))
            transcript.turn("Go.")
            chain.read(transcript)
            assert (call(chain, transcript, "Bash", command="ctl beamline on") == "") is silent
        finally:
            chain.close()


def test_what_was_told_outlives_the_daemon(tmp_path, work):
    """Started again, it does not tell it twice."""
    for expected in (True, False):
        chain = Chain(tmp_path)
        try:
            transcript = chain.transcript(cwd=str(work))
            if expected:
                transcript.typed("Go.")
                transcript.runs("npm install left-pad")
                compact(chain, transcript)
            assert bool(call(chain, transcript, "Bash", command="npm install left-pad")) is expected
        finally:
            chain.close()


def test_sub_agents_and_foreign_sessions_get_nothing(chain, session, work):
    """A sub-agent is never told anything; a session of another machine has no project."""
    compact(chain, session)
    assert (
        chain.hook(
            "PreToolUse",
            session,
            agent_id="a1",
            prompt_id="t1",
            tool_name="Bash",
            tool_input={"command": "npm install left-pad"},
        )
        == b""
    )
    foreign = chain.transcript("5d1f0c1e-7b1a-4b7e-9a52-000000000009", cwd="/nowhere/at/all")
    foreign.typed("Go.")
    foreign.runs("npm install left-pad")
    compact(chain, foreign)
    assert call(chain, foreign, "Bash", command="npm install left-pad") == ""


@pytest.mark.parametrize("odd", [{"tool_input": None}, {"tool_input": []}, {"tool_name": 7}, {"tool_use_id": None}])
def test_odd_payloads_are_answered_with_nothing(chain, session, odd):
    """A client of another version, or a broken one."""
    payload = {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_use_id": "x", "prompt_id": "t1"} | odd
    assert chain.hook("PreToolUse", session, **payload) == b""


def test_what_a_fact_rests_on_is_noted_when_a_session_starts(chain, work):
    """What the first turn changes is not taken for what the fact was about."""
    (work / ".agent" / "facts" / "gateway.md").write_text("- [confirmed] the timeout is long (gateway.toml:1)\n")
    transcript = chain.transcript(cwd=str(work))
    chain.hook("SessionStart", transcript, source="startup", cwd=str(work))
    chain.settle()
    (work / "gateway.toml").write_text("# for the load balancer\n" + NEW + "\n")
    transcript.turn("Go on.")
    chain.read(transcript)
    assert "(gateway.toml:2, moved from line 1)" in call(
        chain, transcript, "Read", file_path=str(work / "gateway.toml")
    )


def test_facts_of_a_module_are_told_before_it_is_touched(chain, session, work):
    """Once after each compaction, held against the source: one whose line moved is corrected. They take no room from advice."""
    facts = work / ".agent" / "facts"
    (facts / "gateway.md").write_text(
        "- [confirmed] `request_timeout` is in seconds (gateway.toml:1)\n- ~~[confirmed] no (a:1)~~\n"
    )
    session.turn("Go on.")
    chain.read(session)
    (work / "gateway.toml").write_text("# for the load balancer\n" + NEW + "\n")
    path = str(work / "gateway.toml")
    told = call(chain, session, "Read", file_path=path)
    assert told == "memd: note: fact [confirmed] `request_timeout` is in seconds (gateway.toml:2, moved from line 1)"
    assert call(chain, session, "Read", "t2", file_path=path) == ""
    compact(chain, session)
    assert told in call(chain, session, "Read", "t3", file_path=path)
    compact(chain, session)
    assert told in call(chain, session, "Bash", "t4", command="cat gateway.toml")
