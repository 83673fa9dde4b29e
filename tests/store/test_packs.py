"""Texts that lie packed come back as they were, wherever they are asked for."""

import zlib

import pytest

from memd.errors import RecordDamaged
from memd.model import Channel, Kind, State
from memd.store import Store, packs
from memd.store.codes import CHANNELS

from .builders import NOW, ONE, TWO, amend, checkpoint, commit, everything, message, operation

ODD = ["", "a\0b", "two\nlines", "用SQLite存储", "\x01", "x" * 10_000, "é" * 40]


def story(count):
    """A person, an agent and a tool in turns, with everything an entry can have."""
    for n in range(1, count + 1):
        channel = (Channel.HUMAN_TYPED, Channel.AGENT_TEXT, Channel.TOOL_RESULT)[n % 3]
        text = f"entry {n} {ODD[n % len(ODD)]}"
        yield operation(f"c{n}", at=n)
        yield message(f"k{n}", n, channel, text=text, turn=f"t{n}" if n % 2 else None, extra={"n": n} if n % 5 else {})
        yield operation(f"c{n}", State.DONE, at=n, result=text)


def entries(store):
    return {name: everything(store)[name] for name in ("messages", "operations")}


def count(store, what):
    return store._db.rows(f"SELECT count(*) FROM {what}")[0][0]


def never(patch):
    """Nothing is packed."""
    patch.setattr(packs, "SIZE", 1_000_000)
    patch.setattr(packs, "SEVERAL", 1_000_000)


@pytest.mark.parametrize("several", [1, 7, 32, 33, 100, 300])
def test_packed_is_as_it_was(store, tmp_path, monkeypatch, several):
    """However many entries a commit brings, the record is the one that keeps all of them in their rows."""
    events = list(story(100))
    for start in range(0, len(events), several):
        commit(store, *events[start : start + several])
    with Store.open(tmp_path / "plain" / "memd.db") as other, monkeypatch.context() as patch:
        never(patch)
        commit(other, *events)
        assert (count(other, "pack"), count(other, "operation WHERE pack IS NOT NULL")) == (0, 0)
        assert count(store, "operation WHERE pack IS NOT NULL") >= 64
        assert entries(other) == entries(store)
        found = [[(hit.number, hit.snippet) for hit in one.search("sqlite 存储", now=0)] for one in (store, other)]
        assert found[0] == found[1] != []


@pytest.mark.parametrize("several", [1, 64 * 3])
def test_what_a_person_said_stays_in_its_row(store, several):
    """It is read at every refresh, of the whole session."""
    events = list(story(64))
    for start in range(0, len(events), several):
        commit(store, *events[start : start + several])
    packed = {CHANNELS[channel] for (channel,) in store._db.rows("SELECT channel FROM message WHERE pack IS NOT NULL")}
    plain = {CHANNELS[channel] for (channel,) in store._db.rows("SELECT channel FROM message WHERE pack IS NULL")}
    assert (packed, plain) == ({Channel.AGENT_TEXT, Channel.TOOL_RESULT}, {Channel.HUMAN_TYPED})
    assert count(store, "message WHERE pack IS NOT NULL AND (text <> '' OR turn NOTNULL OR extra NOTNULL)") == 0


def test_a_record_that_began_without_packs_goes_on(store, monkeypatch):
    """Its entries stay in their rows or are packed with the next; all of them are there."""
    events = list(story(80))
    with monkeypatch.context() as patch:
        never(patch)
        commit(store, *events[: 40 * 3])
    store._db.rows("UPDATE session SET packed = 32")
    commit(store, *events[40 * 3 :])
    assert store._db.rows("SELECT first FROM pack") == [(33,)]
    assert count(store, "operation WHERE pack IS NOT NULL") == 80
    assert [record.text for record in store.messages(ONE.session)] == [e.text for e in events if hasattr(e, "text")]


def test_a_later_word_about_a_packed_entry(store):
    """Who spoke and whether it was delivered may change; the text stays."""
    commit(store, *story(64))
    before = store.message(ONE.session, 2)
    commit(store, amend("k2", channel=Channel.HUMAN_TYPED, undelivered=True))
    after = store.message(ONE.session, 2)
    assert (after.channel, after.undelivered, after.text, after.extra) == (
        Channel.HUMAN_TYPED,
        True,
        before.text,
        before.extra,
    )


def test_packs_go_with_their_session(store):
    """Nothing of a forgotten one is left; another's texts are its own, read before and after."""
    commit(store, *story(64))
    commit(store, *(message(f"o{n}", n, Channel.AGENT_TEXT, text=f"other {n}") for n in range(1, 33)), seed=TWO)
    texts = [record.text for record in store.messages(TWO.session)]
    assert len(store.messages(ONE.session)) == 64
    store.forgetting.forget([ONE.session], NOW)
    assert count(store, "pack") == 1
    commit(store, *(message(f"n{n}", n, Channel.AGENT_TEXT, text=f"new {n}") for n in range(1, 33)))
    assert [record.text for record in store.messages(ONE.session)] == [f"new {n}" for n in range(1, 33)]
    assert [record.text for record in store.messages(TWO.session)] == texts
    assert store.search("entry", now=0) == []


def test_more_packs_than_are_kept_in_memory(store, monkeypatch):
    """Reading back and forth through a long session gives the same texts."""
    monkeypatch.setattr(packs, "_KEPT", 2)
    commit(store, *story(320))
    texts = {record.number: record.text for record in store.messages(ONE.session)}
    assert {n: store.message(ONE.session, n).text for n in (1, 319, 2, 150, 151, 2, 318)}.items() <= texts.items()


