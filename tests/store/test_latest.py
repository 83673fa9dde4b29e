"""The newest calls, kept between two questions: always what the record says."""

import tempfile
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model import Channel, Kind, Record, Rewind, State
from memd.model.folded import SIZE, Folded
from memd.store import Store

from .builders import NOW, ONE, TWO, amend, commit, message, operation

module = import_module("memd.store.latest")
CALLS = st.builds(
    operation,
    st.sampled_from([f"c{n}" for n in range(12)]),
    st.sampled_from(list(State)),
    kind=st.sampled_from([Kind.EDIT, Kind.TASKS, Kind.ASK]),
    detail=st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2),
)
ASKED = ({"last": 4}, {"kinds": {Kind.TASKS}, "last": 2}, {"kinds": {Kind.ASK}})


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(CALLS, max_size=5), st.sampled_from([ONE, TWO]), st.booleans()), max_size=12))
def test_what_is_kept_is_what_is_recorded(steps):
    """Whatever calls began, went on and ended between two questions, in which order and of which session."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memd.db") as store:
        for number, (events, seed, ask) in enumerate(steps):
            commit(store, message(f"m{number}"), *events, seed=seed)
            for asked in ASKED if ask else ():
                for session in (ONE.session, TWO.session):
                    assert store.operations(session, **asked) == store.latest_operations(session, **asked)


ENTRIES = st.one_of(
    st.builds(message, st.uuids().map(str), channel=st.sampled_from([Channel.HUMAN_TYPED, Channel.AGENT_TEXT])),
    st.builds(message, st.sampled_from([f"shared{n}" for n in range(4)])),
    st.builds(amend, st.sampled_from([f"shared{n}" for n in range(4)]), undelivered=st.booleans()),
    st.builds(lambda key: Rewind(((None, key),)), st.sampled_from([f"shared{n}" for n in range(4)])),
)
SAID = ({"channels": {Channel.HUMAN_TYPED}}, {"channels": {Channel.AGENT_TEXT}, "last": 2})


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(ENTRIES, max_size=4), st.sampled_from([ONE, TWO]), st.booleans()), max_size=12))
def test_messages_that_are_kept_are_those_that_are_recorded(steps):
    """Whatever came, was copied, changed or taken back between two questions; those of long ago lie folded."""
    near = patch.multiple(module, NEAR=2, SIZE=3)
    with near, tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memd.db") as store:
        for events, seed, ask in steps:
            commit(store, *events, seed=seed)
            for asked in SAID if ask else ():
                for session in (ONE.session, TWO.session):
                    kept = store.latest_messages(session, **asked)
                    assert as_they_are(store.messages(session, **asked)) == as_they_are(kept)


def as_they_are(records):
    """What can be asked of messages, folded or not."""
    return [tuple(getattr(record, name) for name in Record.__struct_fields__) for record in records]


def test_only_what_a_commit_wrote_is_read_again(store, monkeypatch):
    """A session's fifteen hundred calls are not read after each turn."""
    commit(store, *(operation(f"c{n}") for n in range(9)))
    store.latest_operations(ONE.session, last=8)
    monkeypatch.setattr(module.reading, "operations", None)
    commit(store, operation("c8", State.DONE), operation("c9"))
    assert [f"c{n}" for n in range(2, 10)] == [done.call for done in store.latest_operations(ONE.session, last=8)]
    assert State.DONE is store.latest_operations(ONE.session, last=8)[-2].state


def test_old_messages_are_folded(store, monkeypatch):
    """All but the newest, of those that are asked for whole."""
    monkeypatch.setattr(module, "NEAR", 10)
    for number in range(100):
        commit(store, message(f"m{number}"))
        kept = store.latest_messages(ONE.session, channels={Channel.HUMAN_TYPED})
    assert [*[True] * SIZE, *[False] * (100 - SIZE)] == [isinstance(record, Folded) for record in kept]


def test_little_is_kept(store, monkeypatch):
    """Of sessions that were asked for longest ago nothing, and nothing of one that is read from its start."""
    monkeypatch.setattr(module, "MOST", 5)
    monkeypatch.setattr(module, "MUCH", 5)
    for seed in (ONE, TWO):
        commit(store, *(operation(f"c{n}") for n in range(4)), seed=seed)
        store.latest_operations(seed.session)
    assert [TWO.session] == list(store._latest._kept)
    commit(store, *(operation(f"d{n}") for n in range(6)), seed=TWO)
    assert list(store._latest._kept) == []


def test_all_but_one_session_s_is_given_back(store):
    """Before one with thousands of prompts is asked for."""
    for seed in (ONE, TWO):
        commit(store, operation("c1"), seed=seed)
        store.latest_operations(seed.session)
    store.release(ONE.session)
    assert [ONE.session] == list(store._latest._kept)
    store.release()
    assert (store._latest._kept, store._latest._total) == ({}, 0)


def test_what_was_forgotten_is_not_kept(store):
    """A session that left the record has no calls."""
    commit(store, operation("c1"))
    store.latest_operations(ONE.session)
    store.forgetting.forget([ONE.session], NOW)
    assert store.latest_operations(ONE.session) == []


def test_a_store_that_only_reads_keeps_nothing(store):
    """It does not see what another process commits."""
    commit(store, operation("c1"))
    with Store.open(store._db.path, readonly=True) as reader:
        reader.latest_operations(ONE.session)
        commit(store, operation("c2"))
        assert [done.call for done in reader.latest_operations(ONE.session)] == ["c1", "c2"]
