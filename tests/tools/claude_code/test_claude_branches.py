"""What is still part of the conversation after somebody went back; in doubt more is kept."""

import copy
import random

import pytest
from claude_rows import agent, attachment, call, chained, plain, play, read, result, system, typed
from hypothesis import given
from hypothesis import strategies as st

from memd.health.verdict import RETURNS
from memd.model import Gap, Rewind
from memd.tools.claude_code import branches
from memd.tools.claude_code.state import ReaderState, dump, load
from memd.tools.places import Kept, Places


def in_force(done):
    return [record.text for record in done.records if not record.withdrawn]


def turn(number):
    return [typed(f"p{number}", uuid=f"p{number}"), agent(f"a{number}", uuid=f"a{number}")]


def after(*rows, parent):
    """The rows as a chain that starts behind an earlier row."""
    rows[0]["parentUuid"] = parent
    return chained(*rows)


THREE = chained(*turn(1), *turn(2), *turn(3))


def test_a_rewind_takes_the_turns_behind_it():
    """The next prompt names an earlier row as its parent: what lies between is withdrawn, and keeps its number."""
    done = read(*THREE, *after(*turn(4), parent="a1"))
    assert in_force(done) == ["p1", "a1", "p4", "a4"]
    assert [record.number for record in done.records] == list(range(1, 9))


def test_a_rewind_to_the_very_start():
    """A second first prompt: nothing of the session before it is in force."""
    done = read(*chained(typed("p1", uuid="p1", parentUuid="root"), agent("a1")), *after(*turn(2), parent="root"))
    assert in_force(done) == ["p2", "a2"]


@pytest.mark.parametrize("told", [True, False])
def test_a_rewind_to_a_first_prompt_without_a_parent(told):
    """The new first prompt names no parent; the client says behind it that somebody went back (2.1.332).

    Without that word nothing says that the person took back what they said before.
    """
    back = {"type": "last-prompt", "leafUuid": "0", "explicit": told}
    once, twice = chained(typed("p3", uuid="p3"), agent("a3", uuid="a3")), chained(typed("p5"), agent("a5"))
    rows = [*chained(*turn(1), *turn(2)), once[0], back, once[1], *after(*turn(4), parent="a3")]
    kept = [f"{who}{n}" for n in range(1, 6) for who in "pa"]
    assert in_force(read(*rows)) == (["p3", "a3", "p4", "a4"] if told else kept[:8])
    assert in_force(read(*rows, twice[0], back, twice[1])) == (["p5", "a5"] if told else kept)


@pytest.mark.parametrize(
    "first",
    [
        attachment({"type": "session_cron_carry"}),
        plain("caveat", isMeta=True),
        system("local_command", content="<command-name>/context</command-name>"),
    ],
)
def test_what_comes_before_the_new_first_prompt(first):
    """The client's own row, or that of a command that asks no model, has no parent then, and the prompt follows it."""
    rows = [*chained(*turn(1), *turn(2)), first, *after(typed("p3"), parent=first["uuid"])]
    back = {"type": "last-prompt", "explicit": True}
    assert in_force(read(*rows, back, agent("a3", parentUuid=rows[-1]["uuid"])))[-2:] == ["p3", "a3"]
    assert "p1" not in in_force(read(*rows, back))
    assert "p1" in in_force(read(*rows))


def test_back_to_what_a_rewind_to_the_start_left():
    """The branch that was left is known: its end leads there again."""
    back = {"type": "last-prompt", "explicit": True}
    rows = [*chained(*turn(1), *turn(2)), typed("p3"), back, agent("a3")]
    assert in_force(read(*rows, *after(*turn(4), parent="a2"))) == ["p1", "a1", "p2", "a2", "p4", "a4"]


def test_who_went_back_says_so_before_the_next_prompt():
    """Or before the next prompt; a later rewind is no word about an earlier prompt without a parent."""
    back = {"type": "last-prompt", "explicit": True}
    rows = [*chained(*turn(1), *turn(2)), *chained(*turn(3), system("turn_duration")), back]
    assert in_force(read(*rows, *after(*turn(4), parent="a3"))) == ["p3", "a3", "p4", "a4"]
    rows = [*chained(*turn(1), *turn(2)), *chained(typed("p3", uuid="p3"), agent("a3", uuid="a3"))]
    rows += [*after(*turn(4), parent="a3"), {"type": "last-prompt", "explicit": True}]
    assert in_force(read(*rows)) == ["p1", "a1", "p2", "a2", "p3", "a3", "p4", "a4"]


def test_esc_before_the_first_word():
    """A prompt that was taken back before any answer is withdrawn; the one in its place is not."""
    done = read(*chained(*turn(1), typed("oops")), *after(*turn(2), parent="a1"))
    assert in_force(done) == ["p1", "a1", "p2", "a2"]


