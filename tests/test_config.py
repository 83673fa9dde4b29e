"""memd/config.py: defaults, the file, what is refused and how that is told, and where things are."""

import os
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from memd import config
from memd.config import Config
from memd.errors import ConfigError

FILE = Path("/etc/memd.toml")

TOP = "tools, ignore, backfill_days, keep_days, guard, checkpoint, inject, constraints, receipt, trust, log"

DEFAULTS = {
    "tools": (),
    "ignore": (),
    "backfill_days": 30,
    "keep_days": 90,
    "guard": True,
    "checkpoint.writer": "extractive",
    "checkpoint.at": 0.8,
    "checkpoint.price_step": None,
    "checkpoint.model": None,
    "checkpoint.runs_per_day": 20,
    "checkpoint.tokens_per_day": 1_000_000,
    "inject.max_tokens": None,
    "inject.startup_line": True,
    "constraints.every": "needed",
    "receipt.ask": False,
    "trust.hosts": (),
    "log.level": "info",
}

EVERYTHING = """
tools = ["codex", "opencode"]
ignore = ["~/private/*"]
backfill_days = 0
keep_days = 7
guard = false

[checkpoint]
writer = "agent"
at = 0.7
price_step = 200000
model = "haiku"
runs_per_day = 3
tokens_per_day = 5000

[inject]
max_tokens = 4000
startup_line = false

[constraints]
every = "turn"

[receipt]
ask = true

[trust]
hosts = ["claude-vscode"]

[log]
level = "debug"
"""


@pytest.fixture
def read(fs):
    """What `config.read` makes of this text."""

    def read(text):
        fs.create_file(FILE, contents=text)
        return config.read(FILE)

    return read


def complaint(read, text):
    with pytest.raises(ConfigError) as caught:
        read(text)
    return str(caught.value)


class TestSettings:
    def test_defaults(self):
        """Without a file everything has the value that the documents promise: no model, no network, no cost."""
        assert {s.key: s.value for s in config.settings(Config())} == DEFAULTS
        assert {s.origin for s in config.settings(Config())} == {"default"}

    def test_every_setting_can_be_set(self, read):
        """The file reaches every setting, and each then says that it comes from there."""
        settings = list(config.settings(read(EVERYTHING)))
        assert [s.key for s in settings] == list(DEFAULTS)
        assert [s.key for s in settings if s.value == DEFAULTS[s.key]] == []
        assert {s.origin for s in settings} == {"file"}

    def test_origin(self, read):
        """A value that was set is the file's, even where it equals the default; its neighbours stay defaults."""
        settings = config.settings(read("[checkpoint]\nat = 0.8"))
        assert [s.key for s in settings if s.origin == "file"] == ["checkpoint.at"]

    def test_frozen(self):
        """Settings are read once; nobody changes them on the way."""
        with pytest.raises(FrozenInstanceError):
            Config().checkpoint.at = 0.5

    def test_a_byte_order_mark_is_no_setting(self, read):
        """Editors of other systems put one at a file's head."""
        assert not read("\ufeffguard = false").guard

    @pytest.mark.parametrize("text", ["", "# nothing\n"])
    def test_an_empty_file_is_defaults(self, read, text):
        """A file that says nothing changes nothing."""
        assert read(text) == Config()

    def test_a_whole_number_is_a_fraction_too(self, read):
        """`at` may be written as people write it; a value out of range is still refused."""
        assert complaint(read, "[checkpoint]\nat = 1") == (
            "/etc/memd.toml: checkpoint.at: should be less than or equal to 0.95, not 1"
        )


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("gaurd = true", f"gaurd: no such setting; allowed here: {TOP}"),
            ("[inject]\nmax = 1", "inject.max: no such setting; allowed here: max_tokens, startup_line"),
            ("inject = 1", "inject: should be a table [inject] of max_tokens, startup_line"),
            ("keep_days = '90'", "keep_days: should be a valid integer, not '90'"),
            ("keep_days = true", "keep_days: should be a valid integer, not True"),
            ("keep_days = 0", "keep_days: should be greater than or equal to 1, not 0"),
            ("guard = 'no'", "guard: should be a valid boolean, not 'no'"),
            ("ignore = '*'", "ignore: should be a list of strings, not '*'"),
            ("ignore = ['']", "ignore[0]: should be a name, or a path that begins with / or ~, not ''"),
            ("ignore = ['~/a', './']", "ignore[1]: should be a name, or a path that begins with / or ~, not './'"),
            ("[trust]\nhosts = ['']", "trust.hosts[0]: should have at least 1 character, not ''"),
            ("[checkpoint]\nmodel = ''", "checkpoint.model: should have at least 1 character, not ''"),
            ("ignore = [1]", "ignore[0]: should be a valid string, not 1"),
            ("[checkpoint]\nwriter = 'api'", "checkpoint.writer: should be 'extractive' or 'agent', not 'api'"),
            ("[checkpoint]\nat = nan", "checkpoint.at: should be less than or equal to 0.95, not nan"),
            ("a = 1\nb = 2\nc = 3", f"a: no such setting; allowed here: {TOP} (and 2 more)"),
        ],
    )
    def test_key_and_what_is_allowed(self, read, text, said):
        """A wrong key or value is told in one line: the file, the key, what is allowed, what is there."""
        assert complaint(read, text) == f"/etc/memd.toml: {said}"

    def test_long_values_are_cut(self, read):
        """What is there is quoted, not poured out; it stays one line."""
        said = complaint(read, f"guard = '''{'x' * 30}\n{'y' * 1000}'''")
        assert len(said) < 150
        assert "\n" not in said

    def test_not_toml(self, read):
        """A file that is not TOML is told with the place of the fault."""
        assert complaint(read, "guard =").startswith("/etc/memd.toml: is not TOML: Invalid value")

    def test_nested_beyond_reason(self, read):
        """Nor is one that nobody can follow."""
        assert complaint(read, "guard = " + "[" * 1_000 + "]" * 1_000).startswith("/etc/memd.toml: is not TOML: ")

    def test_not_utf8(self, fs):
        """Nor is a file in another encoding."""
        fs.create_file(FILE, contents=b"# \xff")
        with pytest.raises(ConfigError, match="is not TOML: 'utf-8' codec"):
            config.read(FILE)

    def test_unreadable_is_not_missing(self, fs):
        """A file that is there and cannot be read does not mean defaults."""
        fs.create_dir(FILE)
        with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
            config.read(FILE)

    def test_what_may_never_end_is_not_read(self, tmp_path):
        """Nobody waits for a pipe's other end, at the start or on SIGHUP; `/dev/null` is as good as an empty file."""
        pipe = tmp_path / "config.toml"
        os.mkfifo(pipe)
        for path in (pipe, Path("/dev/zero")):
            with pytest.raises(ConfigError, match="cannot be read: it is no plain file"):
                config.read(path)
        assert config.read(Path(os.devnull)) == Config()


