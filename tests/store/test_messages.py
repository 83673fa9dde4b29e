"""Messages: numbers, duplicates, changes, filters."""

import pytest

from memd.model import Channel, Facts, Gap, Grade, Message, Source, TurnEnd
from memd.store.keys import hashed

from .builders import NOW, ONE, TWO, amend, commit, message


def numbers(records):
    return [record.number for record in records]


def test_numbers_go_on_without_gaps(store):
    """Messages are numbered 1, 2, 3 … over all commits, each session for itself."""
    assert numbers(commit(store, message("a"), message("b")).added) == [1, 2]
    commit(store, message("x"), seed=TWO)
    third = commit(store, message("c"))

    assert (third.first, third.last) == (3, 3)
    assert [record.key for record in store.messages(ONE.session)] == [hashed("a"), hashed("b"), hashed("c")]
    assert numbers(store.messages(ONE.session)) == [1, 2, 3]
    assert numbers(store.messages(TWO.session)) == [1]


def test_everything_of_a_message_comes_back(store):
    """A record is what was read: text with NULs and all scripts, source, turn, extra."""
    text = "null \x00 byte, 中文, 😀, and a\r\nbreak"
    given = Message(
        "key",
        7,
        Channel.HUMAN_ANSWER,
        Grade.INFERRED,
        text,
        Source(2**40, 12),
        turn="t1",
        undelivered=True,
        extra={"question": "为什么?", "images": 2},
    )
    (added,) = commit(store, given).added

    read = store.message(ONE.session, 1)
    assert added == read
    assert (text, Source(2**40, 12), "t1") == (read.text, read.source, read.turn)
    assert (read.channel, read.grade) == (Channel.HUMAN_ANSWER, Grade.INFERRED)
    assert (read.undelivered, read.withdrawn, read.copy_of) == (True, False, None)
    assert read.extra == {"question": "为什么?", "images": 2}


def test_a_message_that_is_not_there_is_none(store):
    """Neither an unknown number nor an unknown session is an error."""
    commit(store, message("a"))
    assert store.message(ONE.session, 2) is None
    assert store.message(ONE.session, 0) is None
    assert store.message("claude-code:nobody", 1) is None
    assert store.messages("claude-code:nobody") == []


def test_a_duplicate_is_counted_and_keeps_its_number(store):
    """A key that the session has is not recorded again, in the same commit or a later one."""
    first = commit(store, message("a"), message("a", text="other"), message("b"))
    assert (first.duplicates, numbers(first.added)) == (1, [1, 2])

    again = commit(store, message("b", text="other"), message("a"), message("c"))
    assert (again.duplicates, again.first, again.last) == (2, 3, 3)
    assert [record.text for record in store.messages(ONE.session)] == ["text of a", "text of b", "text of c"]


def test_keys_with_a_nul_are_told_apart(store):
    """A key is taken whole, whatever is in it."""
    commit(store, message("a\x00b"), message("a\x00c"))
    again = commit(store, message("a\x00b"), message("a"))
    assert (again.duplicates, [record.key for record in again.added]) == (1, [hashed("a")])


def test_a_commit_without_messages_has_no_numbers(store):
    """Nothing added is told as None, and the cursor moves all the same."""
    empty = commit(store, cursor="further")
    assert (empty.first, empty.last, empty.added, empty.duplicates) == (None, None, (), 0)
    assert store.sources.of(ONE.path).cursor == "further"


def test_a_later_row_changes_an_earlier_entry(store):
    """An amendment reaches an entry of this commit and of an earlier one, and touches only what it names."""
    commit(store, message("old", channel=Channel.HUMAN_QUEUED))
    added = commit(
        store,
        amend("old", undelivered=True),
        message("new"),
        amend("new", channel=Channel.HARNESS_META, grade=Grade.UNKNOWN),
    ).added

    old, new = store.messages(ONE.session)
    assert (old.undelivered, old.channel, old.grade) == (True, Channel.HUMAN_QUEUED, Grade.PROVED)
    assert (new.undelivered, new.channel, new.grade) == (False, Channel.HARNESS_META, Grade.UNKNOWN)
    assert (new,) == added

    commit(store, amend("old", undelivered=False))
    assert not store.message(ONE.session, 1).undelivered