def test_rewind_twice():
    """To the same place, or further back: only the last path counts."""
    once = [*THREE, *after(*turn(4), parent="a2")]
    assert in_force(read(*once, *after(*turn(5), parent="a2"))) == ["p1", "a1", "p2", "a2", "p5", "a5"]
    assert in_force(read(*once, *after(*turn(5), parent="a1"))) == ["p1", "a1", "p5", "a5"]
    assert in_force(read(*once, *after(*turn(5), parent="p4"))) == ["p1", "a1", "p2", "a2", "p4", "p5", "a5"]


def test_back_to_a_branch_that_was_left():
    """What a rewind took away comes back when the conversation goes on from there."""
    rows = [*THREE, *after(*turn(4), parent="a1"), *after(*turn(5), parent="p3")]
    assert in_force(read(*rows)) == ["p1", "a1", "p2", "a2", "p3", "p5", "a5"]


def test_two_writers_are_noticed():
    """Two programs that write into one file go on where the other left off: both are recorded, and it is counted.

    Nobody can go back to a branch that was left on a screen, so a rewind, once or twice, is none of it.
    """
    one, two = chained(*turn(1), *turn(2)), [after(*turn(3), parent="a1")]
    two += [after(*turn(4), parent="a2"), after(*turn(5), parent="a3"), after(*turn(6), parent="a4")]
    done = read(*one, *(row for rows in two for row in rows))
    assert [text for _, text in done.said] == [f"{who}{n}" for n in range(1, 7) for who in "pa"]
    assert [kind for kind, _ in done.gaps] == ["writers"] * 3
    assert read(*THREE, *after(*turn(4), parent="a2"), *after(*turn(5), parent="a1")).gaps == []


def test_results_of_parallel_calls_are_no_rewind():
    """Each result names its own call's row as its parent."""
    calls = [agent(call("Read", f"t{n}", file_path=f"/{n}"), uuid=f"c{n}", stop="tool_use") for n in range(3)]
    results = [result(f"r{n}", f"t{n}", parentUuid=f"c{n}") for n in range(3)]
    done = read(
        *chained(*turn(1), typed("go", uuid="go"), *calls), *results, agent("done", parentUuid=results[0]["uuid"])
    )
    assert done.of(Rewind) == []


def test_a_boundary_whose_parent_nobody_knows():
    """A compaction starts a new root and names a row that is not there: everything before it stays."""
    boundary = system("compact_boundary", uuid="b", parentUuid=None, logicalParentUuid="nowhere")
    summary = typed("summary", isCompactSummary=True, parentUuid="b")
    done = read(*THREE, boundary, summary, *after(*turn(4), parent=summary["uuid"]))
    assert done.of(Rewind) == []
    assert len(in_force(done)) == len(done.records)


def test_a_rewind_behind_a_compaction():
    """Going back to a place before the boundary takes the summary with it."""
    boundary = system("compact_boundary", uuid="b", parentUuid=None)
    summary = typed("summary", isCompactSummary=True, parentUuid="b")
    rows = [*THREE, boundary, summary, *after(*turn(4), parent=summary["uuid"])]
    assert in_force(read(*rows, *after(*turn(5), parent="a1"))) == ["p1", "a1", "p5", "a5"]


def test_parents_that_were_never_written():
    """Broken chains, and a boundary parented before an earlier one: read in the order of the file, nothing lost."""
    rows = [typed(f"m{n}", parentUuid=f"gone{n}") for n in range(10)]
    first = system("compact_boundary", uuid="b1", parentUuid=None)
    second = system("compact_boundary", uuid="b2", parentUuid="gone3")
    done = read(*rows[:5], first, *rows[5:], second)
    assert in_force(done) == [f"m{n}" for n in range(10)]


@pytest.mark.parametrize("kept", [1, 3, 6])
@pytest.mark.parametrize("copies", [1, 5])
def test_history_that_is_written_again(kept, copies):
    """The same rows with the same ids and old times, as later compactions append them, are no messages and lead nowhere.

    A rewind after them still takes only what lies behind its place.
    """
    again = [copy.deepcopy(row) for _ in range(copies) for row in THREE[:kept]]
    boundary = system("compact_boundary", uuid="b", parentUuid=None, logicalParentUuid="a3")
    rows = [*THREE, *again, boundary, *after(*turn(4), parent="b"), *after(*turn(5), parent="a4")]
    done = read(*rows)
    assert [record.text for record in done.records] == [f"{who}{n}" for n in range(1, 6) for who in "pa"]
    assert len(in_force(done)) == len(done.records)
    back = read(*rows, *after(*turn(6), parent="a4"))
    assert in_force(back) == [f"{who}{n}" for n in (1, 2, 3, 4, 6) for who in "pa"]


def test_an_old_prompt_written_last_is_no_new_request():
    """After a resume an old row may stand at the end once more: it asks for nothing, and takes nothing away."""
    done = read(*THREE, copy.deepcopy(THREE[0]))
    assert in_force(done) == ["p1", "a1", "p2", "a2", "p3", "a3"]
    assert len(done.messages) == 6


