"""One transcript, step by step: each step one transaction, whatever happens to the file in between."""

import json
import os
from pathlib import Path

import pytest
from transcript import Transcript

from memd.daemon.reader import Reader, head
from memd.errors import SourceUnreadable
from memd.store import Store
from memd.tools.claude_code import ClaudeCode, state
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "memd.db") as store:
        yield store


@pytest.fixture
def reader(store):
    return Reader(store, Path("/nowhere"), lambda: 1_000)


@pytest.fixture
def transcript(tmp_path):
    return Transcript(tmp_path / "projects" / "-w" / "5d1f0c1e.jsonl")


def read(reader, transcript, limit=1 << 20):
    """All steps to the end."""
    steps = [reader.step(CLAUDE, transcript.path, limit)]
    while steps[-1].more:
        steps.append(reader.step(CLAUDE, transcript.path, limit))
    return steps


def texts(store, transcript):
    return [(record.number, record.text) for record in store.messages(transcript.id)]


@pytest.mark.parametrize("limit", [1, 700, 5_000, 1 << 20])
def test_the_record_does_not_depend_on_the_steps(store, reader, transcript, limit):
    """Cut into steps of any size, the numbers are the same and nothing is read twice."""
    for number in range(6):
        transcript.turn(f"Prompt {number}", answer=f"Answer {number}")
    steps = read(reader, transcript, limit)
    assert [text for _, text in texts(store, transcript)] == [
        f"{w} {n}" for n in range(6) for w in ("Prompt", "Answer")
    ]
    assert sum(len(step.added) for step in steps) == 12
    assert [step.more for step in steps] == [True] * (len(steps) - 1) + [False]


@pytest.mark.parametrize("member", ["feed", "dump"])
def test_records_state_and_cursor_are_one_transaction(store, reader, transcript, monkeypatch, member):
    """A step that fails in the parser or after it leaves nothing: neither records nor a cursor that passed them."""
    transcript.turn("First.")
    read(reader, transcript)
    before = store.sources.of(str(transcript.path))
    transcript.turn("Second.")
    monkeypatch.setattr(ClaudeCode, member, lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        reader.step(CLAUDE, transcript.path)
    assert (store.sources.of(str(transcript.path)), len(texts(store, transcript))) == (before, 2)
    monkeypatch.undo()
    read(reader, transcript)
    assert [text for _, text in texts(store, transcript)] == ["First.", "Done.", "Second.", "Done."]


def test_half_a_line_waits_for_its_other_half(store, reader, transcript):
    transcript.turn("First.")
    whole = transcript.path.read_bytes()
    transcript.turn("Second.")
    data = transcript.path.read_bytes()
    for size in (len(whole) + 1, len(data) - 1, len(data)):
        transcript.path.write_bytes(data[:size])
        read(reader, transcript)
    assert [text for _, text in texts(store, transcript)] == ["First.", "Done.", "Second.", "Done."]


def test_nothing_new_is_no_commit(store, reader, transcript):
    """A hint without news costs one look and writes nothing."""
    transcript.turn("First.")
    read(reader, transcript)
    before = store.sources.of(str(transcript.path))
    step = Reader(store, Path("/nowhere"), lambda: 2_000).step(CLAUDE, transcript.path)
    assert (step.session, step.changed, step.more) == (transcript.id, False, False)
    assert store.sources.of(str(transcript.path)) == before


def test_a_transcript_that_was_written_anew_is_read_from_its_start(store, reader, transcript):
    """Rewritten with rows left out and rows added (a resume does that): known rows keep their numbers, once."""
    rows = [transcript.typed(f"Prompt {number}") for number in range(5)]
    read(reader, transcript)
    transcript.path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in (rows[0], rows[3])))
    transcript.typed("Prompt 5")
    transcript.typed("Prompt 6" + "x" * 5_000)
    read(reader, transcript)
    assert [text[:8] for _, text in texts(store, transcript)] == [f"Prompt {number}" for number in range(7)]
    assert store.sources.of(str(transcript.path)).offset == transcript.path.stat().st_size


