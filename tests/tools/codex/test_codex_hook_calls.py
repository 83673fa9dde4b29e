"""Hook calls of Codex: what a payload tells, and the bytes that answer it."""

import json

import pytest
from codex_rows import THREAD, TOOL

from memd.tools.protocol import Moment

COMMON = {"session_id": THREAD, "transcript_path": "/c/rollout-x.jsonl", "cwd": "/w", "model": "gpt-5.5"}


def test_a_session_that_starts():
    """Its source tells new, resumed, cleared, compacted and forked ones apart."""
    moment = TOOL.moment("SessionStart", {**COMMON, "source": "compact"})
    assert moment == Moment("SessionStart", "compact", THREAD, cwd="/w", transcript="/c/rollout-x.jsonl")


def test_a_turns_event():
    """It carries the turn's id; a compaction its trigger."""
    assert TOOL.moment("UserPromptSubmit", {**COMMON, "turn_id": "t1"}).turn == "t1"
    assert TOOL.moment("PreCompact", {**COMMON, "trigger": "manual"}).trigger == "manual"


@pytest.mark.parametrize("agent", ["a1", 5, ["x"]])
def test_a_sub_agents_event_has_its_roots_id(agent):
    """Only `agent_id` tells; of any type, for nothing is given there."""
    assert TOOL.moment("UserPromptSubmit", {**COMMON, "agent_id": agent}).child


@pytest.mark.parametrize("payload", [{}, {"session_id": 5}, {"session_id": ""}])
def test_what_is_no_payload(payload):
    """It answers nothing."""
    assert TOOL.moment("SessionStart", payload) is None


def test_an_ephemeral_run_has_no_transcript():
    """Its path is null."""
    assert TOOL.moment("SessionStart", {**COMMON, "transcript_path": None}).transcript is None


def test_a_reply():
    """One known field at the top: any other would drop the whole output without a word."""
    output = {"hookEventName": "SessionStart", "additionalContext": "Grüße 你好"}
    assert json.loads(TOOL.reply("SessionStart", "Grüße 你好")) == {"hookSpecificOutput": output}


@pytest.mark.parametrize(("event", "text"), [("PreCompact", "x"), ("PostCompact", "x"), ("SessionStart", "")])
def test_nothing_is_said(event, text):
    """A compaction takes no text, and no text is no output."""
    assert TOOL.reply(event, text) == b""
