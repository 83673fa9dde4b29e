"""What `memd status` says of who starts the daemon again, and of the daemon's own troubles."""

from msgspec.structs import replace

from memd import __version__
from memd.cli.status import outdated, restarts
from memd.daemon.setup.service import Keeping

NONE = Keeping(None, enabled=False, linger=None, trouble=None)


def _note(**service):
    return restarts(replace(NONE, **service))


def test_a_service_is_advised_where_there_can_be_one():
    """The command that mends it."""
    (note,) = _note()
    assert note.endswith("`memd install --service` mends it")


def test_it_is_not_advised_where_it_would_fail():
    """In a container without a user session the same advice would lead in a circle: why, and what to do instead."""
    (note,) = _note(trouble="systemd has no user session here")
    assert "systemd has no user session here" in note
    assert "`memd run`" in note
    assert "--service" not in note


def test_a_good_service_needs_no_word():
    """But for one that ends at logout."""
    assert _note(kind="systemd", enabled=True, linger=True) == ()
    assert "loginctl enable-linger" in _note(kind="systemd", enabled=True, linger=False)[0]


def test_a_daemon_from_before_an_upgrade_is_noted():
    """With the command that starts it anew; one of this memd's needs no word, and none is no old one."""
    (note,) = outdated(NONE, {"version": "0.0.1", "pid": 7})
    assert "memd 0.0.1, and this is " in note
    assert "`kill 7 && memd run`" in note
    assert outdated(NONE, {"version": __version__, "pid": 7}) == outdated(NONE, None) == ()