def test_ids_of_snapshots_are_no_message_ids():
    """A file snapshot names a message's id; it is neither that message nor a way back."""
    snapshots = [{"type": "file-history-snapshot", "messageId": "p1", "uuid": "p1"} for _ in range(12)]
    done = read(*THREE, *snapshots, *after(*turn(4), parent="a3"))
    assert in_force(done) == [f"{who}{n}" for n in range(1, 5) for who in "pa"]


def test_the_recorded_rewinds():
    """On the real client's file: the prompts on the two branches that were left, and no other entry of a person's."""
    withdrawn = [record.text for record in play("tui-sched-interrupt-rewind-ask").human if record.withdrawn]
    assert "to be interrupted" in withdrawn
    assert len(withdrawn) == 2


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=25))
def test_any_tree_keeps_its_newest_path(steps):
    """Prompts anywhere in a tree: exactly the ancestors of the newest row are in force."""
    rows, parents = [], {}
    for number, (back, where) in enumerate(steps):
        known = list(parents)
        parent = known[where % len(known)] if back and known else (known[-1] if known else None)
        rows += after(typed(f"p{number}", uuid=f"p{number}"), agent(f"a{number}", uuid=f"a{number}"), parent=parent)
        parents |= {f"p{number}": parent, f"a{number}": f"p{number}"}
    path, here = [], f"a{len(steps) - 1}" if steps else None
    while here:
        path.append(here)
        here = parents[here]
    assert in_force(read(*rows)) == path[::-1]


def test_a_long_session_stays_small():
    """With each of five thousand prompts two places are written and a short text; the first one is a way back for ever."""
    state, saved = ReaderState("s"), {}
    for number in range(5_000):
        before = state.last
        state, _ = branches.step(state, f"p{number}", f"a{number - 1}")
        state = branches.enter(state, f"p{number}")
        kept = dump(branches.mark(state, f"p{number}", f"a{number - 1}", f"p{number}", before))
        assert len(kept.places.new) == 2
        assert len(kept.text) < 600
        saved |= kept.places.new
        state = load(Kept(kept.text, Places(saved)))
    _, rewind = branches.step(state, "p5000", "p0")
    assert rewind == Rewind(((None, "p0"),))


def test_a_state_that_holds_its_places_is_read():
    """Before they were kept apart they stood in the text: the ways back are still known, and written from now on."""
    rest = '"leaf":"a2","last":"a2","ends":[],"calls":{},"tasks":{},"facts":{},"queue":[],"arriving":[]'
    text = f'{{"version":1,"session":"s",{rest},"segment":1,"segments":[[null,-1,null],["p2",0,"p1"]],"marks":{{"p1":[0,"p1"]}}}}'
    state = load(Kept(text))
    assert load(dump(state)) == state
    assert (state.branch, dict(state.places.new)) == (
        ("p2", 0, "p1"),
        {"segment 0": "[null,-1,null]", "row p1": '[0,"p1"]'},
    )
    _, rewind = branches.step(state, "p3", "p1")
    assert rewind == Rewind(((None, "p1"),))


def told_of_writers(rows):
    """How often the reader says that a branch which was left goes on."""
    return sum(event.kind == "writers" for event in read(*rows).events if isinstance(event, Gap))


@pytest.mark.parametrize("seed", range(20))
def test_two_windows_by_turns_are_seen_whenever_the_second_was_opened(seed):
    """In the middle of a turn too, where nothing leads back: a row behind one that another has followed is of another window."""
    chance = random.Random(seed)
    rows, ends, busy = [], ["", ""], [False, False]

    def goes_on(window):
        made = [agent("says", stop="tool_use")] if busy[window] else [typed("asks")]
        if busy[window] and chance.random() < 0.5:
            made = [agent(call("Bash", ident := f"c{len(rows)}"), stop="tool_use"), result("done", ident)]
        rows.extend(after(*made, parent=ends[window] or None))
        busy[window], ends[window] = True, rows[-1]["uuid"]

    for _ in range(chance.randrange(1, 8)):
        goes_on(0)
    ends[1] = ends[0]
    assert told_of_writers(rows) == 0
    for window in [0, 1, 1] * 3 + [chance.randrange(2) for _ in range(10)]:
        goes_on(window)
    assert told_of_writers(rows) >= RETURNS


def test_results_of_parallel_calls_are_no_second_window():
    """Each stands behind its own call, and the answer behind the last of them."""
    calls = chained(typed("asks"), *(agent(call("Bash", f"c{n}"), uuid=f"call{n}", stop="tool_use") for n in range(5)))
    results = [{**result("done", f"c{n}"), "parentUuid": f"call{n}"} for n in range(5)]
    rows = [*calls, *results, *after(agent("says"), parent=results[-1]["uuid"])]
    assert told_of_writers(rows) == 0
