"""Reading sessions out of the client's database: what has news, rows after a cursor, tables and log, copies, deletion."""

import json
import os
import sqlite3

import pytest
from opencode_rows import (
    MADE,
    SESSION,
    TOOL,
    Database,
    assistant,
    connect,
    note,
    play,
    read_all,
    read_on,
    recording,
    row,
    text,
    tool,
    typed,
    user,
    words,
)

from memd.errors import SourceUnreadable, StoreTrouble
from memd.tools.opencode.cursor import Cursor

CREATED = row("session.created", info={"id": SESSION, "directory": "/home/dev/proj", "time": {"created": MADE}})
TURN = [*user("m1", text("go")), *assistant("m2", "m1", words("done"))]


def news(base, **known):
    given = {base.path / name: offset for name, offset in known.items()}
    return [(one.path.name, one.changed) for one in TOOL.sources(base.path, lambda: given)]


def texts(lines, **given):
    return [one.text for one in play(lines, **given).records]


def session_with_log(base, *rows, ident=SESSION, **given):
    base.session(ident, **given)
    base.log(CREATED, *rows, ident=ident)
    return base.path / ident


def test_sessions_with_news(base):
    """A session is named while it has more events than are known, with the time of its change; one that is gone as well."""
    session_with_log(base, *TURN, time_updated=MADE + 5_000)
    assert news(base) == [(SESSION, (MADE + 5_000) / 1000)]
    assert news(base, **{SESSION: 6}) == []
    assert [name for name, _ in news(base, **{SESSION: 4})] == [SESSION]
    assert [name for name, _ in news(base, **{SESSION: 6, "ses_gone": 3})] == ["ses_gone"]


def test_the_log_s_file_speaks_for_the_database(base):
    """Commits change the `-wal` alone."""
    session_with_log(base, *TURN)
    wal = base.path.with_name("opencode.db-wal")
    assert [base.path / SESSION] == [one.path for one in TOOL.sources(wal, dict)]


def test_a_session_s_own_path_stands_for_itself(base):
    """What a hint names is read, whatever is known."""
    path = session_with_log(base, *TURN)
    assert [path] == [one.path for one in TOOL.sources(path, dict)]


def test_other_databases_are_not_asked(base):
    """Sessions of another database are none of this one's business."""
    session_with_log(base, *TURN)
    other = base.path.parent / "other.db" / "ses_x"
    assert [base.path / SESSION] == [one.path for one in TOOL.sources(base.path, lambda: {other: 3})]


def test_rows_after_a_cursor(base):
    """Each event once, with its number, and nothing when there is nothing."""
    path = session_with_log(base, *TURN)
    lines, cursor = read_all(path)
    assert list(range(6)) == [line.offset for line in lines]
    assert read_on(path, cursor).lines == ()
    base.log(*user("m3", text("more")))
    lines, cursor = read_all(path, cursor)
    assert [line.offset for line in lines] == [6, 7]
    assert (read_on(path, cursor).cursor.offset, read_on(path, cursor).size) == (8, 8)


def test_in_small_steps(base):
    """About `limit` bytes a step, at least one row, and the same rows in the end."""
    path = base.path / base.record("screen")
    whole, _ = read_all(path)
    steps, _ = read_all(path, limit=700)
    assert [line.data for line in whole] == [line.data for line in steps]
    assert len(read_on(path, limit=1).lines) == 1
    assert read_on(path, limit=1).cursor.offset < read_on(path, limit=1).size


def test_a_session_from_before_the_log(base):
    """Without a log the tables tell everything, in the order of time."""
    found = recording("first")
    base.record("first", events=False)
    lines, cursor = read_all(base.path / found.id)
    logged = Database(base.path.parent / "logged.db")
    logged.record("first")
    expected = play(read_all(logged.path / found.id)[0])
    read = play(lines)
    assert [(one.key, one.channel, one.text) for one in expected.records] == [
        (one.key, one.channel, one.text) for one in read.records
    ]
    assert (read.facts.cwd, read.facts.entrypoint) == ("/home/dev/proj", "run")
    assert news(base, **{found.id: Cursor.loads(cursor).offset}) == []
    logged.close()


def test_an_old_session_that_goes_on(base):
    """Resumed by a client with a log: the tables first, the log behind them, nothing twice, nothing lost."""
    base.session()
    base.tables(*TURN)
    path = base.path / SESSION
    lines, cursor = read_all(path)
    base.log(row("session.updated", info={"id": SESSION, "title": "x"}), *user("m3", text("more")))
    assert [name for name, _ in news(base, **{SESSION: Cursor.loads(cursor).offset})] == [SESSION]
    more, cursor = read_all(path, cursor)
    assert texts([*lines, *more]) == ["go", "done", "more"]
    assert (news(base, **{SESSION: 3}), Cursor.loads(cursor).offset) == ([], 3)


