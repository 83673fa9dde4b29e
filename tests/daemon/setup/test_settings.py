"""A settings file on disk: changed, and given back as it was."""

import json
import os
from pathlib import Path

import pytest

from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.installation import put_in
from memd.daemon.setup.ledger import Ledger, Written
from memd.daemon.setup.removal import take_out
from memd.daemon.setup.systemd import Systemd
from memd.errors import Refused
from memd.tools.file_tool import FileTool
from memd.tools.installing import Plan
from memd.tools.registry import TOOLS

TOOL = TOOLS["claude-code"]


@pytest.fixture
def act(places):
    """Installs and uninstalls as the commands do, the ledger on disk in between."""

    class Act:
        def install(self):
            put_in(places, [settings.plan_install(TOOL, TOOL.place(os.environ).home, hook.command(places))])

        def uninstall(self):
            record = ledger.read(places)
            homes = settings.homes(TOOL, os.environ, record)
            plans = [plan for home in homes for plan in settings.plan_uninstall(TOOL, home, record).plans]
            take_out(places, plans, record, Systemd(os.environ), whole=True)

    return Act()


def _snapshot(folder):
    """Every path below the folder with its mode and content."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize(
    "content",
    [b'{\r\n\t"a": 1}', b"{}", b"{ }", b"", b" \n", b"\xef\xbb\xbf{}", b'{"hooks": {"SessionStart": [ ], "Stop": []}}'],
)
def test_the_home_is_as_before(home, settings_file, act, content):
    """Bytes, mode, folders: nothing tells that memd was ever there."""
    settings_file.write_bytes(content)
    before = _snapshot(home)
    act.install()
    assert settings_file.stat().st_mode & 0o777 == 0o640
    assert settings_file.read_bytes() != content
    act.uninstall()
    assert _snapshot(home) == before


def test_a_file_that_was_not_there_goes_again(home, act, monkeypatch):
    """With the folder that was made for it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "made" / "here"))
    before = _snapshot(home)
    act.install()
    assert (home / "made" / "here" / "settings.json").stat().st_mode & 0o777 == 0o600
    act.uninstall()
    assert _snapshot(home) == before


def test_a_new_file_that_others_wrote_into_stays(home, act):
    """It is theirs by now."""
    act.install()
    path = home / ".claude" / "settings.json"
    content = json.loads(path.read_bytes()) | {"theirs": 1}
    path.write_text(json.dumps(content))
    act.uninstall()
    assert json.loads(path.read_bytes()) == {"theirs": 1}


def test_an_empty_file_that_was_rewritten_is_empty_again(settings_file, act):
    """Nothing of it was anybody's: it held nothing, and it was there."""
    settings_file.write_bytes(b"")
    act.install()
    settings_file.write_text(json.dumps(json.loads(settings_file.read_bytes())))
    act.uninstall()
    assert settings_file.read_bytes() == b""


def test_what_changed_since_keeps_its_changes_and_its_mode(settings_file, act):
    """The old bytes would undo other people's work."""
    act.install()
    content = json.loads(settings_file.read_bytes()) | {"theirs": 1}
    settings_file.write_text(json.dumps(content, indent=2))
    settings_file.chmod(0o644)
    act.uninstall()
    assert settings_file.read_text() == json.dumps({"model": "opus", "theirs": 1}, indent=2)
    assert settings_file.stat().st_mode & 0o777 == 0o644


def test_the_old_bytes_come_from_the_ledger(settings_file, act, places):
    """Where nobody changed the file, nothing has to be understood: what was there is put back, mode included."""
    act.install()
    settings_file.chmod(0o600)

    class Forgetful:
        name, files = TOOL.name, TOOL.files

    record = ledger.read(places)
    (plan,) = settings.plan_uninstall(Forgetful(), TOOL.place(os.environ).home, record).plans
    settings.apply_uninstall(plan, record)
    assert settings_file.read_bytes() == b'{\n\t"model": "opus"\n}'
    assert settings_file.stat().st_mode & 0o777 == 0o640


def test_the_second_installation_remembers_the_persons_file(settings_file, act):
    """A person's change between two installations is in what uninstalling gives back; our entries are not."""
    act.install()
    settings_file.write_bytes(settings_file.read_bytes().replace(b'"opus"', b'"haiku"').replace(b"5", b"50"))
    act.install()
    act.uninstall()
    assert settings_file.read_bytes() == b'{\n\t"model": "haiku"\n}'


def test_twice_is_once(settings_file, act, places):
    """Neither the file nor the ledger changes."""
    act.install()
    before = settings_file.stat().st_mtime_ns, ledger.path(places).read_bytes()
    act.install()
    assert (settings_file.stat().st_mtime_ns, ledger.path(places).read_bytes()) == before