def test_a_truncated_transcript_keeps_its_record(store, reader, transcript):
    for number in range(5):
        transcript.typed(f"Prompt {number}")
    read(reader, transcript)
    os.truncate(transcript.path, transcript.path.stat().st_size // 2)
    read(reader, transcript)
    transcript.raw(b"\n")
    transcript.typed("After the cut.")
    read(reader, transcript)
    assert [number for number, _ in texts(store, transcript)] == [1, 2, 3, 4, 5, 6]
    assert texts(store, transcript)[-1][1] == "After the cut."


def test_a_deleted_transcript_is_marked_gone_and_back_when_it_is(store, reader, transcript):
    transcript.turn("First.")
    read(reader, transcript)
    data = transcript.path.read_bytes()
    transcript.path.unlink()
    assert reader.step(CLAUDE, transcript.path).gone
    assert store.sources.of(str(transcript.path)).gone_at == 1_000
    assert len(texts(store, transcript)) == 2
    transcript.path.write_bytes(data)
    read(reader, transcript)
    assert (store.sources.of(str(transcript.path)).gone_at, len(texts(store, transcript))) == (None, 2)


def test_a_file_that_was_never_there_is_no_session(store, reader, transcript):
    assert reader.step(CLAUDE, transcript.path).gone
    assert store.sessions() == []


def test_a_readers_state_of_another_version_is_read_again(store, reader, transcript, monkeypatch):
    """After an update the transcript is parsed anew from its start, and no message is recorded twice."""
    for number in range(4):
        transcript.turn(f"Prompt {number}")
    read(reader, transcript)
    before = texts(store, transcript)
    monkeypatch.setattr(state, "VERSION", state.VERSION + 1)
    transcript.turn("Prompt 4")
    read(reader, transcript, limit=700)
    assert texts(store, transcript)[:8] == before
    assert [text for _, text in texts(store, transcript)[8:]] == ["Prompt 4", "Done."]


@pytest.mark.parametrize("damaged", ["", "{", "null", "[]", '{"version": 1}', "7"])
def test_a_damaged_readers_state_is_read_again(store, reader, transcript, damaged):
    transcript.turn("First.")
    read(reader, transcript)
    row = store.sources.of(str(transcript.path))
    with store._db.transaction() as sql:
        sql.execute("UPDATE source SET reader = ?", (damaged,))
    transcript.turn("Second.")
    read(reader, transcript)
    assert [text for _, text in texts(store, transcript)] == ["First.", "Done.", "Second.", "Done."]
    assert store.sources.of(str(transcript.path)).reader != row.reader


def test_a_file_that_names_no_session_is_left_alone(store, reader, tmp_path):
    path = tmp_path / "not a session id.jsonl"
    path.write_text('{"type": "user"}\n')
    assert reader.step(CLAUDE, path).session is None
    assert store.sources.every() == []


def test_what_cannot_be_read_says_so(reader, tmp_path):
    """A directory or a FIFO in a transcript's place: told, and nobody waits for its other end."""
    (tmp_path / "a.jsonl").mkdir()
    os.mkfifo(tmp_path / "b.jsonl")
    for name in ("a", "b"):
        with pytest.raises(SourceUnreadable):
            reader.step(CLAUDE, tmp_path / f"{name}.jsonl")
    with pytest.raises(SourceUnreadable):
        head(tmp_path / "a.jsonl")
    assert head(tmp_path / "b.jsonl") == [b""]


def test_a_file_that_vanishes_between_two_looks_is_no_defect(reader, transcript, monkeypatch):
    transcript.turn("First.")
    monkeypatch.setattr(type(CLAUDE), "identify", lambda *_: transcript.path.unlink())
    assert reader.step(CLAUDE, transcript.path).session is None
