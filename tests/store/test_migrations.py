"""The shape on disk is pinned: what version 1 wrote stays readable for ever."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memd.errors import Refused
from memd.model import Boundary, Channel, Delivered, Done, Grade, Kind, Parts, Problem, Source, State, TokenCounts
from memd.store import SourceRow, Store, migrations
from memd.store.migrations import MIGRATIONS, migrate, version
from memd.store.words import spaced

from .builders import ONE, commit, everything, message, operation

HERE = Path(__file__).parent
SCHEMA_1 = (HERE / "schema_1.sql").read_text()
RECORD_1 = (HERE / "record_1.sql").read_text()


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
        assert store.gaps(ONE.session) == {("torn", ""): 3}
        source = store.source(ONE.path)
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


def test_a_reader_does_not_migrate(old, monkeypatch):
    """An older record is refused by a reader and named with what brings it up to date."""
    steps = (*MIGRATIONS, lambda sql: sql.execute("CREATE TABLE later (x)"))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr("memd.store.database.MIGRATIONS", steps)
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
    told = message("r", channel=Channel.TOOL_RESULT, text="a long answer")
    with Store.open(path) as store:
        commit(store, operation("c"), told, operation("c", State.DONE, at=9, result="a long answer"))
        store._db._connection.execute("UPDATE operation SET result = 'a long answer'")
        MIGRATIONS[5](store._db._connection)
        assert store._db.rows("SELECT result FROM operation", {}) == [("\x01",)]
        assert [call.result for call in store.operations(ONE.session)] == ["a long answer"]
        assert [call.result for call in store.projects.pending(ONE.session, 5)] == ["a long answer"]


def test_the_eleventh_step_keeps_how_far_each_transcript_is_read(old):
    """Sources are as they were, are named by a row, and go with their session."""
    with Store.open(old) as store:
        assert store.sources() == [
            SourceRow(ONE.path, ONE.session, '{"v":1}', '{"r":1}', "bytes", 500, 400, 2, None, 15)
        ]
        store.commit(ONE, "c", "r", [], size=600, now=22, places={"k": "1"})
        assert store._db.rows("SELECT source, key, value FROM place") == [(1, "k", "1")]
        assert store._db.rows("PRAGMA foreign_key_check") == []