def test_without_a_ledger_only_ours_goes(settings_file, act, places):
    """The state folder was lost: the hooks are found all the same."""
    act.install()
    ledger.path(places).unlink()
    act.uninstall()
    assert settings_file.read_bytes() == b'{\n\t"model": "opus"\n}'


def test_a_link_stays_a_link(home, settings_file, act):
    """People keep their settings in a repository of dot files."""
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    settings_file.rename(real)
    settings_file.symlink_to(real)
    before = _snapshot(home)
    act.install()
    assert settings_file.is_symlink()
    assert b"memd_hook" in real.read_bytes()
    act.uninstall()
    assert _snapshot(home) == before


def test_a_link_to_nothing_is_filled_and_emptied(home, act):
    """The link is the person's, the file behind it was never there."""
    (home / ".claude" / "settings.json").symlink_to(home / "not-yet.json")
    before = _snapshot(home)
    act.install()
    assert (home / "not-yet.json").exists()
    act.uninstall()
    assert _snapshot(home) == before


def test_every_home_is_cleaned(home, settings_file, act, monkeypatch):
    """A tool can have several homes: uninstalling in one environment takes the hooks out of all."""
    before = _snapshot(home)
    act.install()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "work"))
    act.install()
    act.uninstall()
    assert _snapshot(home) == before


@pytest.mark.parametrize("what", ["file", "folder", "target"])
def test_read_only_is_respected(home, settings_file, act, what):
    """Root could write it; somebody marked it so that nobody does. One line, and nothing was written."""
    marked = settings_file if what == "file" else settings_file.parent
    if what == "target":
        marked = home / "store"
        marked.mkdir()
        settings_file.rename(marked / "settings.json")
        settings_file.symlink_to(marked / "settings.json")
    mode = marked.stat().st_mode
    marked.chmod(mode & ~0o222)
    before = _snapshot(home)
    with pytest.raises(Refused, match=r"is read-only: make it writable") as caught:
        act.install()
    assert "\n" not in str(caught.value)
    assert _snapshot(home) == before
    marked.chmod(mode)


def test_a_mounted_file_is_refused_and_the_ledger_put_back(settings_file, act, places, monkeypatch):
    """A file mounted into a container can be written and not be replaced: told, and nothing is half done."""

    def busy(*_, **__):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(settings, "write_atomic", busy)
    with pytest.raises(Refused, match="cannot be replaced: Device or resource busy"):
        act.install()
    assert ledger.read(places).files == {}
    assert not places.data.exists()
    assert settings_file.read_bytes() == b'{\n\t"model": "opus"\n}'


