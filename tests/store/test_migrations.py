"""The shape on disk is pinned: what version 1 wrote stays readable for ever."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memd.errors import Refused
from memd.model import (
    Boundary,
    Channel,
    Delivered,
    Done,
    Fill,
    Grade,
    Kind,
    Parts,
    Problem,
    Source,
    State,
    TokenCounts,
    Usage,
)
from memd.store import SourceRow, Store, codes, migrations
from memd.store.keys import hashed
from memd.store.migrations import MIGRATIONS, migrate
from memd.store.shape import NEWEST, version
from memd.store.words import spaced

from .builders import ONE, TWO, commit, everything, message, operation

HERE = Path(__file__).parent
SCHEMA_1 = (HERE / "schema_1.sql").read_text()
RECORD_1 = (HERE / "record_1.sql").read_text()
RECORD_13 = (HERE / "record_13.sql").read_text()


def schema(sql):
    rows = sql.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    return "".join(f"{statement};\n" for (statement,) in rows)


@pytest.fixture
def old(path):
    """A file as version 1 wrote it, made without any of memd's code."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as sql:
        sql.executescript(SCHEMA_1 + RECORD_1 + "PRAGMA user_version = 1;")
    return path


def made(path, number, rows):
    """A file as the first steps make it, with rows of that time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.create_function("spaced", 1, spaced)
        for step in MIGRATIONS[:number]:
            step(sql)
        sql.executescript(rows)
        sql.execute(f"PRAGMA user_version = {number}")


def test_the_first_step_is_never_edited():
    """Version 1's tables are what they were when it was released."""
    with closing(sqlite3.connect(":memory:")) as sql:
        MIGRATIONS[0](sql)
        assert schema(sql) == SCHEMA_1


def test_a_record_of_version_1_is_read(old):
    """Everything in it comes back."""
    with Store.open(old) as store:
        session = store.session(ONE.session)
        assert (session.cwd, session.tokens, session.messages, session.compactions) == ("/home/x", 40, 2, 1)
        first, second = store.messages(ONE.session)
        assert (first.channel, first.grade, first.text) == (Channel.HUMAN_TYPED, Grade.PROVED, "Build it.")
        assert (first.source, first.turn, first.extra) == (Source(0, 120), "t1", {"images": 1})
        assert (first.withdrawn, first.undelivered, second.withdrawn, second.undelivered) == (True, False, False, True)
        assert second.copy_of == "claude-code:zero#7"
        done = Done("call", 2, Kind.EDIT, "Edit", 11, 12, State.DONE, "f.py", {"old": "x"}, "fine")
        assert store.operations(ONE.session) == [done]
        assert store.boundaries(ONE.session) == [Boundary(1, 2, 13, "auto", 900, 40)]
        assert store.glances.gaps(ONE.session) == {("torn", ""): 3}
        source = store.sources.of(ONE.path)
        assert (source.cursor, source.reader, source.size, source.offset) == ('{"v":1}', '{"r":1}', 500, 400)
        checkpoint = store.checkpoints.current(ONE.session)
        assert (checkpoint.number, checkpoint.parts) == (4, Parts("mind", b"memo", "scene"))
        assert checkpoint.tokens == TokenCounts(1, 2, 3, 6)
        assert checkpoint.problems == (Problem("scene", "no block", "extractive"),)
        given = Delivered(4, "ABC123", 20, "SessionStart", 2, frozenset({1, 2}), ended=True, compactions=1)
        assert store.deliveries.all(ONE.session) == [given]
        assert store.meta_get("runs") == "5"


def test_a_record_of_version_1_goes_on(old):
    """New rows follow the old ones; what was read before is known."""
    with Store.open(old) as store:
        again = commit(store, message("k2"), message("new"))
        assert (again.duplicates, again.first) == (1, 3)


def test_a_new_file_gets_every_step(path):
    """The number in the file is the number of steps."""
    with Store.open(path) as store:
        assert version(store._db._connection) == len(MIGRATIONS)


