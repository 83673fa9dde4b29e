"""The agent's messages: texts that come in pieces, summaries, how full the context is, errors, the ends of turns."""

import pytest
from opencode_rows import BEGIN, MADE, SESSION, assistant, feed, note, row, step, text, tool, user, words

from memd.model import Compaction, Source, TurnEnd, Usage

GO = user("m1", text("go"))


def stream(*texts, ended=True, **info):
    """One text part, written again and again, the last time with its end if it has one."""
    head = assistant("m2", "m1", finish=None, **info)
    part = {"id": "prt_1", "sessionID": SESSION, "messageID": "m2", "type": "text"}
    rows = [
        row("message.part.updated", part={**part, "text": said, "time": {"start": MADE}}, time=MADE) for said in texts
    ]
    if ended:
        rows[-1]["data"]["part"]["time"] = {"start": MADE, "end": MADE + 5}
    return [*head, *rows]


def end(**info):
    return assistant("m2", "m1", **info)[-1]


def test_a_text_is_one_entry():
    """Empty when it begins, whole when it ends: one entry, numbered when it is whole."""
    assert [one.text for one in feed(*GO, *stream("", "All done.")).records] == ["go", "All done."]
    assert [one.text for one in feed(*GO, *stream("", ended=False)).records] == ["go"]


def test_a_text_written_again_is_no_news():
    """The last row of a part may come twice; its number stays."""
    rows = stream("", "All done.")
    read = feed(*GO, *rows, rows[-1], end(), rows[-1])
    assert [one.text for one in read.records] == ["go", "All done."]
    assert sum(hasattr(event, "channel") for event in read.events) == 2


def test_a_text_without_an_end():
    """What was written when the message was aborted is kept, once, when that is known."""
    rows = stream("", "half a sen", ended=False)
    aborted = end(finish="", error={"name": "MessageAbortedError", "data": {"message": "aborted"}})
    assert [one.text for one in feed(*GO, *rows).records] == ["go"]
    assert [one.text for one in feed(*GO, *rows, aborted).records] == ["go", "half a sen"]


def test_numbers_follow_what_is_whole():
    """A text that began before a call ends behind it: entries are numbered as they become whole."""
    rows = stream("", ended=False)
    late = stream("", "late")[-1]
    call = assistant("m2", "m1", tool("bash", {"command": "ls"}, "out"), finish=None)[1]
    assert [one.text for one in feed(*GO, *rows, call, late).records] == ["go", "out", "late"]


def test_where_an_entry_stands():
    """An entry's source is the number of the event that made it."""
    read = feed(*GO, *stream("", "All done."))
    assert Source(5, 1) == read.records[-1].source


def test_how_full_the_context_is():
    """The client's own measure, of the last step, by its model; a summary's request is not the session's."""
    total = feed(*GO, *assistant("m2", "m1", step(total=120))).of(Usage)
    assert [(one.tokens, one.model) for one in total] == [(120, "scripted/m1")]
    parts = feed(*GO, *assistant("m2", "m1", step(cache={"read": 5, "write": 7}))).of(Usage)
    assert [one.tokens for one in parts] == [112]
    assert feed(*GO, *assistant("m2", "m1", step(total=120), summary=True)).of(Usage) == []


def test_a_compaction():
    """The boundary is where the summary is whole, with the fill before it, by whom it was asked for."""
    for auto, trigger in ((True, "auto"), (False, "manual")):
        asked = user("m3", {"type": "compaction", "auto": auto})
        summary = assistant("m4", "m3", words("so far"), summary=True)
        read = feed(*GO, *assistant("m2", "m1", step(total=57_010)), *asked, *summary)
        assert [(trigger, 57_010)] == [(one.trigger, one.before) for one in read.of(Compaction)]
        assert read.graded[-1] == ("harness.summary", "proved", "so far")


def test_a_summary_that_failed():
    """Nothing was replaced."""
    asked = user("m3", {"type": "compaction", "auto": True})
    failed = assistant("m4", "m3", summary=True, finish=None)
    failed[0]["data"]["info"]["error"] = {"name": "APIError", "data": {"message": "503"}}
    assert feed(*GO, *asked, *failed).of(Compaction) == []


