"""The lock and the record's file are looked after while the daemon runs."""

import pytest

from memd import config
from memd.daemon import place, sole
from memd.errors import RecordGone, Refused
from memd.files import Lock


@pytest.fixture
def paths(tmp_path):
    return config.load({"MEMD_STATE_DIR": str(tmp_path / "state"), "HOME": str(tmp_path)})[1]


@pytest.fixture
def settled(paths):
    """A place whose lock is held and whose record is a file."""
    lock = sole.alone(paths)
    (paths.state / "memd.db").write_bytes(b"record")
    found = place.Place(paths, lock)
    found.settle()
    yield found
    lock.release()


def test_nothing_is_said_where_nothing_changed(settled, paths):
    """Nor where the record grew."""
    (paths.state / "memd.db").write_bytes(b"a longer record")
    settled.check()


@pytest.mark.parametrize("name", ["memd.db", "memd.lock"])
def test_a_file_that_is_gone_or_another_is_seen(settled, paths, name):
    (paths.state / name).rename(paths.state / "old")
    with pytest.raises(RecordGone, match="taken away or replaced"):
        settled.check()
    (paths.state / name).write_bytes(b"another")
    with pytest.raises(RecordGone, match="taken away or replaced"):
        settled.check()


def test_what_cannot_be_seen_now_may_be_there(settled, paths):
    """A state directory that lost its permissions for a while, or something else in its place: nothing is begun anew for it."""
    moved = paths.state.rename(paths.state.with_name("moved"))
    paths.state.write_bytes(b"no folder")
    settled.check()
    paths.state.unlink()
    moved.rename(paths.state)
    settled.check()


def test_the_lock_that_is_there_now_is_taken(settled, paths):
    """A second daemon finds it held, as before."""
    (paths.state / "memd.lock").unlink()
    settled.take_again()
    assert not Lock(paths.state / "memd.lock").acquire()


def test_one_daemon_stays_where_another_was_faster(settled, paths, monkeypatch):
    """The one that came later has the directory; this one ends and says so."""
    (paths.state / "memd.lock").unlink()
    other = Lock(paths.state / "memd.lock")
    assert other.acquire()
    monkeypatch.setattr(sole, "ask", lambda *_: {"pong": True})
    with pytest.raises(Refused, match="a daemon already runs"):
        settled.take_again()
    other.release()
