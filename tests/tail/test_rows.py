"""Looking into another program's database: nothing is written, nobody is held up, what is in the way is said."""

import os
import sqlite3
import subprocess
import threading
import time

import pytest

from memd.errors import SourceUnreadable
from memd.tail import rows


@pytest.fixture
def live(tmp_path):
    """A WAL database with a program at work on it."""
    sql = sqlite3.connect(tmp_path / "live.db", isolation_level=None)
    sql.execute("PRAGMA journal_mode = wal")
    sql.execute("CREATE TABLE t (a, b)")
    sql.execute("INSERT INTO t VALUES (1, 'one')")
    yield tmp_path / "live.db", sql
    sql.close()


def count(path):
    with rows.opened(path) as sql:
        return sql.execute("SELECT count(*) FROM t").fetchone()[0]


def test_what_is_in_the_log_alone_is_seen(live):
    """Committed rows that no checkpoint has moved into the database itself yet."""
    path, sql = live
    assert count(path) == 1
    sql.execute("INSERT INTO t VALUES (2, 'two')")
    assert count(path) == 2


def test_one_look_is_one_moment(live):
    """What is committed during a look belongs to the next."""
    path, sql = live
    with rows.opened(path) as look:
        before = look.execute("SELECT count(*) FROM t").fetchone()
        sql.execute("INSERT INTO t VALUES (2, 'two')")
        assert before == look.execute("SELECT count(*) FROM t").fetchone()


def test_a_writer_is_not_held_up(live):
    """A look under way blocks no commit."""
    path, sql = live
    with rows.opened(path) as look:
        look.execute("SELECT count(*) FROM t").fetchone()
        began = time.monotonic()
        for n in range(50):
            sql.execute("INSERT INTO t VALUES (?, 'x')", (n,))
        assert time.monotonic() - began < 5
    sql.execute("PRAGMA wal_checkpoint(truncate)")
    assert count(path) == 51


def test_nothing_is_written(live):
    """Not by a mistake of ours either, and the file stays as it was."""
    path, _ = live
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(SourceUnreadable), rows.opened(path) as sql:
        sql.execute("DELETE FROM t")
    assert before == (path.read_bytes(), path.stat().st_mtime_ns)


def test_beside_a_database_at_rest(live):
    """SQLite makes an empty `-wal` and a `-shm` to read what nobody works on; nothing else comes, the file stays as it was."""
    path, sql = live
    sql.close()
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert count(path) == 1
    assert {path.name, f"{path.name}-wal", f"{path.name}-shm"} >= set(os.listdir(path.parent))
    assert all(one.stat().st_size == 0 for one in path.parent.glob("*-wal"))
    assert before == (path.read_bytes(), path.stat().st_mtime_ns)


def test_not_there(tmp_path):
    """A file that is not there is not made, and no trouble."""
    with pytest.raises(FileNotFoundError), rows.opened(tmp_path / "none.db"):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", [b"no database at all " * 300, b"SQLite format 3\0" + b"\xff" * 8_000, b""])
def test_no_database(tmp_path, content):
    """What is none, or is damaged, is said in one line."""
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(SourceUnreadable) as error, rows.opened(path) as sql:
        sql.execute("SELECT count(*) FROM t").fetchone()
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_a_pipe_or_a_folder(tmp_path):
    """Nobody waits for a pipe's other end."""
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "folder.db").mkdir()
    for name in ("pipe.db", "folder.db"):
        with pytest.raises(SourceUnreadable, match="not a regular file"), rows.opened(tmp_path / name):
            pass


def test_locked(tmp_path):
    """Another program keeps the whole database to itself: said after a moment, not waited for."""
    path = tmp_path / "x.db"
    sql = sqlite3.connect(path, isolation_level=None)
    sql.execute("CREATE TABLE t (a)")
    sql.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    with pytest.raises(SourceUnreadable, match="locked by another program"):
        count(path)
    assert time.monotonic() - began < 5
    sql.close()


@pytest.fixture
def sealed(tmp_path):
    """The folder through a mount that nothing can be written through."""
    (view := tmp_path / "view").mkdir()
    commands = ["mount", "--bind", tmp_path, view], ["mount", "-o", "remount,ro,bind", view]
    if any(subprocess.run(command, capture_output=True, check=False).returncode for command in commands):
        subprocess.run(["umount", "-l", view], capture_output=True, check=False)
        pytest.skip("nothing can be mounted here")
    yield view
    subprocess.run(["umount", "-l", view], check=True)


def test_a_mount_that_nothing_can_be_written_through(live, sealed):
    """A database on which nobody works is read as it is, and nothing is made beside it."""
    path, sql = live
    sql.close()
    assert count(sealed / path.name) == 1
    assert [path.name] == [one.name for one in path.parent.glob("live*")]


def test_a_client_at_work_behind_such_a_mount(live, sealed):
    """What stands in its log alone is seen: SQLite reads the `-shm` that the client made."""
    path, sql = live
    sql.execute("INSERT INTO t VALUES (2, 'two')")
    assert count(sealed / path.name) == 2


def test_what_stands_in_the_log_alone_is_not_passed_over(live, sealed):
    """A client that was killed left its log: without a `-shm` it cannot be read there, and that is said, with what mends it."""
    path, sql = live
    log = path.with_name(f"{path.name}-wal")
    kept = log.read_bytes()
    sql.close()
    log.write_bytes(kept)
    with pytest.raises(SourceUnreadable, match=r"-wal holds what stands nowhere else.* next start"):
        count(sealed / path.name)


def test_written_to_through_another_mount_meanwhile(live, sealed):
    """What was read without a lock does not count if somebody wrote: it is read again later."""
    path, sql = live
    sql.close()
    with pytest.raises(SourceUnreadable, match="wrote to it while"), rows.opened(sealed / path.name):  # noqa: PT012
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("INSERT INTO t VALUES (2, 'two')")
    assert count(sealed / path.name) == 2
    other.close()
    assert count(sealed / path.name) == 2


def test_text_that_is_none(live):
    """Bytes that are no UTF-8 in a text column are no reason to read nothing."""
    path, sql = live
    sql.execute("INSERT INTO t VALUES (2, CAST(x'6fff' AS TEXT))")
    with rows.opened(path) as look:
        assert look.execute("SELECT b FROM t WHERE a = 2").fetchone()[0] == "o�"


def test_columns(live):
    """The columns of a table, none of one that is not there."""
    with rows.opened(live[0]) as sql:
        assert {"a", "b"} == rows.columns(sql, "t")
        assert frozenset() == rows.columns(sql, "nothing")


def test_many_looks_beside_a_busy_writer(live):
    """Looking and writing go on side by side without an error on either side."""
    path, sql = live
    sql.close()
    failed, stop = [], threading.Event()

    def write():
        own = sqlite3.connect(path, isolation_level=None)
        try:
            while not stop.is_set():
                own.execute("INSERT INTO t VALUES (1, ?)", ("x" * 500,))
        except sqlite3.Error as error:
            failed.append(error)
        own.close()

    writer = threading.Thread(target=write)
    writer.start()
    seen = [count(path) for _ in range(100)]
    stop.set()
    writer.join()
    assert ([], sorted(seen)) == (failed, seen)
