"""What Claude Code's hooks send and take."""

import json

import pytest
from claude_rows import SESSION, TOOL

from memd.tools.protocol import Moment


def test_a_payload():
    """What is needed of it, by the client's own names."""
    payload = {
        "session_id": SESSION,
        "transcript_path": "/home/dev/x.jsonl",
        "cwd": "/home/dev/w",
        "hook_event_name": "SessionStart",
        "source": "compact",
    }
    assert TOOL.moment("SessionStart", payload) == Moment(
        "SessionStart", "compact", SESSION, "/home/dev/w", "/home/dev/x.jsonl"
    )
    assert TOOL.moment("PreCompact", {"session_id": SESSION, "trigger": "auto"}).trigger == "auto"
    assert TOOL.moment("SessionEnd", {"session_id": SESSION, "reason": "clear"}).reason == "clear"


def test_a_sub_agents_event():
    """It carries the agent's id: nothing is given there."""
    assert TOOL.moment("PreToolUse", {"session_id": SESSION, "agent_id": "a1"}).child
    assert not TOOL.moment("PreToolUse", {"session_id": SESSION}).child


@pytest.mark.parametrize(
    "payload", [{}, {"session_id": ""}, {"session_id": 5}, {"session_id": None}, {"sessionId": "x"}]
)
def test_without_a_session_it_is_no_payload(payload):
    """Nothing can be answered."""
    assert TOOL.moment("SessionStart", payload) is None


def test_wrong_types_are_as_good_as_absent():
    """Every other field may be anything."""
    payload = {key: ["x"] for key in ("source", "cwd", "transcript_path", "agent_id", "trigger", "reason")}
    assert TOOL.moment("Stop", {**payload, "session_id": SESSION}) == Moment("Stop", None, SESSION)


def test_a_reply_names_its_event():
    """Under another name the client would drop the whole output; the text is exact."""
    text = 'a "quoted" 漢 😀\nline'
    reply = json.loads(TOOL.reply("SessionStart", text))
    assert reply == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def test_before_a_compaction_only_plain_text_is_taken():
    """JSON is refused there; and no text is no output."""
    assert TOOL.reply("PreCompact", "keep é") == "keep é".encode()
    assert TOOL.reply("PreCompact", "") == TOOL.reply("SessionStart", "") == b""
