"""The guard of conftest.py, seen red: a test that reaches for the real home or the network fails."""

import os
import shutil
import socket
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

Breach = pytest.fail.Exception


@pytest.fixture
def real_home(real_homes):
    if not real_homes:
        pytest.skip("this user has no home to guard")
    return real_homes[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda home: (home / "memd-guard").write_text("x"),
        lambda home: (home / "memd-guard").open("ab"),
        lambda home: os.open(home / "memd-guard", os.O_CREAT),
        lambda home: (home / "memd-guard").mkdir(),
        lambda home: (home / "memd-guard").unlink(),
        lambda home: (home / "memd-guard").rename("/tmp/memd-guard"),
        lambda home: Path("/tmp/memd-guard").rename(home / "memd-guard"),
        lambda home: (home / "memd-guard").symlink_to("/tmp"),
        lambda home: (home / "memd-guard").chmod(0o600),
        lambda home: (home / "memd-guard").touch(),
        lambda home: shutil.rmtree(home / "memd-guard"),
        lambda home: sqlite3.connect(home / "memd-guard"),
        lambda home: sqlite3.connect(f"file:{home}/memd%2Dguard?mode=ro", uri=True),
        lambda home: socket.socket(socket.AF_UNIX).bind(str(home / "memd-guard")),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_nothing_changes_in_the_real_home(real_home, change):
    """Writing, making, removing, renaming and databases in the real home fail before anything has happened."""
    with pytest.raises(Breach, match="real home"):
        change(real_home)
    assert not os.path.lexists(real_home / "memd-guard")


def test_a_breach_is_no_ordinary_exception(real_home):
    """Code that swallows every exception cannot hide a breach."""
    with pytest.raises(Breach), suppress(Exception):
        (real_home / "memd-guard").write_text("x")


def test_a_link_does_not_lead_into_the_real_home(real_home, tmp_path):
    """The guard looks at where a path ends, not at how it begins."""
    (tmp_path / "link").symlink_to(real_home)
    with pytest.raises(Breach, match="real home"):
        (tmp_path / "link" / "memd-guard").write_text("x")


def test_the_guard_holds_while_a_fake_file_system_is_in_place(real_home, fs):
    """Under pyfakefs the fake home may be written; the real one stays out of reach of the system's own calls."""
    fs.create_file(real_home / "memd-guard", contents="x")
    with pytest.raises(Breach, match="real home"):
        sqlite3.connect(f"{real_home}/memd-guard")


def test_home_and_settings_are_the_tests_own(real_homes):
    """What the code finds by HOME is an empty folder; no variable moves memd's or a tool's things elsewhere."""
    assert Path.home() not in real_homes
    assert not any(Path.home().iterdir())
    assert not [name for name in os.environ if name.startswith(("XDG_", "MEMD_", "CLAUDE", "CODEX_", "OPENCODE"))]


@pytest.mark.parametrize(
    "reach",
    [
        lambda sock: sock.connect(("192.0.2.1", 9)),
        lambda sock: sock.sendto(b"x", ("192.0.2.1", 9)),
        lambda sock: sock.bind(("", 0)),
        lambda _: socket.getaddrinfo("example.invalid", 80),
    ],
)
def test_the_network_is_out_of_reach(reach):
    """No name is looked up, nothing is sent, and nothing listens beyond loopback."""
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(Breach, match="network"):
        reach(sock)


def test_loopback_is_allowed():
    """A scripted model on this machine can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