def test_a_log_that_does_not_begin_at_the_beginning(base):
    """The tables hold what happened up to now, the log goes on from there: the first read gives each entry once."""
    base.session()
    more = [*user("m3", text("more"), at=MADE + 3_000), *assistant("m4", "m3", words("yes"), at=MADE + 4_000)]
    base.tables(*TURN, *more)
    base.log(row("session.updated", info={"id": SESSION}), *more)
    read = play(read_all(base.path / SESSION)[0])
    assert [one.text for one in read.records] == ["go", "done", "more", "yes"]
    assert sum(hasattr(event, "undelivered") and hasattr(event, "text") for event in read.events) == 4


def test_an_old_session_in_small_steps(base):
    """A step ends between two messages and goes on there; what is logged meanwhile comes too."""
    base.session()
    for n in range(20):
        base.tables(*user(f"m{n:02}", text(f"p{n}"), at=MADE + n))
    path = base.path / SESSION
    first = read_on(path, limit=600)
    assert first.cursor.offset < first.size
    base.log(row("session.updated", info={"id": SESSION}), *user("m99", text("new"), at=MADE + 99))
    base.tables(*user("m99", text("new"), at=MADE + 99))
    rest, _ = read_all(path, first.cursor.dumps(), limit=600)
    assert [*(f"p{n}" for n in range(20)), "new"] == texts([*first.lines, *rest])


def test_an_old_client_at_work(base):
    """A client without a log goes on: new messages and finished parts come, the ids keep entries from doubling."""
    base.session()
    base.tables(*user("m1", text("go")), *assistant("m2", "m1", text("", time={"start": 1}), finish=None))
    path = base.path / SESSION
    lines, cursor = read_all(path)
    whole = json.dumps({"type": "text", "text": "done", "time": {"start": 1, "end": 2}})
    base.sql.execute("UPDATE part SET data = ?, time_updated = ? WHERE id = 'prt_m2_0'", (whole, MADE + 9_000))
    base.tables(*user("m3", text("more"), at=MADE + 9_500))
    assert [name for name, _ in news(base, **{SESSION: Cursor.loads(cursor).offset})] == [SESSION]
    more, cursor = read_all(path, cursor)
    assert texts([*lines, *more]) == ["go", "done", "more"]
    assert read_on(path, cursor).lines == ()


def test_a_deleted_session(base):
    """Gone from the database, its log with it; what was read stays recorded."""
    path = session_with_log(base, *TURN)
    _, cursor = read_all(path)
    assert TOOL.there(path)
    for table in ("session", "event", "event_sequence"):
        base.sql.execute(f"DELETE FROM {table}")
    batch = read_on(path, cursor)
    assert (True, (), cursor) == (batch.gone, batch.lines, batch.cursor.dumps())
    assert not TOOL.there(path)


def test_a_deleted_database(base, tmp_path):
    """All its sessions are gone."""
    path = session_with_log(base, *TURN)
    base.path.rename(tmp_path / "away")
    assert (read_on(path).gone, TOOL.there(path)) == (True, False)
    assert [path] == [one.path for one in TOOL.sources(base.path, lambda: {path: 3})]


def test_deleted_and_made_anew(base):
    """The same id with another log: read from its start, said so."""
    path = session_with_log(base, *TURN)
    _, cursor = read_all(path)
    base.sql.execute("DELETE FROM event")
    base.log(CREATED, *user("m9", text("imported")))
    batch = read_on(path, cursor)
    assert (batch.restarted, len(batch.lines)) == (True, 3)
    base.sql.execute("UPDATE event SET id = id || 'x'")
    assert read_on(path, batch.cursor.dumps()).restarted


def test_notes_are_rows_too(base, tmp_path):
    """What the plugin noted of this session comes with its rows, and goes on where it was read to."""
    path, folder = session_with_log(base, *TURN), tmp_path / "notes" / SESSION
    folder.mkdir(parents=True)
    line = json.dumps(typed("m1", "prt_m1_0")["data"]) + "\n"
    (folder / "notes.jsonl").write_text(line)
    lines, cursor = read_all(path, notes=tmp_path / "notes")
    assert [str(one.channel) for one in play(lines).records] == ["human.typed", "agent.text"]
    assert read_on(path, cursor, notes=tmp_path / "notes").lines == ()
    with (folder / "notes.jsonl").open("a") as more:
        more.write(json.dumps(note("window", context=5)["data"]) + "\n{torn")
    batch = read_on(path, cursor, notes=tmp_path / "notes")
    assert (len(batch.lines), batch.cursor.offset, batch.size) == (1, 6, 6)
    assert play(batch.lines).facts.window == 5


