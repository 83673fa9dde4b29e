"""What rows say of the session: where, which model, how full, compacted, ended, taken back."""

import json

import pytest
from codex_rows import THREAD, begin, event, item, meta, play, read, row, said

from memd.model import Rewind
from memd.tools.codex import hooks, rollback, state
from memd.tools.codex.events import raw
from memd.tools.places import Kept


def usage(last, total, window=258_400):
    info = {"last_token_usage": {"total_tokens": last}, "total_token_usage": {"total_tokens": total}}
    return event("token_count", info={**info, "model_context_window": window})


def test_the_first_row_and_the_turns_settings():
    """Directory, client, branch, model; and the whole window, of which rows report 95 %."""
    found = read(meta(git={"branch": "main"}), begin(), row("turn_context", {"model": "gpt-5.5", "cwd": "/elsewhere"}))
    facts = found.facts
    assert (facts.cwd, facts.version, facts.entrypoint, facts.branch) == ("/srv/work", "0.171.0", "codex-tui", "main")
    assert (facts.model, facts.window) == ("gpt-5.5", 272_000)


def test_a_session_of_2025():
    """Its first line has no envelope; its directory stands nowhere, or in the turn's settings."""
    header = {"id": THREAD, "timestamp": "2025-08-08T10:39:10Z", "instructions": None, "git": {"branch": "dev"}}
    assert read(header, {"record_type": "state"}).facts.branch == "dev"
    assert read(header, row("turn_context", {"cwd": "/w"})).facts.cwd == "/w"


def test_where_a_fork_comes_from():
    """The source's id, as the client names it."""
    assert read(meta(forked_from_id="source-1")).facts.forked_from == "source-1"


@pytest.mark.parametrize(
    ("reported", "whole"),
    [(258_400, 272_000), (19_000, 20_000), (121_600, 128_000), (272_000, 272_000), (0, None), (None, None), (7, 7)],
)
def test_the_window(reported, whole):
    """The raw one (measured: 272,000 and 20,000); clients of 2025 reported it whole."""
    assert raw(reported) == whole


def test_when_the_client_compacts():
    """At nine tenths of the raw window."""
    assert hooks.threshold(20_000) == 18_000
    assert hooks.threshold(hooks.window("gpt-5.5")) == 244_800
    assert (hooks.window("other"), hooks.threshold(None)) == (None, None)


def test_how_full_it_is():
    """The last answer's total, not the sum of all; rows that repeat it, or know nothing, tell nothing."""
    empty = event("token_count", info=None)
    found = read(meta(), begin(), usage(2_000, 2_000), usage(2_000, 2_000), empty, usage(3_000, 5_000))
    assert [one.tokens for one in found.usages] == [2_000, 3_000]


def test_a_compaction():
    """Its trigger where the client tells it, what was in the context before, and the client's estimate after it."""
    manual = event("task_started", turn_id="t2", model_context_window=258_400)
    compacted = row("compacted", {"message": "S", "window_id": "w2"})
    rows = (begin(), *said("do it"), usage(9_000, 9_000))
    found = read(meta(), *rows, compacted, usage(1_200, 9_000))
    assert [(one.key, one.trigger, one.before) for one in found.compactions] == [("compacted:w2", "auto", 9_000)]
    assert found.usages[-1].tokens == 1_200
    assert read(meta(), *rows, manual, compacted).compactions[0].trigger == "manual"


def test_the_compactions_of_a_real_session():
    """In mid-turn and before a turn: automatic, and each once."""
    assert [(one.trigger, one.before) for one in play("exec-compactions").compactions] == [
        ("auto", 9040),
        ("auto", 9540),
    ]
    assert [one.trigger for one in play("screen-daemon").compactions] == ["manual"]
    assert play("cancelled-compaction").compactions == []


@pytest.mark.parametrize("kind", ["task_complete", "turn_aborted"])
def test_a_turn_ends(kind):
    """Complete or aborted."""
    assert len(read(meta(), begin(), *said("x"), event(kind)).ends) == 1


def test_an_old_clients_turn_ends_with_its_session():
    """It writes no row for it."""
    assert len(read(meta(), item("x", kind=None)).ends) == 1
    assert read(meta(), begin(), item("x")).ends == []


def test_a_name_that_the_person_gave():
    """It is the session's title."""
    assert read(meta(), event("thread_name_updated", thread_name="Ledger")).facts.title == "Ledger"


# Rollbacks


def turn(text):
    return (
        *said(text, ident=text),
        item(f"re {text}", ident=f"a{text}", kind="unknown", provenance="", role="assistant"),
    )


def back(count):
    return event("thread_rolled_back", num_turns=count)


def in_force(*rows):
    return "".join(one.text for one in read(meta(), begin(), *rows).human if not one.withdrawn)


def test_a_rollback_takes_prompts_and_what_followed():
    """The last so many prompts with their answers; steered words count as the client counts them."""
    found = read(meta(), begin(), *turn("a"), *turn("b"), *turn("c"), back(2), *turn("d"))
    assert [record.text for record in found.records if not record.withdrawn] == ["a", "re a", "d", "re d"]


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ((*turn("a"), back(1), *turn("b")), "b"),
        ((*turn("a"), *turn("b"), back(9), *turn("c")), "c"),
        ((*turn("a"), back(0), back(-1), back(True)), "a"),
        ((back(1), *turn("a")), "a"),
        ((*turn("a"), *turn("b"), back(1), *turn("c"), back(1), *turn("d")), "ad"),
        ((*turn("a"), *turn("b"), back(1), *turn("c"), *turn("d"), back(3), *turn("e")), "e"),
        ((*turn("a"), *turn("b"), *turn("c"), back(1), *turn("d"), back(2), *turn("e"), back(1), *turn("f")), "af"),
        ((*turn("a"), back(1), back(1), *turn("b")), "b"),
    ],
)
def test_rollbacks_of_rollbacks(rows, left):
    """Each counts among the prompts that were still there."""
    assert in_force(*rows) == left


def test_a_state_that_holds_its_places_is_read():
    """Before they were kept apart they stood in the text: a rollback leads back to them, and they are written from now on."""
    found = read(meta(), begin(), *turn("a"), *turn("b"), back(1), *turn("c"))
    kept = state.dump(found.state)
    old = json.loads(kept.text) | {"prompts": [[0, None], [1, None]], "kept": [[None, "A"]]}
    del old["closed"]
    read_back = state.load(Kept(json.dumps(old)))
    assert (read_back.prompts, read_back.closed) == (2, 1)
    assert dict(read_back.places.new) == {
        "prompt 0": "[0,null]",
        "prompt 1": "[1,null]",
        "stretch 0": '[null,"A"]',
    }
    assert rollback.back(read_back, 1)[1] == Rewind(((None, "A"),))


def test_what_came_before_a_prompt_stays():
    """A compaction or a hook's text in front of the prompt is not its own."""
    summary = row("compacted", {"message": "S", "window_id": "w"})
    found = read(meta(), begin(), *turn("a"), summary, *turn("b"), back(1))
    assert [record.text for record in found.records if not record.withdrawn] == ["a", "re a", "S"]
