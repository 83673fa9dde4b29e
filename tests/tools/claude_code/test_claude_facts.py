"""What rows say of the session itself: where, which model, how full, where a turn ends, what nobody knows."""

import json

import pytest
from claude_rows import ABSENT, SESSION, TOOL, agent, attachment, plain, play, read, recording, result, system, typed

from memd.model import Compaction, Facts


def test_where_and_by_which_client():
    """The directory is the one that the session began in, until it is moved; version and branch are the newest."""
    rows = [
        typed("a", cwd="/home/dev/a", gitBranch="main"),
        typed("b", cwd="/home/dev/a/sub", gitBranch="work", version="3.0.0"),
    ]
    facts = read(*rows).facts
    assert (facts.cwd, facts.branch, facts.version, facts.entrypoint) == ("/home/dev/a", "work", "3.0.0", "cli")
    moved = {"type": "relocated", "relocatedCwd": "/home/dev/b", "sessionId": SESSION}
    assert read(*rows, moved, typed("c", cwd="/home/dev/b")).facts.cwd == "/home/dev/b"


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ([{"type": "custom-title", "customTitle": "Mine"}], "Mine"),
        ([{"type": "summary", "summary": "Old", "leafUuid": "x"}], "Old"),
        ([{"type": "ai-title", "aiTitle": "Its"}], "Its"),
        ([{"type": "custom-title", "customTitle": "Mine"}, {"type": "ai-title", "aiTitle": "Its"}], "Mine"),
        ([{"type": "ai-title", "aiTitle": "Its"}, {"type": "custom-title", "customTitle": "Mine"}], "Mine"),
        ([{"type": "custom-title", "customTitle": "Mine"}, {"type": "custom-title", "customTitle": ["x"]}], "Mine"),
    ],
)
def test_titles(rows, title):
    """The person's title, else the client's; neither is anybody's message."""
    done = read(*rows)
    assert done.facts.title == title
    assert done.messages == []


def test_the_model_keeps_its_window_mark():
    """`[1m]` stands in the asked-for model and not in the answer's: the window depends on it."""
    row = agent("hi", requestedModel="claude-sonnet-4-5[1m]")
    row["message"]["model"] = "claude-sonnet-4-5"
    done = read(row)
    assert done.facts.model == done.usages[0].model == "claude-sonnet-4-5[1m]"
    shown = attachment({"type": "model", "identity": {"modelId": "claude-opus-5-5"}})
    assert read(shown).facts.model == "claude-opus-5-5"


@pytest.mark.parametrize(
    ("model", "window", "threshold"),
    [
        ("claude-sonnet-4-5[1m]", 1_000_000, 967_000),
        ("claude-opus-5-5", 1_000_000, 967_000),
        ("claude-haiku-4-5", 200_000, 167_000),
        ("claude-sonnet-4-5-20250929", 200_000, 167_000),
        ("gpt-5", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_windows_and_thresholds(model, window, threshold):
    """As measured on the client; a foreign model's window is unknown."""
    assert TOOL.window(model) == window
    assert TOOL.threshold(window) == threshold


def test_usage_is_told_once_an_answer():
    """Every block of an answer repeats it: input and both caches count, the answer does not."""
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 200,
        "cache_creation_input_tokens": 3_000,
        "output_tokens": 9,
    }
    rows = [agent("one"), agent("two"), agent("three")]
    for row, ident in zip(rows, ("m1", "m1", "m2"), strict=True):
        row["message"] |= {"id": ident, "usage": usage}
    assert [(u.key, u.tokens) for u in read(*rows).usages] == [("m1", 3_210), ("m2", 3_210)]


def test_usage_is_the_sessions_own():
    """A side branch's context is not the session's; a sub-agent's own file tells its own."""
    side = agent("x", isSidechain=True)
    assert read(side).usages == []
    assert len(read(side, child=True).usages) == 1
    for usage in (None, {}, {"input_tokens": "many"}, {"input_tokens": True}, {"input_tokens": 1 << 70}, []):
        row = agent("x")
        row["message"]["usage"] = usage
        assert read(row).usages == []


@pytest.mark.parametrize(
    ("row", "ends"),
    [
        (agent("x", stop="end_turn"), 1),
        (agent("x", stop="stop_sequence"), 1),
        (agent("x", stop="refusal"), 1),
        (agent("x", stop="tool_use"), 0),
        (agent("x", stop="max_tokens"), 0),
        (agent("x", stop=None), 0),
        (agent("API Error", stop=None, isApiErrorMessage=True), 1),
        (system("turn_duration", durationMs=5), 1),
        (system("stop_hook_summary"), 0),
        (plain("[Request interrupted by user]", rowSource="harness", interruptedMessageId="m"), 1),
        (plain("a reminder", rowSource="harness", isMeta=True), 0),
        (typed("x"), 0),
        (result("x"), 0),
    ],
)
def test_where_a_turn_ends(row, ends):
    """At the agent's last word, at the client's own error, at an interruption."""
    assert len(read(row).ends) == ends


def test_a_compaction_with_its_sizes():
    """Who asked for it, and how full the context was before and after."""
    meta = {"trigger": "manual", "preTokens": 150_000, "postTokens": 9_000}
    rows = system("compact_boundary", uuid="b", compactMetadata=meta), system("compact_boundary", compactMetadata="odd")
    found = read(*rows).of(Compaction)
    assert [(c.trigger, c.before, c.after) for c in found] == [("manual", 150_000, 9_000), ("auto", None, None)]
    assert found[0].key == "b"


@pytest.mark.parametrize(
    ("meta", "entrypoint", "said"),
    [
        ({"userContext": "Keep the port 9443"}, "cli", [("human.command", "inferred", "Keep the port 9443")]),
        ({"userContext": "Keep the port 9443"}, "sdk-cli", [("operator.headless", "unknown", "Keep the port 9443")]),
        ({"userContext": " "}, "cli", []),
        ({"userContext": 5}, "cli", []),
    ],
)
def test_what_was_typed_for_a_summary_in_the_list_of_prompts(meta, entrypoint, said):
    """No row of its own has it; where the whole is summarised (`/compact`) one has."""
    rows = [
        system(
            "compact_boundary", uuid=str(number), entrypoint=entrypoint, compactMetadata={"trigger": "manual", **more}
        )
        for number, more in enumerate([{**meta, "messagesSummarized": 3}, meta])
    ]
    found = read(typed("x"), *rows).records[1:]
    assert [(str(one.channel), str(one.grade), one.text) for one in found] == said
    assert [one.extra["command"] for one in found] == ["rewind"] * len(said)


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ({"forkedFrom": {"sessionId": "other", "messageUuid": "m"}}, "other"),
        ({"requestSessionId": "other"}, "other"),
        ({"requestSessionId": SESSION}, None),
        ({"forkedFrom": "odd", "requestSessionId": 5}, None),
        ({"session_id": "other"}, None),
        ({}, None),
    ],
)
def test_forks_name_their_source(given, source):
    """By the field of the screen's `/branch`, or by the one on copied answers of a headless fork; nothing else."""
    assert read(typed("x"), agent("y", **given)).facts.forked_from == source


