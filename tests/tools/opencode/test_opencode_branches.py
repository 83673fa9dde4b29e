"""What is still part of the conversation after something was taken back, brought back or removed."""

import json

import pytest
from opencode_rows import BEGIN, MADE, SESSION, assistant, feed, row, text, tool, user, words

from memd.tools.opencode import branches
from memd.tools.opencode.state import ReaderState, dump, load
from memd.tools.places import Kept, Places

INFO = {"id": SESSION, "directory": "/p", "time": {"created": MADE}}


def reverted(message="", **more):
    """The session's row, taken back to a message, or whole."""
    back = {"revert": {"messageID": message, **more}} if message else {}
    return row("session.updated", info={**INFO, **back})


def removed(message, part=None):
    kind = "message.part.removed" if part else "message.removed"
    return row(kind, sessionID=SESSION, messageID=message, **({"partID": part} if part else {}))


def turn(number):
    return [*user(f"u{number}", text(f"p{number}")), *assistant(f"a{number}", f"u{number}", words(f"r{number}"))]


THREE = [*turn(1), *turn(2), *turn(3)]


def test_reverted_entries_are_out():
    """From the message on that the session was taken back to, everything is withdrawn, and keeps its number."""
    read = feed(*THREE, reverted("u2"))
    assert read.in_force == ["p1", "r1"]
    assert list(range(1, 7)) == [one.number for one in read.records]


def test_brought_back():
    """Rows stay until the next prompt: without the mark they are in force again."""
    assert feed(*THREE, reverted("u2"), reverted()).in_force == ["p1", "r1", "p2", "r2", "p3", "r3"]


def test_removed_by_the_next_prompt():
    """The client removes what was taken back and goes on; nothing brings that back."""
    gone = [removed(name) for name in ("u2", "a2", "u3", "a3")]
    read = feed(*THREE, reverted("u2"), *gone, reverted(), *turn(4))
    assert read.in_force == ["p1", "r1", "p4", "r4"]
    assert len(read.records) == 8


def test_further_back():
    """Twice taken back: the earlier place counts; and forward again in steps."""
    assert feed(*THREE, reverted("u3"), reverted("u2")).in_force == ["p1", "r1"]
    assert feed(*THREE, reverted("u2"), reverted("u3")).in_force == ["p1", "r1", "p2", "r2"]


def test_to_the_very_start():
    """Nothing of the session is in force, and what comes then is."""
    assert feed(*THREE, reverted("u1")).in_force == []
    gone = [removed(f"{who}{n}") for n in (1, 2, 3) for who in "ua"]
    assert feed(*THREE, reverted("u1"), *gone, reverted(), *turn(4)).in_force == ["p4", "r4"]


def test_a_forks_copy_that_was_removed_is_nobodys_prompt():
    """A fork takes its source's messages back before it begins: replays that led nowhere, withdrawn, under their numbers."""
    copied = [*user("u1", text("p1"), at=MADE - 5_000), *assistant("a1", "u1", words("r1"), at=MADE - 4_000)]
    read = feed(*copied, removed("u1"), removed("a1"), *turn(2))
    assert read.in_force == ["p2", "r2"]
    assert read.said[0] == ("harness.meta", "p1")
    assert feed(*copied, *turn(2)).said[0] == ("operator.headless", "p1")


def test_one_message_removed():
    """A message can be removed alone; a part as well."""
    assert feed(*THREE, removed("a2")).in_force == ["p1", "r1", "p2", "p3", "r3"]
    assert feed(*THREE, removed("a1", "prt_a1_0")).in_force == ["p1", "p2", "r2", "p3", "r3"]


@pytest.mark.parametrize(("at", "left"), [(0, ["y", "z"]), (1, ["x", "z"]), (2, ["x", "y"])])
def test_one_part_of_several_is_removed(at, left):
    """The others of its message stay, wherever it stood; a message that follows changes nothing of that."""
    rows = [*turn(1), *user("u2", text("x"), text("y"), text("z")), removed("u2", f"prt_u2_{at}")]
    assert feed(*rows).in_force == ["p1", "r1", *left]
    assert feed(*rows, *turn(3)).in_force == ["p1", "r1", *left, "p3", "r3"]
    assert feed(*rows, *turn(3), reverted("u3"), reverted()).in_force == ["p1", "r1", *left, "p3", "r3"]
    assert feed(*rows, removed("u2", "prt_u2_9"), removed("u9", "prt_u9_0")).in_force == ["p1", "r1", *left]


def test_a_summary_is_taken_back_with_its_request():
    """The request has no entry of its own, but its place."""
    asked = user("c1", {"type": "compaction", "auto": False})
    summary = assistant("s1", "c1", words("so far"), summary=True)
    read = feed(*turn(1), *asked, *summary, reverted("c1"))
    assert read.in_force == ["p1", "r1"]


def test_what_an_earlier_answer_said_later():
    """An answer that goes on behind a queued prompt is not taken back with that prompt."""
    going = assistant("a1", "u1", BEGIN, tool("bash", {"command": "ls"}, "x"), words("late"))
    rows = [*user("u1", text("p1")), *going[:3], *user("u2", text("p2")), *going[3:], reverted("u2")]
    assert [one for one in feed(*rows).in_force if one != "late"] == ["p1", "x"]
    assert "late" in feed(*rows).in_force


def test_a_place_that_is_not_known():
    """In doubt more is kept: an unknown message, or a part of one, takes nothing away."""
    assert len(feed(*THREE, reverted("u9")).in_force) == 6
    assert len(feed(*THREE, reverted("u2", partID="prt_u2_0")).in_force) == 6
    assert len(feed(*THREE, removed("u9")).in_force) == 6


def test_a_row_without_the_session_s_id():
    """A row that tells only a part of the session brings nothing back."""
    assert feed(*THREE, reverted("u2"), row("session.updated", info={"title": "x"})).in_force == ["p1", "r1"]


def test_memory_is_bounded():
    """However many messages there are, the text that is written with every step is short, and each can be taken back."""
    state, saved, writes = ReaderState("s"), {}, 0
    for n in range(2_000):
        state = branches.enter(branches.begin(state, f"m{n}"), f"m{n}", f"k{n}")
        if n == 3:
            state, _ = branches.remove(state, "m3")
        kept = dump(state)
        writes += len(kept.places.new)
        saved |= kept.places.new
        assert len(kept.text) < 4_000
        state = load(Kept(kept.text, Places(saved)))
    assert writes == len(saved) == state.chunks
    assert branches.path(state).path == (("k0", "k2"), ("k4", None))
    state, rewind = branches.remove(state, "m70")
    assert rewind.path == (("k0", "k2"), ("k4", "k69"), ("k71", None))
    assert (branches.known(state, "m5"), branches.known(state, "m2000")) == (True, False)
    _, rewind = branches.revert(state, "m10")
    assert rewind.path == (("k0", "k2"), ("k4", "k9"))


def test_a_state_that_holds_all_its_runs_is_read():
    """Before they were kept apart they stood in the text: they are put apart when the next entry is made."""
    state = ReaderState("s", runs=tuple((f"m{n}", f"k{n}", f"k{n}") for n in range(1_600)))
    old = json.loads(dump(state).text)
    del old["chunks"]
    state = branches.enter(load(Kept(json.dumps(old))), "m1600", "k1600")
    assert (len(state.runs), len(state.places.new)) == (65, 24)
    assert [run[0] for run in branches.runs(state)] == [f"m{n}" for n in range(1_601)]
