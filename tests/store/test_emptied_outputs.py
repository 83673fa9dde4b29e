"""A client that empties what a tool printed, long after (OpenCode's pruning does): what was recorded of it stays."""

from memd.model import Channel, State

from .builders import ONE, commit, message, operation


def test_an_answer_that_is_emptied_later_keeps_what_it_said(store):
    """The call and its entry come once more under their keys, without their text: a later look finds the value."""
    answer = message("prt_1", 10, channel=Channel.TOOL_RESULT, text="rate 42.7 req/s")
    done = operation("call_1", State.DONE, target="./bench", result="rate 42.7 req/s")
    commit(store, answer, done)
    before = store.messages(ONE.session), store.operations(ONE.session)
    again = message("prt_1", 10, channel=Channel.TOOL_RESULT, text="[Old tool result content cleared]")
    commit(store, again, operation("call_1", State.DONE, target="./bench", result=""))
    assert (store.messages(ONE.session), store.operations(ONE.session)) == before
    assert [hit.number for hit in store.search("42.7", now=20)] == [1]
