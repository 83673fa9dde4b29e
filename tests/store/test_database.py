"""The file: private, shared by one writer and many readers, honest about trouble."""

import resource
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from memd.errors import NotFound, Refused, StoreTrouble
from memd.store import Store, checkpoints, database
from memd.store.keys import hashed
from memd.store.migrations import MIGRATIONS

from .builders import ONE, checkpoint, commit, message


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(database, "_BUSY_MS", 20)


def test_the_record_is_private(path):
    """The file and what SQLite puts beside it are 0600, the directory that memd makes is 0700, whatever the umask."""
    code = (
        "import os, sys; os.umask(0); from pathlib import Path; from memd.store import Store\n"
        "Store.open(Path(sys.argv[1])); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True)
    assert {0o600} == {mode(path.with_name(path.name + suffix)) for suffix in ("", "-wal", "-shm")}
    assert mode(path.parent) == 0o700


def test_a_record_that_others_could_read_is_closed_to_them(path):
    """A copy that was put back with a looser mode does not stay so."""
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert mode(path) == 0o600


FOREIGN = {
    "unnumbered": "CREATE TABLE session (id TEXT)",
    "numbered": "CREATE TABLE session (id TEXT); PRAGMA user_version = 3",
    "far ahead": "CREATE TABLE moz_places (id INTEGER); PRAGMA user_version = 75",
    "marked": "PRAGMA application_id = 252006674; PRAGMA user_version = 2",
}


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("made", FOREIGN.values(), ids=FOREIGN)
def test_another_programs_database_is_refused_and_left_alone(path, made, readonly):
    """Neither its content, nor its mode, nor the kind of its journal changes, and it is not taken for a damaged record."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as sql:
        sql.executescript(made)
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(Refused, match="a database of another program, not memd's record: move it away"):
        Store.open(path, readonly=readonly)
    assert (before, 0o644, [path]) == (path.read_bytes(), mode(path), list(path.parent.iterdir()))


@pytest.mark.parametrize("readonly", [True, False])
def test_a_folder_in_the_records_place_is_told(path, readonly):
    """The line says what is there and what to do."""
    path.mkdir(parents=True)
    with pytest.raises(Refused, match="is a folder, and memd's record has to be there: move it away"):
        Store.open(path, readonly=readonly)


def test_a_reader_sees_what_is_committed_and_nothing_else(store, path):
    """Readers work beside the writer, in the middle of its transaction too, and neither waits for the other."""
    commit(store, message("a"))
    with Store.open(path, readonly=True) as reader, store._db.transaction() as sql:
        sql.execute("DELETE FROM message")
        assert [one.key for one in reader.messages(ONE.session)] == [hashed("a")]
        with Store.open(path, readonly=True) as late:
            assert late.message(ONE.session, 1).key == hashed("a")


def test_a_writer_does_not_wait_for_a_reader(store, path, impatient):
    """A reader in the middle of a query holds nobody up."""
    commit(store, message("a"), message("b"))
    with Store.open(path, readonly=True) as reader:
        rows = reader._db._connection.execute("SELECT * FROM message")
        rows.fetchone()
        commit(store, message("c"))
        rows.close()
        assert reader.session(ONE.session).messages == 3


def test_a_reader_changes_nothing(store, path):
    """A write through a reader is refused by SQLite itself."""
    with Store.open(path, readonly=True) as reader, pytest.raises(StoreTrouble, match="cannot be written"):
        reader.meta_set("a", "b")


def test_a_reader_of_a_closed_record(path):
    """A record whose writer has gone can be read, also after a crash that left its journal."""
    with Store.open(path) as store:
        commit(store, message("a"))
    with Store.open(path, readonly=True) as reader:
        assert reader.message(ONE.session, 1).key == hashed("a")


def test_a_reader_makes_no_record(path):
    """Where nothing was recorded nothing is made, and the person is told what starts it."""
    with pytest.raises(NotFound, match=r"nothing recorded yet .*`memd run` or `memd ingest` starts the record"):
        Store.open(path, readonly=True)
    assert not path.parent.exists()


def test_a_file_that_was_only_just_made_is_no_record_yet(path):
    """A daemon that was killed before its first transaction leaves an empty file."""
    path.parent.mkdir()
    path.touch()
    with pytest.raises(NotFound, match="nothing recorded yet"):
        Store.open(path, readonly=True)
    Store.open(path).close()
    Store.open(path, readonly=True).close()


@pytest.mark.parametrize("readonly", [False, True])
def test_a_newer_record_is_not_touched(path, readonly):
    """One clear line, and the file is as it was."""
    Store.open(path).close()
    with sqlite3.connect(path) as sql:
        sql.execute("PRAGMA user_version = 99")
    sql.close()
    before = path.read_bytes()
    with pytest.raises(
        Refused, match=rf"from a newer memd \(format 99, this one reads {len(MIGRATIONS)}\); update memd$"
    ):
        Store.open(path, readonly=readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_no_record_is_trouble(path, readonly):
    """Damage is told in one line, and nothing is overwritten."""
    path.parent.mkdir()
    path.write_bytes(b"this is not SQLite" * 100)
    with pytest.raises(StoreTrouble, match="is damaged") as caught:
        Store.open(path, readonly=readonly)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == b"this is not SQLite" * 100


def test_damage_inside_is_trouble(path):
    """Pages that make no sense are reported when they are read."""
    with Store.open(path) as store:
        commit(store, *(message(str(n), text="x" * 3000) for n in range(50)))
    content = bytearray(path.read_bytes())
    content[-100_000:] = b"\xff" * 100_000
    path.write_bytes(content)
    with Store.open(path) as store, pytest.raises(StoreTrouble, match="is damaged"):
        store.messages(ONE.session)


def test_a_lock_that_stays_is_trouble(store, path, impatient):
    """A second writer waits for a while and says then what holds it up; its own record is unharmed."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path) as second, pytest.raises(StoreTrouble, match="another process holds its lock"):
        commit(second, message("a"))
    other.execute("ROLLBACK")
    other.close()
    assert commit(store, message("a")).first == 1


def test_two_writers_take_turns(store, path):
    """A command that writes while the daemon does waits for it, and then works from what the daemon wrote."""
    commit(store, message("a"))

    def late():
        with Store.open(path) as second:
            second.checkpoints.add(checkpoint(2), "second")

    with ThreadPoolExecutor() as pool:
        with store._db.transaction() as sql:
            checkpoints.insert(sql, checkpoint(1), "first")
            waiting = pool.submit(late)
            time.sleep(0.2)
        waiting.result(10)
    assert store.checkpoints.numbers(ONE.session) == [1, 2]


def test_a_full_disk_is_trouble_and_changes_nothing(store):
    """What does not fit leaves no part of itself, and the store goes on when there is room."""
    commit(store, message("a"), cursor="before")
    pages = store._db.row("PRAGMA page_count")[0]
    store._db._connection.execute(f"PRAGMA max_page_count = {pages:d}")
    with pytest.raises(StoreTrouble, match="the disk is full"):
        commit(store, message("b", text="x" * 100_000), cursor="after")
    assert (store.sources.of(ONE.path).cursor, len(store.messages(ONE.session))) == ("before", 1)
    store._db._connection.execute("PRAGMA max_page_count = 1000000")
    assert commit(store, message("b")).first == 2


def test_a_write_that_the_system_cuts_short_is_trouble(path):
    """A real write error in the middle of a commit is told, and the record before it is whole."""
    with Store.open(path) as store:
        commit(store, message("a"), cursor="before")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limit[1]))
        try:
            with pytest.raises(StoreTrouble, match="the disk"):
                commit(store, message("b", text="x" * 1_000_000), cursor="after")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert store.sources.of(ONE.path).cursor == "before"
    with Store.open(path) as store:
        assert [one.key for one in store.messages(ONE.session)] == [hashed("a")]


def test_a_place_that_cannot_be_written_is_trouble(tmp_path):
    """A file where the directory should be is told in one line."""
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StoreTrouble, match="cannot be used"):
        Store.open(tmp_path / "state" / "memd.db")


def test_a_path_with_odd_letters(tmp_path):
    """The path is a name, not a query."""
    odd = tmp_path / "a?mode=memory&x=%20#y" / "memd.db"
    with Store.open(odd) as store:
        commit(store, message("a"))
    assert odd.exists()
    with Store.open(odd, readonly=True) as reader:
        assert reader.message(ONE.session, 1).key == hashed("a")


def test_a_relative_path(tmp_path, monkeypatch):
    """A path that is relative is taken from where the process stands."""
    monkeypatch.chdir(tmp_path)
    Store.open(Path("memd.db")).close()
    assert (tmp_path / "memd.db").exists()