def test_an_amendment_reaches_back_only(store):
    """What comes after an amendment is not changed by it, and another session's entry never is."""
    commit(store, message("a"), seed=TWO)
    commit(store, amend("a", undelivered=True), message("a"))
    assert [record.undelivered for record in store.messages(ONE.session)] == [False]
    assert [record.undelivered for record in store.messages(TWO.session)] == [False]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"after": 2}, [3, 4, 5, 6]),
        ({"after": 1, "upto": 3}, [2, 3]),
        ({"upto": 0}, []),
        ({"last": 2}, [5, 6]),
        ({"last": 0}, []),
        ({"channels": [Channel.AGENT_TEXT]}, [2, 4, 6]),
        ({"channels": {Channel.AGENT_TEXT}, "last": 2}, [4, 6]),
        ({"channels": []}, []),
        ({"numbers": {5, 1, 99}}, [1, 5]),
        ({"numbers": [1, 2, 5, 6], "after": 1, "upto": 5, "channels": [Channel.AGENT_TEXT]}, [2]),
        ({"numbers": ()}, []),
    ],
)
def test_filters_combine(store, filters, expected):
    """Every filter narrows what the others leave; `last` counts from the end of that, and order is by number."""
    kinds = [Channel.HUMAN_TYPED, Channel.AGENT_TEXT]
    commit(store, *(message(str(n), channel=kinds[n % 2]) for n in range(6)))
    assert expected == numbers(store.messages(ONE.session, **filters))


def test_a_session_knows_its_span(store):
    """`created_at` is the earliest entry, `last_at` the latest, `seen_at` the clock of the reader."""
    commit(store, message("a", 50), message("b"), message("c", 20), message("d", 40), now=77)
    session = store.session(ONE.session)
    assert (session.created_at, session.last_at, session.seen_at, session.messages) == (20, 50, 77, 4)
    assert (ONE.tool, ONE.native, ONE.path) == (session.tool, session.native, session.path)


def test_later_facts_replace_earlier_ones_and_nothing_changes_nothing(store):
    """A fact stays until a row says otherwise."""
    commit(store, Facts(cwd="/a", title="T", window=200_000), Facts(cwd="/b", model="m1"))
    commit(store, Facts(model="m2", version="2.1", entrypoint="cli", branch="main", forked_from=TWO.session))
    session = store.session(ONE.session)
    assert (session.cwd, session.title, session.window, session.model) == ("/b", "T", 200_000, "m2")
    assert ("2.1", "cli", TWO.session) == (session.version, session.entrypoint, session.forked_from)


def test_gaps_add_up_by_kind_and_what(store):
    """What was not read as an entry is counted, never passed over."""
    commit(store, Gap("torn"), Gap("unknown", "row-a"), Gap("unknown", "row-a", 4))
    commit(store, Gap("torn", count=2), Gap("unknown", "row-b"))
    assert store.glances.gaps(ONE.session) == {("torn", ""): 3, ("unknown", "row-a"): 5, ("unknown", "row-b"): 1}


def test_the_end_of_a_turn_is_remembered(store):
    """The newest end counts; one without a time takes the newest entry's, or the clock."""
    commit(store, TurnEnd(None))
    assert store.session(ONE.session).turn_ended_at == NOW
    commit(store, message("a", NOW + 5), TurnEnd(None), TurnEnd(9))
    assert store.session(ONE.session).turn_ended_at == NOW + 5


def test_a_failed_commit_leaves_nothing(store):
    """Events that cannot be recorded take their whole commit with them, cursor included."""
    commit(store, message("a"), cursor="before")
    with pytest.raises(TypeError):
        commit(store, message("b"), message("c", extra={"bad": object()}), Facts(cwd="/new"), cursor="after")
    assert [record.key for record in store.messages(ONE.session)] == [hashed("a")]
    assert (store.sources.of(ONE.path).cursor, store.session(ONE.session).cwd) == ("before", None)
    assert commit(store, message("d")).first == 2
