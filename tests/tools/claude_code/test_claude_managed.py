"""What the settings of whoever manages the machine do to a person's hooks in Claude Code, as it was measured on 2.1.332."""

import json
from importlib import import_module

import pytest

managed = import_module("memd.tools.claude_code.managed")
"""The module itself: the package has a stand-in that loads it later."""

ALL, OURS, PLUGINS = "disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The manager's folder, elsewhere."""
    monkeypatch.setattr(managed, "FOLDER", tmp_path)
    (tmp_path / "managed-settings.d").mkdir()
    return tmp_path


def said():
    """What the files that are there say."""
    return managed.overruled({path: path.read_bytes() for path in managed.policies()})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({ALL: True}, ALL),
        ({OURS: True}, OURS),
        ({PLUGINS: True}, PLUGINS),
        ({PLUGINS: ["skills", "hooks"]}, PLUGINS),
        ({PLUGINS: ["skills"]}, ""),
        ({ALL: "yes"}, ""),
        ({ALL: False, "hooks": {}}, ""),
        ([], ""),
    ],
)
def test_each_setting_that_keeps_hooks_from_running_is_named_with_its_file(folder, settings, named):
    """And no other: what the client takes for nothing is nothing."""
    file = folder / "managed-settings.json"
    file.write_text(json.dumps(settings))
    assert (named in said(), str(file) in said()) == (True, True) if named else not said()


def test_a_later_file_wins(folder):
    """By its name; hidden files and other kinds are passed over."""
    (folder / "managed-settings.json").write_text(json.dumps({ALL: True}))
    for name, value in (("20-b.json", False), ("10-a.json", True), (".30-c.json", True), ("40-d.txt", True)):
        (folder / "managed-settings.d" / name).write_text(json.dumps({ALL: value}))
    assert said() == ""
    (folder / "managed-settings.d" / "30-c.json").write_text(json.dumps({ALL: True}))
    assert said() == f"{ALL} is true in {folder / 'managed-settings.d' / '30-c.json'}"


def test_a_broken_file_keeps_the_client_from_starting(folder):
    """It says so itself, and the doctor has to."""
    (folder / "managed-settings.json").write_text('{"disableAllHooks":')
    assert said() == f"{folder / 'managed-settings.json'} is no JSON: the client does not start with it"


def test_a_file_that_is_nested_beyond_reason_is_named(folder):
    """No traceback, and nothing is claimed of what it says."""
    (folder / "managed-settings.json").write_text('{"env": ' + "[" * 5_000 + "]" * 5_000 + "}")
    assert said() == f"{folder / 'managed-settings.json'} is nested too deeply to tell what it rules"


def test_without_a_manager_nothing_is_said(folder):
    """The ordinary machine."""
    assert (managed.policies(), said()) == ((), "")