def test_broken_notes_are_counted(base, tmp_path):
    """A line that is no note is a gap, and cannot pass for a row of the log."""
    path, folder = session_with_log(base, *TURN), tmp_path / SESSION
    folder.mkdir()
    (folder / "notes.jsonl").write_text('5\n{"v":1\n1},"type":"session.created","x":{"y":1\n')
    read = play(read_all(path, notes=tmp_path)[0])
    assert [one.text for one in read.records] == ["go", "done"]
    assert read.gaps


def test_a_fork(base):
    """Copies have their source's keys, so that the record knows them for copies; what is new has its own."""
    source, fork = base.record("run"), base.record("fork-writer")
    first = play(read_all(base.path / source)[0], session=source)
    read = play(read_all(base.path / fork)[0], session=fork)
    copied = [one for one in read.records if one.key in {other.key for other in first.records}]
    assert [one.text for one in first.records] == [one.text for one in copied]
    assert [one.number for one in copied] == list(range(1, 13))
    assert source == read.facts.forked_from


def test_a_fork_in_small_steps(base):
    """Where a step ends between the parts of a copied message, the next finds their source too."""
    base.record("run")
    path = base.path / base.record("fork-writer")
    expected = [one.key for one in play(read_all(path)[0]).records]
    assert expected == [one.key for one in play(read_all(path, limit=300)[0]).records]


def test_a_fork_that_is_read_while_it_is_written(base):
    """Its first message is there before what it says, by which its source is found: that is waited for, and is no lag."""
    source, fork = base.record("run"), base.record("fork-writer")
    path = base.path / fork
    whole = play(read_all(path)[0], session=fork)
    found = base.sql.execute("SELECT * FROM event WHERE aggregate_id = ? ORDER BY seq", (fork,))
    names = [column[0] for column in found.description]
    events = [dict(zip(names, tuple(event), strict=True)) for event in found.fetchall()]
    base.sql.execute("DELETE FROM event WHERE aggregate_id = ?", (fork,))
    lines, cursor = [], None
    for event in events:
        base.insert("event", **event)
        batch = read_on(path, cursor)
        lines, cursor = [*lines, *batch.lines], batch.cursor.dumps()
        assert batch.size == batch.cursor.offset
    read = play(lines, session=fork)
    assert [one.key for one in read.records] == [one.key for one in whole.records]
    assert read.facts.forked_from == source


def test_a_fork_of_a_fork(base):
    """What was said in the fork between is the copy of what stands there, and all before it of the first session's."""
    said = [("go", MADE), ("on", MADE + 30), ("last", MADE + 50)]
    keys = []
    for number, created in enumerate((MADE, MADE + 20, MADE + 40)):
        ident = f"{SESSION}{number}"
        rows = [
            one
            for at, (words_, when) in enumerate(said[: number + 1])
            for one in user(f"m{number}{at}", text(words_), at=when)
        ]
        path = session_with_log(base, *rows, ident=ident, time_created=created)
        base.tables(*rows, ident=ident)
        keys.append([one.key for one in play(read_all(path)[0], session=ident).records])
    assert keys[1][0] == keys[2][0] == keys[0][0]
    assert keys[2][1] == keys[1][1]
    assert len({*keys[0], *keys[1], *keys[2]}) == 3


def test_a_fork_whose_source_is_gone(base):
    """Nothing tells whose copies they are: entries of its own, and no source."""
    read = play(read_all(base.path / base.record("fork-writer"))[0])
    assert (len(read.records), read.facts.forked_from) == (20, None)


def test_the_same_time_is_not_the_same_words(base):
    """A session that happens to have a message of the same moment is not the source."""
    path = session_with_log(
        base, *user("m9", text("something else"), at=1_795_993_644_413), time_created=1_795_993_000_000
    )
    base.tables(*user("m9", text("something else"), at=1_795_993_644_413))
    fork = base.record("fork-writer")
    assert play(read_all(base.path / fork)[0]).facts.forked_from is None
    assert path.name == SESSION


def test_a_row_that_is_no_json(base):
    """Counted; what a broken row holds is not taken for a row."""
    path = session_with_log(base, *TURN)
    base.insert("event", id="evt_x", aggregate_id=SESSION, seq=6, type="message.updated.1", data='{"info": {"id": "m7"')
    base.insert("event", id="evt_y", aggregate_id=SESSION, seq=7, type="message.updated.1", data=b"\x00\xff")
    base.insert("event", id="evt_z", aggregate_id=SESSION, seq=8, type="message.updated.1", data='[{"type": "note"}]')
    read = play(read_all(path)[0])
    assert [one.text for one in read.records] == ["go", "done"]
    assert len(read.gaps) >= 3