def test_only_missing_steps_run_and_all_or_none(old, monkeypatch):
    """An older file is brought up to date without losing a row; a step that fails leaves it as it was."""
    ran = []
    steps = [MIGRATIONS[0], lambda sql: sql.execute("CREATE TABLE later (x)"), lambda _: ran.append("third")]
    monkeypatch.setattr(migrations, "MIGRATIONS", (*steps, lambda sql: sql.execute("not SQL")))
    with closing(sqlite3.connect(old, isolation_level=None)) as sql:
        sql.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError):
            migrate(sql)
        sql.execute("ROLLBACK")
        assert (version(sql), schema(sql)) == (1, SCHEMA_1)

        monkeypatch.setattr(migrations, "MIGRATIONS", tuple(steps))
        migrate(sql)
        assert (version(sql), ran) == (3, ["third", "third"])
    monkeypatch.undo()


def test_readers_know_the_number_of_steps():
    """A reader refuses an older and a newer record by a number of its own."""
    assert len(MIGRATIONS) == NEWEST


def test_a_reader_does_not_migrate(old, monkeypatch):
    """An older record is refused by a reader and named with what brings it up to date."""
    steps = (*MIGRATIONS, lambda sql: sql.execute("CREATE TABLE later (x)"))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr("memd.store.shape.NEWEST", len(steps))
    with pytest.raises(Refused, match="from an older memd"):
        Store.open(old, readonly=True)
    with Store.open(old) as store:
        before = everything(store)
    with Store.open(old, readonly=True) as reader:
        assert everything(reader) == before


def test_the_second_step_is_never_edited():
    """The search index is what it was when it was released."""
    with closing(sqlite3.connect(":memory:")) as sql:
        sql.create_function("spaced", 1, spaced)
        MIGRATIONS[0](sql)
        MIGRATIONS[1](sql)
        (index,) = sql.execute("SELECT sql FROM sqlite_master WHERE name = 'words'").fetchone()
    expected = "fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')"
    assert index == f"CREATE VIRTUAL TABLE words USING {expected}"


def test_what_version_1_recorded_is_found(old):
    """The step fills the index with what is there."""
    with Store.open(old) as store:
        (hit,) = store.search("build", now=0)
        assert (hit.session, hit.number, hit.withdrawn) == (ONE.session, 1, True)


def test_the_fourth_step_is_never_edited():
    """The project's tables are what they were when they were released."""
    with closing(sqlite3.connect(":memory:")) as sql:
        sql.create_function("spaced", 1, spaced)
        for step in MIGRATIONS[:3]:
            step(sql)
        before = schema(sql)
        MIGRATIONS[3](sql)
        added = schema(sql).removeprefix(before)
    assert hashlib.sha256(added.encode()).hexdigest()[:16] == "bc9f3277984bc601"


def test_the_sixth_step_keeps_one_text_once(path):
    """A result that stood twice is given back as before."""
    made(
        path,
        5,
        """INSERT INTO session (row, id, tool, native, messages) VALUES (1, 'claude-code:one', 'claude-code', 'one', 1);
        INSERT INTO message (session, number, key, channel, grade, offset, length, text)
        VALUES (1, 1, 'r', 'tool.result', 'proved', 0, 1, 'a long answer');
        INSERT INTO operation (session, call, number, kind, name, state, target, detail, result)
        VALUES (1, 'c', 1, 'edit', 'Edit', 'done', '', '{}', 'a long answer');""",
    )
    with Store.open(path) as store:
        assert store._db.rows("SELECT answer, said FROM operation") == [(0, '["c","Edit","",{},""]')]
        assert [call.result for call in store.operations(ONE.session)] == ["a long answer"]
        assert [call.result for call in store.projects.pending(ONE.session, 5)] == ["a long answer"]


def test_the_eleventh_step_keeps_how_far_each_transcript_is_read(old):
    """Sources are as they were, are named by a row, and go with their session."""
    with Store.open(old) as store:
        assert store.sources.every() == [
            SourceRow(
                ONE.path, ONE.session, '{"v":1}', '{"r":1}', "bytes", 500, 400, 2, None, 15, ONE.tool, ONE.native, None
            )
        ]
        store.commit(ONE, "c", "r", [], size=600, now=22, places={"k": "1"})
        assert store._db.rows("SELECT source, key, value FROM place") == [(1, "k", "1")]
        assert store._db.rows("PRAGMA foreign_key_check") == []