class TestPaths:
    def test_by_the_platform(self, monkeypatch):
        """Without a word from the environment things are where the platform's users expect them."""
        monkeypatch.setattr("sys.platform", "linux")
        home = Path.home()
        _, paths = config.load({})
        assert paths == config.Paths(
            state=home / ".local/state/memd",
            data=home / ".local/share/memd",
            socket=config.socket_path(home / ".local/state/memd", os.getuid()),
            config=home / ".config/memd/config.toml",
            log=home / ".local/state/memd/memd.log",
        )

    def test_a_relative_xdg_variable_is_none(self, monkeypatch):
        """The hook passes over it too; the daemon and each command have directories of their own."""
        before = config.paths({})
        for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            monkeypatch.setenv(name, "relative")
        assert before == config.paths({})

    def test_by_the_environment(self):
        """MEMD_STATE_DIR takes the socket and the log with it; MEMD_CONFIG names the settings file."""
        paths = config.paths({"MEMD_STATE_DIR": "/s", "MEMD_CONFIG": "/c.toml"})
        assert (paths.state, paths.socket, paths.log) == (Path("/s"), Path("/s/memd.sock"), Path("/s/memd.log"))
        assert paths.config == Path("/c.toml")

    def test_the_sockets_own_name_wins(self):
        """MEMD_SOCKET wins over the state folder."""
        assert config.paths({"MEMD_STATE_DIR": "/s", "MEMD_SOCKET": "/run/x.sock"}).socket == Path("/run/x.sock")

    def test_from_the_home(self):
        """`~/` is the home, as the hook has it; an empty variable is none."""
        paths = config.paths({"MEMD_STATE_DIR": "~/s", "MEMD_CONFIG": "~/c.toml", "MEMD_SOCKET": ""})
        home = Path.home()
        assert (home / "s", home / "c.toml") == (paths.state, paths.config)
        assert paths.socket == config.socket_path(home / "s", os.getuid())

    @pytest.mark.parametrize("name", ["MEMD_STATE_DIR", "MEMD_CONFIG", "MEMD_SOCKET"])
    @pytest.mark.parametrize("value", ["s", "./s", "~s/x", "~"])
    def test_a_relative_one_is_refused(self, name, value):
        """The daemon, the commands and the hooks have different current folders: it would be another place for each."""
        with pytest.raises(ConfigError, match=f"{name} is '{re.escape(value)}': give an absolute path"):
            config.paths({name: value})

    def test_nothing_is_made(self, tmp_path):
        """To ask where things are makes nothing; a named file that is not there means defaults."""
        settings, _ = config.load({"MEMD_STATE_DIR": f"{tmp_path}/s", "MEMD_CONFIG": f"{tmp_path}/none.toml"})
        assert settings == Config()
        assert list(tmp_path.iterdir()) == []


class TestSocketPath:
    """Install writes this path into the tools' settings, so it is pinned to the byte."""

    def test_in_the_state_folder(self):
        """A path of 99 bytes is still the state folder's."""
        state = Path("/" + "s" * 88)
        assert config.socket_path(state, 1000) == state / "memd.sock"
        assert len(str(state / "memd.sock")) == 99

    def test_in_tmp(self):
        """One of 100 bytes goes to /tmp, under the user's id and eight hex digits of the state folder's SHA-256."""
        assert config.socket_path(Path("/" + "s" * 89), 1000) == Path("/tmp/memd-1000/9cd7ec82.sock")

    def test_bytes_count_not_characters(self):
        """The system's limit is in bytes."""
        assert config.socket_path(Path("/" + "é" * 45), 7).parent == Path("/tmp/memd-7")