def test_the_recorded_fork():
    """A headless fork's rows carry the source's ids and say in copied answers which session it was."""
    base = next(json.loads(line)["sessionId"] for line in recording("p-fork-base"))
    assert play("p-fork").facts.forked_from == base
    copied = {m.key for m in play("p-fork").messages} & {m.key for m in play("p-fork-base").messages}
    assert copied


def test_what_nobody_knows_is_counted():
    """New types of rows, of system rows and of attachments are gaps, each with its name; what they show is kept."""
    rows = [{"type": "brand-new"}, {"no": "type"}, {"type": 5}, system("brand_new"), system(7)]
    shown = attachment({"type": "brand_new"}, rendered=[{"content": "look"}])
    done = read(*rows, shown)
    assert done.gaps == [
        ("unknown", "brand-new"),
        ("unknown", "a row without a type"),
        ("unknown", "a row without a type"),
        ("unknown", "system/brand_new"),
        ("unknown", "system/"),
        ("unknown", "attachment/brand_new"),
    ]
    assert done.said == [("harness.meta", "look")]


@pytest.mark.parametrize("kind", ["mode", "last-prompt", "pr-link", "cost-state", "history-suppression", "tag"])
def test_what_is_understood_and_holds_nothing_is_silent(kind):
    """Rows about the client itself make no entries and no gaps."""
    assert read({"type": kind, "sessionId": SESSION, "value": "Human: yes"}).events == ()


@pytest.mark.parametrize("stamp", [1795993640, 1795993640000, "2026-11-29T23:07:20Z"])
def test_times_of_converted_transcripts(stamp):
    """Numbers of seconds and of milliseconds are read as well as ISO text."""
    assert read(typed("x", timestamp=stamp)).records[0].at == 1795993640000


def test_a_file_of_several_sessions_is_read_whole():
    """Ids of an earlier session on a resumed file's rows filter nothing out."""
    assert len(read(typed("a", sessionId="one"), typed("b", sessionId="two")).records) == 2


def test_facts_are_told_when_they_are_news():
    """A row that says nothing new says nothing."""
    assert len(read(typed("a"), typed("b"), typed("c")).of(Facts)) == 1


def test_rows_on_one_line_keep_their_names():
    """Two rows without ids on one physical line are two entries."""
    rows = [
        {"type": "assistant", "message": {"role": "assistant", "id": "m", "content": text}} for text in ("one", "two")
    ]
    done = read(b"".join(json.dumps(row).encode() for row in rows))
    assert [text for _, text in done.said] == ["one", "two"]


def test_nothing_of_a_question_is_lost_when_its_call_is_unknown():
    """A result whose call was never seen (the file was cut) still gives the person's answer."""
    done = read(result("answered", "gone", known={"answers": {"Which?": "red"}}))
    assert [h.text for h in done.human] == ["red"]


def test_a_fork_of_a_fork_comes_from_the_nearest():
    """Its copied rows name each the session that they were made in: the last one is what was forked."""
    rows = [typed("a"), agent("b", requestSessionId="first"), typed("c"), agent("d", requestSessionId="second")]
    assert read(*rows, typed("e"), agent("f", requestSessionId=SESSION)).facts.forked_from == "second"


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (typed("Hi.", type="prompt"), "prompt"),
        (typed("Hi.", type="turn", origin=ABSENT), "turn"),
        (typed([{"type": "input_text", "text": "Hi."}]), "a user row with a block of another shape"),
        (typed([{"type": "text", "text": {"value": "Hi."}}]), "a user row with a block of another shape"),
        (typed([{"type": "text", "text": "Hi."}, "and more"]), "a user row with a block of another shape"),
        (typed({"text": "Hi."}), "a user row whose message has another shape"),
    ],
)
def test_what_a_person_may_have_said_is_told_apart_from_other_unknown_rows(row, what):
    """One such row may hold what matters most; ten of another kind say only that the client is newer."""
    assert read(row).gaps == [("words", what)]


def test_a_prompt_of_known_blocks_alone_has_no_gap():
    """Images, documents and texts that are empty are no words that were missed."""
    blocks = [{"type": "image"}, {"type": "document"}, {"type": "text", "text": ""}]
    assert read(typed(blocks)).gaps == []