def before(number):
    """What stood in the record of version 13 as entry `number`, and as the call that ended with it."""
    text = f"entry {number}: 用SQLite存储"
    channel = (Channel.HUMAN_TYPED, Channel.AGENT_TEXT, Channel.TOOL_RESULT)[number % 3]
    entry = (number, channel, Grade.PROVED, text, "t" if number % 2 else None, {} if number % 5 else {"n": number})
    kind, state = (Kind.COMMAND, Kind.READ, Kind.EDIT)[number % 3], (State.DONE, State.FAILED)[number % 2]
    result = f"{number}: 用SQLite存储" if number % 4 else f"own words {number}"
    file, exit_code = f"src/file {number}.py", {"exit": number % 2}
    return entry, Done(f"c{number}", number, kind, "Edit", number, number, state, file, exit_code, result)


def test_a_record_of_version_13_comes_back_whole(path):
    """Entries, packed by zlib and in rows, their calls, copies, and how full the context was: as they were."""
    made(path, 13, RECORD_13)
    told = [before(number) for number in range(1, 37)]
    late = Done("late", 36, Kind.COMMAND, "Edit", 40, None, State.BACKGROUND, "make", {"job": "j1"}, "")
    with Store.open(path) as store:
        entries = [(m.number, m.channel, m.grade, m.text, m.turn, m.extra) for m in store.messages(ONE.session)]
        assert entries == [entry for entry, _ in told]
        assert store.operations(ONE.session) == [*(call for _, call in told), late]
        assert store.operations(ONE.session, kinds=[Kind.READ], last=1) == [told[33][1]]
        assert store.projects.touches(ONE.session, ["src/file 5.py"]) == [], "it failed"
        assert store.projects.touches(ONE.session, ["src/file 4.py"]) == [told[3][1]]
        assert store.fills(ONE.session) == [Fill(36, 40, 900)]
        assert store.copies(TWO.session) == {1: "claude-code:one#1"}
        assert store._db.rows("PRAGMA foreign_key_check") == []


def test_a_record_of_version_13_goes_on(path):
    """What was read before is known by its keys, and entries and calls that stood in rows are packed with new ones."""
    made(path, 13, RECORD_13)
    with Store.open(path) as store:
        again = [message("k36"), Usage("u1", 40, 900), operation("late", State.DONE, at=50, result="made")]
        new = [message(f"n{n}", n, Channel.AGENT_TEXT) for n in range(40)]
        assert commit(store, *again, *new).duplicates == 1
        texts = [m.text for m in store.messages(ONE.session)]
        assert texts == [before(n)[0][3] for n in range(1, 37)] + [m.text for m in new]
        assert store.operations(ONE.session)[33:36] == [before(n)[1] for n in (34, 35, 36)]
        assert (store.operations(ONE.session)[-1].result, store.operations(ONE.session)[-1].number) == ("made", 36)
        assert store._db.rows("SELECT count(*) FROM operation WHERE pack IS NULL") == [(0,)]


def test_the_fourteenth_step_is_never_edited():
    """The large tables are what they were when they were released."""
    with closing(sqlite3.connect(":memory:")) as sql:
        sql.create_function("spaced", 1, spaced)
        for name, count in (("hashed", 1), ("said", 5)):
            sql.create_function(name, count, lambda *_: None)
        for step in MIGRATIONS[:14]:
            step(sql)
        assert hashlib.sha256(schema(sql).encode()).hexdigest()[:16] == "17cd6358895d4da4"


def test_words_and_keys_as_numbers_are_never_changed():
    """A number on disk means for ever what it meant, and every word has one."""
    assert [hashed(key) for key in ("", "call_1", "é")] == [
        -5426141060434712860,
        -5190524658608551659,
        3394012004367669963,
    ]
    told = {codes.CHANNELS: Channel, codes.GRADES: Grade, codes.KINDS: Kind, codes.STATES: State}
    for words, every in told.items():
        assert sorted(words) == sorted(every)
    kept = " ".join(word for words in told for word in words)
    assert hashlib.sha256(kept.encode()).hexdigest()[:16] == "30a719ea92fdd57a"
