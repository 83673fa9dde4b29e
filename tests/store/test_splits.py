"""Where a stream is cut into commits, and what is read twice, changes nothing in the record.

The streams are drawn from few keys, so that duplicates, later words about earlier entries and rewinds to known places
are frequent. Two sessions that share keys are interleaved, so that copies are settled in every order.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memd.model import (
    LOST,
    Amend,
    Channel,
    Compaction,
    Facts,
    Gap,
    Kind,
    Operation,
    Receipt,
    Rewind,
    State,
    TurnEnd,
    Usage,
)
from memd.store import Store, packs

from .builders import ONE, TWO, everything, message


@pytest.fixture(autouse=True, scope="module")
def small_packs():
    """So that a few entries make several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "SIZE", 3)
        yield


KEYS = st.sampled_from("abcdefgh")
TIMES = st.none() | st.integers(1, 50)
ENDS = st.none() | st.sampled_from("abcdefghz")
CHANNELS = st.sampled_from([Channel.HUMAN_TYPED, Channel.AGENT_TEXT])

MESSAGES = st.builds(message, KEYS, TIMES, CHANNELS, undelivered=st.booleans())
CALLS = st.builds(
    Operation,
    call=st.sampled_from("pqr"),
    kind=st.just(Kind.EDIT),
    name=st.just("Edit"),
    at=TIMES,
    state=st.sampled_from([State.RUNNING, State.BACKGROUND, State.DONE, State.FAILED]),
    target=st.sampled_from(["", "f", "g"]),
    detail=st.dictionaries(st.sampled_from("xy"), st.integers(0, 2)),
    result=st.sampled_from(["", "ok"]),
)
EVENTS = st.one_of(
    MESSAGES,
    MESSAGES,
    MESSAGES,
    CALLS,
    st.builds(Amend, KEYS, st.none() | st.booleans(), st.none() | CHANNELS),
    st.builds(Rewind, st.lists(st.tuples(ENDS, ENDS), max_size=3).map(tuple)),
    st.builds(Usage, st.sampled_from("uvw"), TIMES, st.integers(1, 9), st.none() | st.sampled_from("mn")),
    st.builds(Compaction, st.sampled_from("kl"), TIMES, st.just("auto"), st.none(), st.none() | st.just(3)),
    st.builds(Receipt, TIMES, st.just(1), st.integers(1, 2), st.just(2), st.sampled_from([None, "ABC123"])),
    st.builds(Facts, cwd=st.none() | st.just("/a"), forked_from=st.none() | st.sampled_from(["one", "two"])),
    st.builds(TurnEnd, TIMES),
)
STREAMS = st.lists(st.tuples(st.sampled_from([ONE, TWO]), EVENTS), max_size=40)


def record(chunks):
    """The whole record of both sessions after these commits, each a list of (session, event)."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memd.db") as store:
        for seed in (ONE, TWO):
            store.commit(seed, "", "", [], size=0, now=99)
            store.deliveries.give(seed.session, 1, "ABC123", 2, "SessionStart", 5, compactions=0)
        for chunk in chunks:
            for seed in (ONE, TWO):
                store.commit(seed, "", "", [event for owner, event in chunk if owner is seed], size=0, now=99)
        return everything(store, ONE.session), everything(store, TWO.session)


def cut(stream, places):
    ends = sorted({place % (len(stream) + 1) for place in places} | {0, len(stream)})
    return [stream[start:end] for start, end in pairwise(ends)]


@given(STREAMS, st.lists(st.integers(0, 40), max_size=8))
@settings(max_examples=150, deadline=None)
def test_commits_can_be_cut_anywhere(stream, places):
    """One stream in one commit or in many: the same numbers, marks, calls, sizes and copies."""
    assert record(cut(stream, places)) == record([stream])


@given(STREAMS, st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_reading_everything_again_adds_nothing(stream, place):
    """A source that is read again from its start gives no entry, compaction, call or delivery a second time."""
    once, again = record([stream]), record([stream, stream[: place % (len(stream) + 1)]])
    for before, after in zip(once, again, strict=True):
        assert [one.key for one in after["messages"]] == [one.key for one in before["messages"]]
        assert [one.text for one in after["messages"]] == [one.text for one in before["messages"]]
        assert [one.call for one in after["operations"]] == [one.call for one in before["operations"]]
        assert after["boundaries"] == before["boundaries"]
        assert after["deliveries"] == before["deliveries"]
        assert after["session"].compactions == before["session"].compactions


FORWARD = st.lists(st.booleans(), max_size=25)


@given(FORWARD, st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_a_replay_of_a_real_stream_changes_nothing(shape, place):
    """A transcript as tools write it (each key once, calls from start to end), read again up to any place."""
    stream = []
    for n, calls in enumerate(shape):
        stream.append((ONE, message(f"m{n}", n)))
        stream.append((ONE, Usage(f"u{n}", n, n + 1)))
        if calls:
            call = Operation(f"c{n}", Kind.READ, "Read", n, State.RUNNING, f"f{n}", {"k": 1})
            stream.append((ONE, call))
            stream.append((ONE, message(f"r{n}", n, Channel.TOOL_RESULT)))
            stream.append((ONE, replace(call, state=State.DONE, target="", detail={"k": 2}, result="ok")))
        if n % 7 == 6:
            stream.append((ONE, Compaction(f"k{n}", n, "auto")))
    again = stream[: place % (len(stream) + 1)]
    assert record([stream, again]) == record([stream])


def test_gaps_are_counted_anew_with_their_transcript(store):
    """A gap has no key: read on, it is counted again; read from the start, what that transcript had is forgotten first."""
    store.commit(ONE, "", "", [Gap("torn")], size=0, now=1)
    store.commit(ONE, "", "", [Gap("torn")], size=0, now=1)
    assert store.glances.gaps(ONE.session) == {("torn", ""): 2}
    store.commit(ONE, "", "", [Gap("torn"), Gap("torn"), Gap("torn")], size=0, now=1, anew=True)
    assert store.glances.gaps(ONE.session) == {("torn", ""): 3}


def test_a_transcript_that_moved_counts_its_gaps_once(store):
    """Its rows are read under both paths; what was written over in one of them is lost whatever the other has."""
    moved = replace(ONE, path="/elsewhere/one.jsonl")
    for seed in (ONE, moved):
        store.commit(seed, "", "", [Gap("unknown", "x"), Gap(LOST, "bytes", 5)], size=0, now=1, anew=True)
    store.commit(moved, "", "", [Gap(LOST, "bytes", 1)], size=0, now=1, anew=True)
    assert store.glances.gaps(ONE.session) == {("unknown", "x"): 1, (LOST, "bytes"): 11}