def test_a_request_for_a_compaction_is_nobody_s_message():
    """It has no words, so it is no entry; the automatic way on is the client's."""
    go_on = text("Continue if you have next steps", synthetic=True, metadata={"compaction_continue": True})
    read = feed(*user("m1", {"type": "compaction", "auto": True}), *user("m2", go_on))
    assert read.graded == [("harness.meta", "proved", "Continue if you have next steps")]


def test_ends_of_turns():
    """An answer that stops ends the turn; one with calls does not, unless a person said no to one."""

    def ends(*parts, finish):
        return len(feed(*GO, *assistant("m2", "m1", BEGIN, *parts, finish=finish)).of(TurnEnd))

    refused = tool("question", {}, "The user dismissed this question", status="error")
    assert (ends(finish="stop"), ends(finish="tool-calls"), ends(refused, finish="tool-calls")) == (1, 0, 1)


def test_a_turn_ends_once():
    """The message's row is written again, with a summary of the diffs."""
    assert len(feed(*GO, *assistant("m2", "m1", words("ok")), end()).of(TurnEnd)) == 1


def failing(name):
    rows = assistant("m2", "m1", finish=None)
    rows[0]["data"]["info"]["error"] = {"name": name, "data": {"message": "no credit"}}
    return feed(*GO, *rows)


def test_an_error():
    """The client's word that the answer came to nothing, and the end of the turn."""
    read = failing("APIError")
    assert read.graded[-1] == ("harness.meta", "proved", "APIError: no credit")
    assert len(read.of(TurnEnd)) == 1


def test_an_abort_is_the_person_s():
    """It ends the turn and says nothing."""
    read = failing("MessageAbortedError")
    assert [one.text for one in read.records] == ["go"]
    assert len(read.of(TurnEnd)) == 1


def test_a_retry_is_shown():
    """A request that failed and was made again."""
    part = {"type": "retry", "attempt": 1, "error": {"name": "APIError", "data": {"message": "overloaded"}}}
    assert feed(*GO, *assistant("m2", "m1", part)).graded[-1] == ("harness.meta", "proved", "overloaded")


def test_facts():
    """Where, what version, which model, under which title; the client's stand-in for a title is none."""
    info = {"id": SESSION, "directory": "/p", "version": "1.18.33", "title": "New session - 2026-11-29T23:07:24.281Z"}
    rows = [row("session.created", info={**info, "time": {"created": MADE}}), *GO, *assistant("m2", "m1", words("x"))]
    facts = feed(*rows, row("session.updated", info={**info, "title": "Fix add"})).facts
    assert (facts.cwd, facts.version, facts.model, facts.title) == ("/p", "1.18.33", "scripted/m1", "Fix add")
    assert feed(*rows).facts.title is None


def test_reasoning_is_no_entry():
    """Nor are steps, snapshots and patches; a part of an unknown type is counted."""
    silent = [{"type": kind} for kind in ("reasoning", "step-start", "snapshot", "patch")]
    read = feed(*GO, *assistant("m2", "m1", *silent, {"type": "hologram"}))
    assert ([one.text for one in read.records], read.gaps) == (["go"], [("unknown", "part/hologram")])


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ({"type": "spoken", "text": "go"}, "part/spoken"),
        ({"type": "text", "text": {"value": "go"}}, "a part without a text"),
    ],
)
def test_a_part_of_a_prompt_that_cannot_be_read_is_told_apart(part, what):
    """It may hold what the person said; an empty text holds nothing."""
    assert feed(*user("m1", part)).gaps == [("words", what)]
    assert feed(*user("m1", {"type": "text", "text": ""})).gaps == []


def test_a_part_without_its_message():
    """Counted, not guessed at; one of an old message that is not remembered whole changes nothing."""
    orphan = row("message.part.updated", part={"id": "p", "messageID": "m9", "type": "text", "text": "x"}, time=MADE)
    assert feed(orphan).gaps == [("malformed", "a part of a message that was not told")]
    many = [one for n in range(60) for one in user(f"u{n}", text(f"p{n}"))]
    late = user("u0", text("p0"))[1]
    assert feed(*many, late, note("alive")).gaps == []