def test_a_second_home_that_fails_does_not_cost_the_first(home, settings_file, act, places, monkeypatch):
    """The ledger goes back to what is true, the hook stays for the home that has it."""
    act.install()
    before = _snapshot(home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    monkeypatch.setattr(settings, "write_atomic", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(Refused, match="No space left"):
        act.install()
    assert _snapshot(home) == before


def test_a_folder_in_its_place_is_refused(home, act):
    """No traceback for what a person can mend."""
    (home / ".claude" / "settings.json").mkdir()
    with pytest.raises(Refused, match="cannot be read: Is a directory"):
        act.install()


def test_the_ledger_is_pinned(places):
    """The format on disk, literally: a later memd has to take out what this one put in."""
    written = Written("claude-code", "ab" * 32, '{"a": "\udcff"}', 0o640, "/h", at=1_796_000_000_000)
    record = Ledger({"/h/settings.json": written}, "/h/memd.service", ("/h/x",))
    ledger.write(places, record)
    assert json.loads(ledger.path(places).read_text()) == {
        "version": 1,
        "files": {
            "/h/settings.json": {
                "tool": "claude-code",
                "sha256": "ab" * 32,
                "original": '{"a": "\udcff"}',
                "mode": 416,
                "home": "/h",
                "what": "hooks",
                "at": 1_796_000_000_000,
            }
        },
        "service": "/h/memd.service",
        "folders": ["/h/x"],
        "own": {},
    }
    assert ledger.read(places) == record
    content = json.loads(ledger.path(places).read_text())
    del content["own"]  # as it was written before there was a question
    ledger.path(places).write_text(json.dumps(content))
    assert ledger.read(places) == record
    assert ledger.path(places).stat().st_mode & 0o777 == 0o600
    assert written.before == b'{"a": "\xff"}'
    for later in ("at", "home", "what"):  # while nobody asked when, and a tool had one file
        del content["files"]["/h/settings.json"][later]
    ledger.path(places).write_text(json.dumps(content))
    old = ledger.read(places).files["/h/settings.json"]
    assert (old.home_of("/h/settings.json"), old.what, old.at) == (Path("/h"), "hooks", 0)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 2}', b'{"version": 1}', b"\xff"])
def test_an_unreadable_ledger_is_an_empty_one(places, content):
    """The hooks can be found without it; an exception would keep people from uninstalling."""
    ledger.write(places, Ledger())
    ledger.path(places).write_bytes(content)
    assert ledger.read(places) == Ledger()


class Bundle(FileTool):
    """A tool that wants a plugin of its own, and a stand-in beside it while nothing else is there."""

    name = "bundle"

    def __init__(self, home):
        self._home = home

    def place(self, environ):
        return type("Here", (), {"home": self._home})

    def files(self, home):
        return home / "plugin" / "p.js", home / "modules" / "stand-in", home / "theirs"

    def install(self, home, before, command):
        plugin, stand_in, theirs = self.files(home)
        wanted = b"stand-in" if before[theirs] is None else None
        stand = (Plan(stand_in, before[stand_in], wanted),) if wanted or before[stand_in] else ()
        return (Plan(plugin, before[plugin], b"plugin", what="plugin"), *stand)

    def uninstall(self, home, before, original):
        ours = {b"plugin", b"stand-in"}
        return tuple(Plan(path, content, None) for path, content in before.items() if content in ours)


@pytest.fixture
def bundle(home, places):
    """Installs and uninstalls a tool of several files."""
    tool = Bundle(home / "bundle")

    class Act:
        def install(self):
            put_in(places, [settings.plan_install(tool, home / "bundle", hook.command(places))])

        def uninstall(self):
            record = ledger.read(places)
            found = [settings.plan_uninstall(tool, one, record) for one in settings.homes(tool, os.environ, record)]
            plans = [plan for planned in found for plan in planned.plans]
            return take_out(places, plans, record, Systemd(os.environ), whole=True)[0]

    return Act()


class TestSeveralFiles:
    def test_all_go_in_and_all_come_out(self, home, bundle):
        """With the folders that were made for them, each named by what it was."""
        before = _snapshot(home)
        bundle.install()
        assert (home / "bundle" / "plugin" / "p.js").read_bytes() == b"plugin"
        assert (home / "bundle" / "modules" / "stand-in").stat().st_mode & 0o777 == 0o600
        removed = bundle.uninstall()
        assert removed[0] == f"the plugin in {home / 'bundle' / 'plugin' / 'p.js'}"
        assert _snapshot(home) == before

    def test_what_is_not_wanted_any_more_goes_at_the_next_installation(self, home, bundle):
        """With its folder: what is empty there could mean something to the tool."""
        bundle.install()
        (home / "bundle" / "theirs").write_bytes(b"x")
        bundle.install()
        assert sorted(path.name for path in (home / "bundle").iterdir()) == ["plugin", "theirs"]
        bundle.uninstall()
        assert [path.name for path in (home / "bundle").iterdir()] == ["theirs"]

    def test_one_that_others_rewrote_is_theirs(self, home, bundle):
        """The rest goes, and the folder that holds theirs stays."""
        bundle.install()
        (home / "bundle" / "modules" / "stand-in").write_bytes(b"theirs now")
        bundle.uninstall()
        assert [path.name for path in (home / "bundle").rglob("*")] == ["modules", "stand-in"]

    def test_one_that_is_read_only_stops_all(self, home, bundle):
        """Before anything was written: half an installation is none."""
        (home / "bundle" / "modules").mkdir(parents=True)
        (home / "bundle" / "modules").chmod(0o500)
        before = _snapshot(home)
        with pytest.raises(Refused, match="modules is read-only"):
            bundle.install()
        assert _snapshot(home) == before

    @pytest.mark.parametrize("first", [True, False])
    def test_the_second_that_fails_takes_the_first_with_it(self, home, bundle, places, monkeypatch, first):
        """Half an installation may do harm: all is as before, the ledger too, at a first installation and at a later one."""
        if not first:
            bundle.install()
            (home / "bundle" / "plugin" / "p.js").write_bytes(b"older")
            (home / "bundle" / "modules" / "stand-in").unlink()
        before, write = _snapshot(home), settings.write_atomic
        full = lambda: (_ for _ in ()).throw(OSError(28, "full"))  # noqa: E731
        monkeypatch.setattr(
            settings, "write_atomic", lambda path, *rest: write(path, *rest) if path.name == "p.js" else full()
        )
        with pytest.raises(Refused, match="full"):
            bundle.install()
        assert _snapshot(home) == before
