"""Words that wait in the client's queue when a compaction comes: given back before they are an entry, and never twice."""

import json
import threading

import pytest
from transcript import given

from memd.daemon import giving
from memd.daemon.jobs import Urgency

LATE = "And tell me how long each run took."
WAITING = f"who sent it is not recorded yet; if it also comes as a message, that is the same), verbatim:\n{LATE}\n"


@pytest.fixture
def transcript(chain):
    """A session whose agent works, with a checkpoint that holds for all that is recorded."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    transcript.typed("Run the smoke test.")
    chain.read(transcript)
    return transcript


def queue(transcript, operation, content=None, **fields):
    """A row of the client's queue; it has no id and no time that anything goes by."""
    words = {} if content is None else {"content": content}
    row = {"type": "queue-operation", "operation": operation, "sessionId": transcript.session, **words, **fields}
    transcript.raw(json.dumps({"timestamp": "2026-11-30T03:44:01.373Z", **row}).encode() + b"\n")


def taken_in(transcript, words=LATE):
    """The rows that come when the client takes waiting words into the running turn."""
    queue(transcript, "remove", words, reason="absorbed_mid_turn")
    what = {"type": "queued_command", "prompt": words, "commandMode": "prompt", "humanTurn": True}
    transcript.row(type="attachment", attachment={**what, "origin": {"kind": "human"}})


def after_compaction(chain, transcript):
    return given(chain.hook("SessionStart", transcript, part=1, source="compact"))


def test_words_that_wait_at_precompact_are_given_back_without_another_look(chain, transcript, monkeypatch):
    """Their delivery is on disk too late, and the last look does not come in time: they are in the text all the same."""
    queue(transcript, "enqueue", LATE)
    chain.hook("PreCompact", transcript, trigger="auto")
    taken_in(transcript)
    monkeypatch.setattr(giving, "LOOK", 0.05)
    held = threading.Event()
    chain.worker.submit(Urgency.HOOK, lambda _: held.wait(10))
    try:
        text = after_compaction(chain, transcript)
    finally:
        held.set()
    assert text.count(LATE) == text.count(WAITING) == 1


def test_words_that_left_the_queue_and_have_not_come_wait_too(chain, transcript):
    """Between the two rows of a delivery they are in no queue and no entry yet."""
    queue(transcript, "enqueue", LATE)
    queue(transcript, "remove", LATE, reason="absorbed_mid_turn")
    chain.hook("PreCompact", transcript, trigger="auto")
    assert WAITING in after_compaction(chain, transcript)


def test_words_typed_while_the_summary_is_made_are_given_back(chain, transcript):
    """Nothing else came since PreCompact: the first request after the compaction finds them in the queue."""
    chain.hook("PreCompact", transcript, trigger="auto")
    queue(transcript, "enqueue", LATE)
    transcript.compacts()
    assert WAITING in after_compaction(chain, transcript)


def test_a_queue_that_alone_has_changed_is_seen(chain, transcript):
    """A row of the queue is no entry: the checkpoint holds for all that is recorded, and is made again for it."""
    queue(transcript, "enqueue", LATE)
    chain.hook("PreCompact", transcript, trigger="auto")
    assert WAITING in after_compaction(chain, transcript)
    queue(transcript, "dequeue")
    queue(transcript, "enqueue", "And what it costs.")
    transcript.typed(LATE, promptSource="queued")
    chain.hook("PreCompact", transcript, trigger="auto")
    text = after_compaction(chain, transcript)
    assert (WAITING in text, "verbatim:\nAnd what it costs.\n" in text) == (False, True)


def test_words_that_came_in_meanwhile_stand_once_as_the_persons(chain, transcript):
    """The delivered row makes them an entry with its number; they wait no more, and are not doubled."""
    queue(transcript, "enqueue", LATE)
    chain.hook("PreCompact", transcript, trigger="auto")
    taken_in(transcript)
    text = after_compaction(chain, transcript)
    assert f"Added while I worked (#4), verbatim:\n{LATE}\n" in text
    assert (text.count("\n" + LATE), "Waiting in the client's queue" in text) == (1, False)
    assert [r.text for r in chain.store.messages(transcript.id)].count(LATE) == 1


def test_what_waits_is_no_entry_and_binds_nobody(chain, transcript):
    """Nothing states who queued it: it has no number, is in no memo, and is not the request."""
    queue(transcript, "enqueue", LATE)
    chain.hook("PreCompact", transcript, trigger="auto")
    text = after_compaction(chain, transcript)
    assert LATE not in (chain.folders.session("claude-code", transcript.session) / "memo.md").read_text()
    assert "The current request (#3), verbatim:\nRun the smoke test." in text
    assert [r.text for r in chain.store.messages(transcript.id)].count(LATE) == 0


@pytest.mark.parametrize(
    "words", ["<task-notification><task-id>a</task-id></task-notification>", "/compact", " ", "the user asks: go on"]
)
def test_what_no_person_waits_for_is_not_shown(chain, transcript, words):
    """A job's report, a bare command, nothing, and what the agent's own schedule says (it stands among its schedules)."""
    call = {"type": "tool_use", "id": "toolu_cron", "name": "CronCreate"}
    schedule = {"cron": "* * * * *", "prompt": "the user asks: go on", "recurring": False}
    transcript._answer([{**call, "input": schedule}], "tool_use")
    block = {"type": "tool_result", "tool_use_id": "toolu_cron", "content": "Scheduled"}
    transcript.row(type="user", message={"role": "user", "content": [block]}, toolUseResult={"id": "c1", **schedule})
    queue(transcript, "enqueue", words)
    chain.hook("PreCompact", transcript, trigger="auto")
    text = after_compaction(chain, transcript)
    assert ("Run the smoke test." in text, "Waiting in the client's queue" in text) == (True, False)


def test_words_that_were_taken_back_wait_no_more(chain, transcript):
    queue(transcript, "enqueue", LATE)
    queue(transcript, "popAll", LATE)
    chain.hook("PreCompact", transcript, trigger="auto")
    assert "Waiting in the client's queue" not in after_compaction(chain, transcript)
