"""Sessions in files of their own: the storage of old clients, and exports."""

import json
import os
import shutil

import pytest
from opencode_rows import DATA, SESSION, TOOL, play, read_all, read_on

from memd.errors import SourceUnreadable

OLD = "ses_dd66169b8ffenydIZF57gDDY3r"


@pytest.fixture
def storage(tmp_path):
    """The storage of client 1.1.65, in a data directory of its own."""
    shutil.copytree(DATA / "storage", tmp_path / "opencode" / "storage")
    return tmp_path / "opencode" / "storage"


def session(storage):
    return next(storage.glob(f"session/*/{OLD}.json"))


def test_a_session_of_an_old_client(storage):
    """All that its files hold: who spoke, what was done, where."""
    read = play(read_all(session(storage))[0], session=OLD)
    expected = [
        ("operator.headless", "proved", '"old version prompt"\n'),
        ("tool.result", "proved", "old\n"),
        ("agent.text", "proved", "old done"),
    ]
    assert read.graded == expected
    assert read.facts.cwd == "/home/dev/proj"
    assert [(call.name, call.target, call.detail["exit"]) for call in read.calls] == [("bash", "echo old", 0)]


def test_every_file_leads_to_its_session(storage):
    """A change of a message's or part's file is news of its session."""
    files = [*storage.glob("message/*/*.json"), *storage.glob("part/*/*.json"), session(storage)]
    assert {news.path for file in files for news in TOOL.sources(file, dict)} == {session(storage)}
    assert len(files) == 11


def test_the_database_wins(storage, base):
    """Where a later client took a session over, its file is a stale copy; others' files are still history."""
    shutil.copyfile(base.path, storage.parent / "opencode.db")
    assert [one.path for one in TOOL.sources(session(storage), dict)] == [session(storage)]
    base.session(OLD)
    base.sql.execute("PRAGMA wal_checkpoint(truncate)")
    shutil.copyfile(base.path, storage.parent / "opencode.db")
    assert list(TOOL.sources(session(storage), dict)) == []


def test_a_change_is_read_again(storage):
    """Files that look different are read from the start; nothing is lost, and the ids keep it from doubling."""
    lines, cursor = read_all(session(storage))
    assert read_on(session(storage), cursor).lines == ()
    folder = storage / "message" / OLD
    late = {"id": "msg_9", "sessionID": OLD, "role": "user", "time": {"created": 1795994599000}, "agent": "build"}
    (folder / "msg_9.json").write_text(json.dumps(late))
    (storage / "part" / "msg_9").mkdir()
    (storage / "part" / "msg_9" / "prt_9.json").write_text(
        json.dumps({"id": "prt_9", "sessionID": OLD, "messageID": "msg_9", "type": "text", "text": "late"})
    )
    batch = read_on(session(storage), cursor)
    assert batch.restarted
    more, _ = read_all(session(storage), cursor)
    assert [one.text for one in play([*lines, *more]).records][-1] == "late"
    assert len(play([*lines, *more]).records) == 4


def test_in_small_steps(storage):
    """The same rows, a few at a time."""
    whole, _ = read_all(session(storage))
    steps, _ = read_all(session(storage), limit=300)
    assert [line.data for line in steps] == [line.data for line in whole]


def test_the_layout_before(storage, tmp_path):
    """Still older clients kept all of a project in one folder."""
    older = tmp_path / "project" / "proj" / "storage" / "session"
    (older / "info").mkdir(parents=True)
    shutil.copyfile(session(storage), older / "info" / f"{OLD}.json")
    shutil.copytree(storage / "message" / OLD, older / "message" / OLD)
    shutil.copytree(storage / "part", older / "part" / OLD)
    path = older / "info" / f"{OLD}.json"
    assert TOOL.wanted(str(path))
    assert [one.text for one in play(read_all(path)[0]).records] == ['"old version prompt"\n', "old\n", "old done"]
    (part,) = list((older / "part" / OLD).glob("*/*.json"))[:1]
    assert [one.path for one in TOOL.sources(part, dict)] == [path]


def test_an_export():
    """What `opencode export` writes is a transcript too, with parts in the order of their ids."""
    read = play(read_all(DATA / "export.json")[0])
    expected = [
        ("memd.injection", "MEMD-ADDED-PART synthetic"),
        ("operator.headless", "human with added part"),
        ("agent.text", "ok"),
    ]
    assert read.said == expected


def test_gone(storage):
    """A session's file that was deleted."""
    path = session(storage)
    _, cursor = read_all(path)
    path.unlink()
    assert (read_on(path, cursor).gone, TOOL.there(path)) == (True, False)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"\xff\xfe", b'{"id": "ses_1"', b"[" * 50_000])
def test_no_session(tmp_path, content):
    """A file that is not what the client writes is a fault of the source, told in one line."""
    path = tmp_path / "storage" / "session" / "p" / "ses_1.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(SourceUnreadable, match="not the JSON that OpenCode writes"):
        read_on(path)


@pytest.mark.parametrize(
    "value",
    [
        {"id": SESSION, "projectID": "p"},
        {
            "info": {"id": SESSION},
            "messages": [5, {"info": 5, "parts": 5}, {"info": {"role": "user"}, "parts": [5, {}]}],
        },
        {"info": 5, "messages": {}},
    ],
)
def test_wrong_types(tmp_path, value):
    """Anything anywhere: gaps, never an exception."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    assert play(read_all(path)[0]).records == []


def test_broken_parts(storage):
    """A torn file of a message or part is a gap in its session, which is read all the same."""
    for file in list(storage.glob("part/*/*.json"))[:2]:
        file.write_text("{")
    read = play(read_all(session(storage))[0])
    assert read.gaps
    assert len(read.records) >= 1


def test_a_pipe(tmp_path):
    """Nobody waits for a pipe's other end."""
    os.mkfifo(tmp_path / "x.json")
    with pytest.raises(SourceUnreadable):
        read_on(tmp_path / "x.json")
