"""Tool calls: from start to result."""

import pytest

from memd.model import Channel, Done, Kind, State

from .builders import ONE, commit, message, operation


def result(key):
    return message(key, channel=Channel.TOOL_RESULT)


def test_a_call_that_runs_and_ends(store):
    """A call is one row: started, then ended under the number of its result."""
    commit(store, message("a"), operation("c", at=5, target="f.py", detail={"old": "x", "why": "w"}), message("b"))
    started = Done("c", 1, Kind.EDIT, "Edit", 5, None, State.RUNNING, "f.py", {"old": "x", "why": "w"}, "")
    assert [started] == store.operations(ONE.session)

    commit(store, result("r"), operation("c", State.FAILED, at=9, detail={"why": "later", "exit": 1}, result="no"))
    ended = Done("c", 3, Kind.EDIT, "Edit", 5, 9, State.FAILED, "f.py", {"old": "x", "why": "later", "exit": 1}, "no")
    assert [ended] == store.operations(ONE.session)


def test_start_and_result_in_one_commit_are_the_same(store):
    """Where the commit was cut does not matter."""
    commit(store, message("a"), operation("c", at=5, target="f"), result("r"), operation("c", State.DONE, at=9))
    (call,) = store.operations(ONE.session)
    assert (call.number, call.at, call.ended_at, call.state, call.target) == (2, 5, 9, State.DONE, "f")


def test_a_result_may_name_the_target(store):
    """An empty target keeps the earlier one, another one replaces it."""
    commit(store, operation("c", target="guess"), operation("c", State.DONE, target=""))
    assert store.operations(ONE.session)[0].target == "guess"
    commit(store, operation("c", State.DONE, target="real"))
    assert store.operations(ONE.session)[0].target == "real"


def test_a_background_call_has_not_ended(store):
    """It ends when a later word says so."""
    commit(store, operation("c", at=1), result("r"), operation("c", State.BACKGROUND, at=2, detail={"job": "j"}))
    assert (store.operations(ONE.session)[0].number, store.operations(ONE.session)[0].ended_at) == (1, None)
    commit(store, result("n"), operation("c", State.DONE, at=8))
    (call,) = store.operations(ONE.session)
    assert (call.number, call.ended_at, call.detail) == (2, 8, {"job": "j"})


def test_a_call_never_goes_back(store):
    """A start that is read again does not set an ended call running, nor does its number move."""
    events = [
        message("a"),
        operation("c", at=5, target="f", detail={"k": 1}),
        result("r"),
        operation("c", State.DONE, at=9, detail={"k": 2}, result="fine"),
        message("z"),
    ]
    commit(store, *events)
    before = store.operations(ONE.session)
    commit(store, *events[:2])
    assert before == store.operations(ONE.session)
    commit(store, events[3])
    assert before == store.operations(ONE.session)


def test_a_call_stands_after_the_entry_that_was_read_before_it(store):
    """Also where that entry is read again, by this commit or the one before, and the record has gone on."""
    commit(store, message("a"), message("b"), message("c"))
    commit(store, message("a"), operation("p"), message("b"))
    commit(store, operation("q"), message("d"), operation("r"))
    assert [call.number for call in store.operations(ONE.session)] == [1, 2, 4]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "pqrs"),
        ({"after": 1}, "qrs"),
        ({"kinds": {Kind.READ}}, "qs"),
        ({"states": [State.DONE]}, "pqs"),
        ({"kinds": [Kind.EDIT], "states": [State.RUNNING]}, "r"),
        ({"last": 2}, "rs"),
        ({"kinds": [Kind.READ], "last": 1}, "s"),
        ({"states": []}, ""),
    ],
)
def test_filters_combine_in_order_of_start(store, filters, expected):
    """Calls come in the order in which they started, whichever ended first."""
    commit(store, result("1"), operation("p", State.DONE))
    commit(store, result("2"), operation("q", kind=Kind.READ), operation("r"), operation("s", kind=Kind.READ))
    commit(store, result("3"), operation("s", State.DONE), result("4"), operation("q", State.DONE))
    assert expected == "".join(call.call for call in store.operations(ONE.session, **filters))


def test_calls_of_an_unknown_session(store):
    """There are none, and that is no error."""
    assert store.operations("claude-code:nobody") == []


def test_a_result_that_is_its_entrys_text_is_kept_once(store):
    """Whether it comes with its entry or later, it is given back whole; another text stands for itself."""
    told = message("r", channel=Channel.TOOL_RESULT, text="a long answer")
    commit(store, operation("c"), told, operation("c", State.DONE, at=9, result="a long answer"))
    commit(store, operation("d"), result("s"), operation("d", State.DONE, at=9, result="another"))
    kept = store._db.rows("SELECT answer, said FROM operation ORDER BY id")
    assert kept == [(0, '["c","Edit","",{},""]'), (None, '["d","Edit","",{},"another"]')]
    assert [call.result for call in store.operations(ONE.session)] == ["a long answer", "another"]
    commit(store, operation("c", State.DONE, at=9, detail={"more": 1}))
    assert [call.result for call in store.operations(ONE.session)] == ["a long answer", "another"]
