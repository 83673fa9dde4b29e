"""What the installation changes in a home with OpenCode, and that it takes all of it back."""

import json
import os
from pathlib import Path

import pytest

from memd import assets
from memd.errors import Refused
from memd.tools.opencode import OpenCode, plugin

TOOL = OpenCode()
COMMAND = ("/d/bin/python3", "-I", "-S", "/d/memd_hook.py", "--socket", "/s/memd.sock", "--state", "/s")
PLUGIN, LOCK, MARK = "plugin/memd.js", "package-lock.json", "node_modules/.memd"
REAL = json.dumps(
    {
        "name": "opencode",
        "packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33", "x": "1"}}, "node_modules/x": {}},
    }
)
OWN = "export default async () => ({})\n"


class Home:
    """A person's settings folder."""

    def __init__(self, folder, files):
        self.folder = folder
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def before(self):
        return {path: path.read_bytes() if path.exists() else None for path in TOOL.files(self.folder)}

    def carry_out(self, plans):
        for plan in plans:
            if plan.after is None:
                plan.path.unlink(missing_ok=True)
            else:
                plan.path.parent.mkdir(parents=True, exist_ok=True)
                plan.path.write_bytes(plan.after)

    def install(self):
        plans = TOOL.install(self.folder, self.before(), COMMAND)
        self.carry_out(plans)
        return [note for plan in plans for note in plan.notes]

    def uninstall(self):
        self.carry_out(TOOL.uninstall(self.folder, self.before(), {}))

    def faults(self):
        return TOOL.installed(self.folder, self.before(), COMMAND)

    def files(self):
        return {
            str(path.relative_to(self.folder)): path.read_text() for path in self.folder.rglob("*") if path.is_file()
        }


@pytest.fixture
def home(tmp_path):
    return lambda **files: Home(tmp_path / "opencode", {"opencode.json": "{}", **files.get("files", {})})


def test_a_fresh_home_gets_the_plugin_and_the_stand_in(home):
    """Filled for this daemon; nothing else is touched, twice is once, and all of it goes again."""
    found = home()
    old = found.files()

    assert found.faults() == ("missing",)
    assert found.install() == []
    once = found.files()
    assert sorted(once) == sorted([*old, PLUGIN, LOCK, MARK])
    assert 'const SOCKET = "/s/memd.sock"\nconst STATE = "/s"\n' in once[PLUGIN]
    assert found.faults() == ()
    found.install()
    assert found.files() == once
    found.uninstall()
    assert found.files() == old


@pytest.mark.parametrize(
    ("files", "note"),
    [
        ({"plugin/mine.ts": OWN}, True),
        ({"tools/mine.js": OWN}, True),
        ({"package.json": "{}"}, True),
        ({"package.json": '{"dependencies": {"x": "1"}}', LOCK: REAL, "node_modules/.package-lock.json": "{}"}, False),
        ({"package.json": '{"devDependencies": {"y": "1"}}', LOCK: REAL, "node_modules/x/package.json": "{}"}, True),
        ({"node_modules/@a/b/package.json": "{}"}, True),
        ({"bun.lock": ""}, True),
        ({LOCK: "not json"}, True),
    ],
)
def test_packages_of_the_persons_own_are_left_alone(home, files, note):
    """No stand-in then; where the client has still something to fetch the person is told what that costs."""
    found = home(files=files)
    old = found.files()

    notes = found.install()

    assert {name for name in found.files() if name not in old} == {PLUGIN}
    assert {name: found.files()[name] for name in old} == old
    assert ["over a minute" in text for text in notes] == [True] * note
    assert found.faults() == ()
    found.uninstall()
    assert found.files() == old


def test_a_stand_in_goes_when_a_plugin_comes_that_may_need_the_package(home):
    """The client would drop that plugin without a word; `changed` says that installing again mends it."""
    found = home()
    found.install()
    (found.folder / "plugin" / "mine.js").write_text(OWN, encoding="utf-8")

    assert found.faults() == ("changed",)
    found.install()
    assert sorted(found.files()) == sorted(["opencode.json", PLUGIN, "plugin/mine.js"])
    assert found.faults() == ()


def test_what_the_client_installed_over_the_stand_in_stays(home):
    """Its lock file is not ours any more."""
    found = home()
    found.install()
    (found.folder / LOCK).write_text(REAL, encoding="utf-8")
    (found.folder / "node_modules" / ".package-lock.json").write_text("{}", encoding="utf-8")

    found.install()
    assert found.faults() == ()
    found.uninstall()
    assert sorted(found.files()) == sorted(["opencode.json", LOCK, "node_modules/.package-lock.json"])


def test_a_plugin_of_another_version_is_replaced_and_anothers_is_not(home):
    """Ours is known by its first line; one that only has our name is somebody's."""
    old = assets.read("hooks", "opencode/memd.js").decode().replace("const VERSION = 1", "const VERSION = 0")
    found = home(files={PLUGIN: old})
    assert found.faults() == ("changed",)
    found.install()
    assert found.faults() == ()

    (found.folder / PLUGIN).write_text(OWN, encoding="utf-8")
    assert found.faults() == ("missing",)
    with pytest.raises(Refused, match="another's plugin"):
        found.install()
    found.uninstall()
    assert found.files()[PLUGIN] == OWN


def test_each_folder_that_settings_come_from_gets_a_stand_in(home, tmp_path, monkeypatch):
    """The client waits for all of them; the plugin is in one."""
    ours, given = Path(os.environ["HOME"]) / ".opencode", tmp_path / "given"
    (ours / "bin").mkdir(parents=True)
    given.mkdir()
    monkeypatch.setenv("OPENCODE_CONFIG_DIR", str(given))
    found = home()

    found.install()
    assert [(folder / name).exists() for folder in (ours, given) for name in (LOCK, MARK, PLUGIN)] == [
        True,
        True,
        False,
    ] * 2
    assert found.faults() == ()
    found.uninstall()
    assert [path.name for folder in (ours, given) for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("lock", "package", "satisfied"),
    [
        (REAL, '{"dependencies": {"x": "2"}}', True),
        (REAL, None, True),
        (REAL, '{"optionalDependencies": {"y": "2"}}', False),
        (None, None, False),
        ("[]", None, False),
        ("[" * 5_000, None, False),
        (plugin.STAND_IN[Path(LOCK)].decode(), None, True),
    ],
)
def test_what_the_client_would_fetch_is_known(lock, package, satisfied):
    """It compares names, of four kinds of dependencies, and nothing else."""
    given = [None if text is None else text.encode() for text in (lock, package)]
    assert plugin.satisfied(*given) is satisfied
