"""What holds for every test: it has a home of its own, cannot write in the real one, and reaches no network.

The guard is an audit hook, below everything that Python code can do by mistake: it sees `open`, `os.*`, sqlite3 and
sockets. Programs that a test starts are not seen; they inherit the environment that `_home_of_its_own` makes. A breach
raises what `pytest.fail` raises, which no `except Exception` in the code under test can swallow.
"""

import os
import pwd
import site
import socket
import sys
import tempfile
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote

import hypothesis
import pytest

# How long an example takes says something about the machine and its load, nothing about the code.
hypothesis.settings.register_profile("memd", deadline=None)
hypothesis.settings.load_profile("memd")

_SETTINGS = ("XDG_", "MEMD_", "CLAUDE", "CODEX_", "OPENCODE", "ANTHROPIC_", "OPENAI_", "TIKTOKEN_", "NOTIFY_", "GIT_")

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# Audit event -> where among its arguments the changed paths are, each with the place of its `dir_fd`.
_CHANGES = {
    "os.mkdir": {0: 2},
    "os.rename": {0: 2, 1: 3},
    "os.remove": {0: 1},
    "os.rmdir": {0: 1},
    "os.link": {1: 3},
    "os.symlink": {1: 2},
    "os.truncate": {0: None},
    "os.chmod": {0: 2},
    "os.chown": {0: 3},
    "os.utime": {0: 3},
    "shutil.rmtree": {0: 1},
}


class _Guard:
    """Its tools are its own attributes: pyfakefs would put fakes in their place if they were names of this module."""

    def __init__(self):
        self._realpath = os.path.realpath
        self._fsdecode = os.fsdecode
        homes = {os.path.expanduser("~")}
        with suppress(KeyError):  # in a container the user may have no entry
            homes.add(pwd.getpwuid(os.getuid()).pw_dir)
        self.homes = {self._realpath(home) for home in homes} - {"/"}
        interpreter = (sys.prefix, sys.base_prefix, sys.pycache_prefix or sys.prefix, site.getusersitepackages())
        places = (Path(__file__).parent.parent, tempfile.gettempdir(), *interpreter)
        self._may_lie_in_a_home = {self._realpath(place) for place in places}

    def __call__(self, event, args):
        if event == "open":
            if args[2] & _WRITES:
                self._check_path(args[0], event)
        elif event in _CHANGES:
            for place, folder in _CHANGES[event].items():
                self._check_path(args[place], event, -1 if folder is None else args[folder])
        elif event == "sqlite3.connect":
            self._check_path(_sqlite_file(self._fsdecode(args[0])), event)
        elif event in {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"}:
            self._check_address(*args[:2], event)
        elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
            self._check_host(args[0], event)

    def _check_path(self, path, event, folder=-1):
        if isinstance(path, int):
            return  # a descriptor, seen when it was opened
        path = self._fsdecode(path)
        if folder not in {-1, None} and not path.startswith("/"):
            return  # within a folder that was opened: rmtree's inner steps, seen as shutil.rmtree
        real = self._realpath(path)
        around = [place for place in self.homes | self._may_lie_in_a_home if f"{real}/".startswith(f"{place}/")]
        if max(around, key=len, default="") in self.homes and "/__pycache__" not in real:
            raise pytest.fail.Exception(f"a test would change the real home: {event} {real}")

    def _check_address(self, sock, address, event):
        if sock.family == socket.AF_UNIX and address:
            self._check_path(address, event)
        elif sock.family in {socket.AF_INET, socket.AF_INET6} and address:
            self._check_host(address[0], event)

    def _check_host(self, host, event):
        host = host.decode() if isinstance(host, bytes) else host
        if host not in {None, "localhost"} and not _is_loopback(host):
            raise pytest.fail.Exception(f"a test would use the network: {event} {host!r}")


def _is_loopback(host):
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _sqlite_file(database):
    """`:memory:` and the like become a harmless relative name only where the current folder is; so they are named."""
    if database in {"", ":memory:"} or database.startswith("file::memory:"):
        return tempfile.gettempdir()
    return unquote(database.removeprefix("file:").partition("?")[0]) if database.startswith("file:") else database


_guard = _Guard()
sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def _home_of_its_own(tmp_path_factory, monkeypatch):
    """Every place that memd and the three tools look at starts from an empty home; nobody's settings are inherited."""
    for name in [name for name in os.environ if name.startswith(_SETTINGS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def real_homes():
    """The homes that are guarded: of the environment, and of the user database."""
    return [Path(home) for home in sorted(_guard.homes)]
