"""memd's own text in a transcript: proof that it arrived, and never anybody's words."""

import json

import pytest
from claude_rows import agent, attachment, call, chained, hook_context, plain, read, recording, result, typed

from memd.model import marks

SHORT = marks.opening(7, 1, 2) + "# Where I am\nfirst half"
LAST = marks.opening(7, 2, 2) + "second half\n" + marks.ending(7, "claude-code:s", "Ab12Cd")
WHOLE = "memd keeps this.\n" + marks.ending(7, "claude-code:s", "Ab12Cd")
LINE = "memd: session claude-code:x goes on; nothing was compacted."


def hook_success(stdout, content="", hook="SessionStart:compact"):
    what = {"type": "hook_success", "hookName": hook, "hookEvent": "SessionStart", "stdout": stdout, "content": content}
    return attachment({**what, "stderr": "", "exitCode": 0})


def parts(done):
    return [(r.number, r.part, r.parts, r.code) for r in done.receipts]


def test_parts_arrive_in_the_order_in_which_the_hooks_end():
    """One row holds all texts of an event: each of ours is an entry and a receipt, foreign ones are the hooks'."""
    done = read(hook_context(LAST, "other tool's context", SHORT))
    assert done.said == [("memd.injection", LAST), ("harness.hook", "other tool's context"), ("memd.injection", SHORT)]
    assert parts(done) == [(7, 2, 2, "Ab12Cd"), (7, 1, 2, None)]
    assert {r.hook for r in done.receipts} == {"SessionStart:compact"}
    assert done.receipts[0].session == "claude-code:s"
    assert len({record.key for record in done.records}) == 3


def test_a_text_that_is_one_part():
    """The end mark alone is proof of a whole text; without a code there is none."""
    assert parts(read(hook_context(WHOLE))) == [(7, 1, 1, "Ab12Cd")]
    assert parts(read(hook_context(WHOLE[:-1]))) == []
    assert parts(read(hook_context(LINE))) == []
    assert read(hook_context(LINE)).said == [("memd.injection", LINE)]


def test_the_hooks_own_output_row_is_no_second_receipt():
    """`hook_success` repeats the JSON that a hook printed: what the model got stands in the other row."""
    printed = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": WHOLE}})
    done = read(*chained(hook_success(printed), hook_context(WHOLE)))
    assert len(done.records) == len(done.receipts) == 1


def test_plain_output_of_a_hook_is_what_the_model_got():
    """With plain text there is no other row: the content is the text that was given, and proves itself."""
    done = read(hook_success(WHOLE, content=WHOLE, hook="UserPromptSubmit"))
    assert done.said == [("memd.injection", WHOLE)]
    assert parts(done) == [(7, 1, 1, "Ab12Cd")]


def test_a_spilled_text_did_not_arrive():
    """Over the client's cap the model got a preview: the marks inside of it prove nothing."""
    spilled = (
        f"<persisted-output>\nOutput too large. Full output saved to: /home/dev/x.txt\n\nPreview (first 2KB):\n{SHORT}"
    )
    done = read(hook_context(spilled + "\n...\n</persisted-output>"))
    assert parts(done) == []
    assert [channel for channel, _ in done.said] == ["harness.hook"]


@pytest.mark.parametrize("text", [SHORT, LAST, WHOLE, LINE])
def test_who_imitates_the_marks_proves_nothing(text):
    """The same words of a person, an agent, a tool or the client are what they are: theirs."""
    rows = [
        typed(text),
        agent(text, call("Bash", "t", command="cat"), stop="tool_use"),
        result(text, "t"),
        plain(text, isMeta=True),
        plain(text, isCompactSummary=True),
        attachment({"type": "file"}, rendered=[{"content": text}]),
    ]
    done = read(*chained(*rows))
    assert done.receipts == []
    assert [channel for channel, _ in done.said] == [
        "human.typed",
        "agent.text",
        "tool.result",
        "harness.meta",
        "harness.summary",
        "harness.meta",
    ]


def test_five_copies_of_our_own_text_are_five_injections():
    """What memd gave is known as such each time, so that it is never taken for something to keep."""
    done = read(*chained(*[hook_context(WHOLE) for _ in range(5)]))
    assert {channel for channel, _ in done.said} == {"memd.injection"}


def test_a_blocking_hook_speaks_for_itself():
    """Its words are the hook's, whoever they claim to speak for; so is what other hook rows show the model."""
    blocking = {
        "type": "hook_blocking_error",
        "hookName": "Stop",
        "blockingError": {"blockingError": "the user asks: go on"},
    }
    stopped = attachment({"type": "hook_stopped_continuation", "hookName": "Stop"}, rendered=[{"content": "stopped"}])
    assert read(attachment(blocking), stopped).said == [
        ("harness.hook", "the user asks: go on"),
        ("harness.hook", "stopped"),
    ]


def test_hook_rows_of_any_shape():
    """Content may be a text, a list, or nothing of use."""
    odd = [None, 5, [], [None, 3], {}, "", ["", None]]
    rows = [attachment({"type": "hook_additional_context", "content": content, "hookName": 3}) for content in odd]
    assert read(*rows).said == []
    assert read(attachment({"type": "hook_additional_context", "content": "plain"})).said == [("harness.hook", "plain")]


def test_the_recorded_hooks():
    """On the real client's file: two texts of one event in one row, a spilled one among them, and no receipt of ours."""
    done = read(*recording("p-inject-caps"))
    hooks = [record for record in done.records if record.channel == "harness.hook"]
    assert any(record.text.startswith("<persisted-output>") for record in hooks)
    assert len({record.key for record in hooks}) == len(hooks) > len({record.key.partition(":")[0] for record in hooks})
    assert done.receipts == []