def test_texts_of_checkpoints_are_packed(store):
    """They come back; so do those that an older memd wrote as they are, or packed by zlib."""
    commit(store, message("a"))
    store.checkpoints.add(checkpoint(1), "d")
    assert store._db.rows("SELECT mind FROM checkpoint") == [(packs.squeezed(b"mind"),)]
    store._db.rows("UPDATE checkpoint SET memo = 'as it is', scene = ?", (zlib.compress(b"of then"),))
    parts = store.checkpoints.current(ONE.session).parts
    assert (parts.mind, parts.memo, parts.scene) == ("mind", "as it is", "of then")


def test_memory_is_given_back(store):
    """What was unpacked is let go of, and unpacked again when it is asked for."""
    commit(store, *story(64))
    before = entries(store)
    assert len(store._db.unpacked._packs) == 1
    store.release()
    assert len(store._db.unpacked._packs) == 0
    assert entries(store) == before


FLIPPED = "entries = CAST(substr(entries, 1, 80) || X'00' || substr(entries, 82) AS BLOB)"


@pytest.mark.parametrize("damage", ["entries = x'00'", "entries = substr(entries, 1, 40)", "id = id + 100", FLIPPED])
def test_a_pack_that_is_damaged(store, damage):
    """The record counts as damaged, as where SQLite finds it out: it is set aside, and no text is given back wrong."""
    commit(store, *story(64))
    store._db.rows(f"UPDATE pack SET {damage}")
    for ask in (store.messages, store.operations):
        with pytest.raises(RecordDamaged, match="the file is damaged"):
            ask(ONE.session)
    with pytest.raises(RecordDamaged), store._db.transaction() as sql:
        sql.execute("SELECT unpacked(pack, number, 0) FROM message WHERE pack NOTNULL").fetchall()


def test_a_text_of_a_checkpoint_that_is_damaged(store):
    """The same."""
    commit(store, message("a"))
    store.checkpoints.add(checkpoint(1), "d")
    store._db.rows("UPDATE checkpoint SET scene = x'00'")
    with pytest.raises(RecordDamaged):
        store.checkpoints.current(ONE.session)


def test_what_a_pack_looks_like():
    """The forms on disk are read for ever, the one without calls too."""
    content = b"[3,null,2,null,4,null]\ntwo{}turn"
    assert [packs.Pack(7, content).value(number, place) for number in (7, 8) for place in range(3)] == [
        "two",
        "{}",
        "turn",
        None,
        None,
        None,
    ]
    entries = [(8, "é", None, "t"), (7, "one", '{"n":1}', None)]
    content = packs.Pack.content(range(7, 9), entries, ["c1", "call 2"])
    assert content == '[[3,2],[7,null],[null,1],[2,6]]\noneé{"n":1}tc1call 2'.encode()
    pack = packs.Pack(7, content)
    assert [pack.value(number, 0) for number in (7, 8)] == ["one", "é"]
    assert [pack.value(slot, 3) for slot in (0, 1)] == ["c1", "call 2"]
    assert packs.squeezed(b"mind").hex() == "28b52ffd24042100006d696e640e62ce60"


def test_calls_are_packed_when_they_have_ended(store):
    """One that runs, or goes on in the background, stays in its row until it has."""
    commit(store, operation("runs"), operation("job", State.BACKGROUND), *story(40))
    loose = [call for call in store.operations(ONE.session) if call.call in {"runs", "job"}]
    assert [call.state for call in loose] == [State.RUNNING, State.BACKGROUND]
    assert count(store, "operation WHERE pack IS NULL") == 2
    commit(store, operation("runs", State.DONE, result="late"), *(message(f"m{n}") for n in range(8)))
    assert count(store, "operation WHERE pack IS NULL") == 1
    assert store.operations(ONE.session)[0].result == "late"


def test_calls_lie_with_the_entries_that_they_ended_with(store):
    """There stand the words that they repeat, and who reads the one reads the other."""
    commit(store, *story(packs.MOST * 2))
    ended = "SELECT o.number, first FROM operation o JOIN pack p ON p.id = o.pack"
    assert {(number - 1) // packs.MOST * packs.MOST + 1 - first for number, first in store._db.rows(ended)} == {0}


def test_a_later_word_about_a_packed_call(store):
    """It stands in its row again, with what was packed of it."""
    commit(store, *story(40))
    before = store.operations(ONE.session)[4]
    commit(store, operation("c5", State.DONE, at=5, detail={"more": "later"}))
    after = store.operations(ONE.session)[4]
    assert (after.detail, after.result, after.target) == ({"more": "later"}, before.result, before.target)
    assert count(store, "operation WHERE pack IS NULL") == 1


def test_calls_are_found_by_what_they_touched_packed_or_not(store):
    """By the file that they read or wrote, and by its name in a shell line, letters that JSON escapes among them."""
    odd = 'src/a "b"\n.py'
    for name, target, kind in (
        ("r", odd, Kind.READ),
        ("s", f"cat {odd}", Kind.COMMAND),
        ("t", "cat b.py", Kind.COMMAND),
    ):
        commit(store, operation(name, kind=kind, target=target), operation(name, State.DONE, kind=kind, target=target))
    rows = [call.call for call in store.projects.touches(ONE.session, [odd])]
    commit(store, *(message(f"m{n}") for n in range(8)))
    commit(store, *story(8))
    assert count(store, "operation WHERE pack IS NULL AND key IN (SELECT key FROM operation LIMIT 3)") == 0
    assert [call.call for call in store.projects.touches(ONE.session, [odd])] == rows == ["s", "r"]