def test_a_very_long_row(base):
    """Its long strings are cut, and the loss is counted."""
    path = session_with_log(base, *user("m1", text("x" * (5 << 20))))
    read = play(read_all(path)[0])
    assert len(read.records) == 1
    assert "elided" in [kind for kind, _ in read.gaps]


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE t (a)",
        "CREATE TABLE session (id)",
        "CREATE TABLE session (id, time_created); CREATE TABLE message (id, session_id, data)",
        "CREATE TABLE session (id); CREATE TABLE event (id, seq); CREATE TABLE event_sequence (seq)",
    ],
)
def test_another_schema(tmp_path, schema):
    """Missing tables and columns: what there is is read, the rest is nothing."""
    base = Database(tmp_path / "opencode.db", schema)
    if "session" in schema:
        base.sql.execute("INSERT INTO session (id) VALUES (?)", (SESSION,))
        assert play(read_all(base.path / SESSION)[0]).records == []
        assert [base.path / SESSION] == [one.path for one in TOOL.sources(base.path, dict)]
    else:
        assert (read_on(base.path / SESSION).gone, list(TOOL.sources(base.path, dict))) == (True, [])
    base.close()


def test_values_of_other_types(base):
    """Numbers, blobs and nothing where texts should be."""
    base.sql.executescript(
        "DROP TABLE session; CREATE TABLE session (id, parent_id, directory, title, revert, time_created, time_updated)"
    )
    for ident in ("ses_ok", 5, None, b"ses_blob", "not a session"):
        base.insert(
            "session", id=ident, directory=7, title=b"\xff", revert="{", time_created="soon", time_updated=1e300
        )
    assert sorted(name for name, _ in news(base)) == ["ses_blob", "ses_ok"]
    assert play(read_all(base.path / "ses_ok")[0]).records == []


def test_no_database(tmp_path):
    """A file that is none is a fault of the source, told in a line, not a defect."""
    path = tmp_path / "opencode.db"
    path.write_bytes(b"no database " * 500)
    for ask in (lambda: read_on(path / SESSION), lambda: TOOL.sources(path, dict)):
        with pytest.raises(SourceUnreadable, match="not an SQLite database"):
            ask()
    assert TOOL.there(path / SESSION)


def test_a_damaged_cursor(base):
    """Or one of a newer memd is said, not guessed at."""
    path = session_with_log(base, *TURN)
    for text_ in ("", "{}", '{"v":2}', '{"v":1,"seq":"x"}', '{"v":1,"new":1}', "[]"):
        with pytest.raises(StoreTrouble):
            read_on(path, text_)


def test_the_cursor_s_form():
    """What was ever written stays readable."""
    text_ = '{"v":1,"offset":6,"seq":6,"mark":"evt_5","whole":true,"origin":""}'
    assert text_ == Cursor.loads(text_).dumps()


def test_the_file_is_not_touched(base):
    """Reading writes nothing: the database's bytes and time stay, and a writer goes on."""
    path = session_with_log(base, *TURN)
    base.sql.execute("PRAGMA wal_checkpoint(truncate)")
    before = base.path.read_bytes(), base.path.stat().st_mtime_ns
    read_all(path)
    TOOL.sources(base.path, dict)
    assert before == (base.path.read_bytes(), base.path.stat().st_mtime_ns)
    assert {"opencode.db", "opencode.db-wal", "opencode.db-shm"} == set(os.listdir(base.path.parent))


def test_asking_for_news_is_cheap(base):
    """The tables of messages and parts are not touched where every session has a log."""
    for n in range(30):
        session_with_log(base, ident=f"ses_{n}")
    with connect(base.path) as sql:
        plan = sql.execute(
            "EXPLAIN QUERY PLAN SELECT s.id, q.seq + 1 FROM session s LEFT JOIN event_sequence q ON q.aggregate_id = s.id"
        ).fetchall()
    assert any("USING INDEX" in str(step) or "USING" in str(step) for step in plan)
    base.sql.executescript("DROP TABLE part; DROP TABLE message")
    assert len(news(base)) == 30


def test_a_locked_database(base):
    """Locked by somebody: a fault that passes, and not a deletion."""
    path = session_with_log(base, *TURN)
    base.close()
    own = sqlite3.connect(base.path, isolation_level=None)
    own.execute("PRAGMA journal_mode = delete")
    own.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SourceUnreadable, match="locked"):
        read_on(path)
    assert TOOL.there(path)
    own.close()


def test_an_operation_s_place(base):
    """The record's pointer leads to the event that holds the whole result."""
    path = session_with_log(
        base, *user("m1", text("go")), *assistant("m2", "m1", tool("bash", {"command": "ls"}, "x" * 9_000))
    )
    record = play(read_all(path)[0]).records[-1]
    data = base.sql.execute(
        "SELECT data FROM event WHERE aggregate_id = ? AND seq = ?", (SESSION, record.source.offset)
    )
    assert "x" * 9_000 in data.fetchone()[0]
