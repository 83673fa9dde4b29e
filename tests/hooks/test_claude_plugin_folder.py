"""The plugin folder for Claude Code: the same hooks as `memd install` puts in, from where memd keeps its script."""

import json

import pytest
from plugin_folder import said

from memd import assets
from memd.tools.claude_code import install, plugin

FOLDER = assets.path("hooks", "claude-code")
COMMAND = ("/d/bin/python3", "-I", "-S", "/d/memd_hook.py")
SETTINGS = b'{\n  "model": "opus",\n  "enabledPlugins": {\n    "other@market": true\n  }\n}\n'


def test_it_has_the_hooks_of_the_installation():
    """Event by event, part by part, with the same matchers and times; only the command is another one."""
    wanted: dict = {}
    for entry in install.ENTRIES:
        group = install.group(entry, COMMAND)
        words = f"{entry.event} {entry.part}" if entry.part else entry.event
        group["hooks"][0]["command"] = f'sh "${{CLAUDE_PLUGIN_ROOT}}/memd.sh" {words} 2>/dev/null || :'
        wanted.setdefault(entry.event, []).append(group)
    assert json.loads((FOLDER / "memd" / "hooks" / "hooks.json").read_text()) == {"hooks": wanted}


def test_the_marketplace_and_the_plugin_name_each_other():
    """`claude plugin marketplace add FOLDER` and `claude plugin install memd@memd` find what they need."""
    market = json.loads((FOLDER / ".claude-plugin" / "marketplace.json").read_text())
    (listed,) = market["plugins"]
    described = json.loads((FOLDER / listed["source"] / ".claude-plugin" / "plugin.json").read_text())
    assert f"{described['name']}@{market['name']}" == f"{listed['name']}@{market['name']}" == plugin.NAME


@pytest.mark.parametrize("there", [True, False])
def test_without_memd_nothing_happens(tmp_path, there):
    """The script runs memd's hook with the event's words; where there is none it ends well and says nothing."""
    told = "-I -S DATA/memd_hook.py claude-code SessionStart 2\n" if there else ""
    assert said(tmp_path, FOLDER / "memd", "CLAUDE_PLUGIN_ROOT", 1, there=there) == (0, told, "")
    assert (FOLDER / "memd" / "memd.sh").stat().st_mode & 0o111


def noted(settings):
    """The settings as the client writes them when the plugin was installed."""
    value = json.loads(settings)
    value["extraKnownMarketplaces"] = {"memd": {"source": {"source": "directory", "path": "/m/hooks/claude-code"}}}
    value.setdefault("enabledPlugins", {})[plugin.NAME] = True
    return json.dumps(value, indent=2).encode() + b"\n"


@pytest.mark.parametrize("before", [SETTINGS, b'{\n  "model": "opus"\n}\n'], ids=["with another plugin", "alone"])
def test_uninstalling_takes_the_plugins_entries_out_and_nobody_elses(before):
    """The objects that the client made for them go too, if they hold nothing else."""
    assert plugin.without(noted(before)) == before
    assert plugin.without(before) == before


def test_with_the_plugin_nothing_is_missing_and_both_are_one_too_many():
    """Hooks from the plugin are hooks; with those of the settings as well each text would come twice."""
    assert install.installed(noted(SETTINGS), COMMAND) == ()
    assert install.installed(SETTINGS, COMMAND) == ("missing",)
    both = install.install(noted(SETTINGS), COMMAND)
    assert install.installed(both, COMMAND) == ("doubled",)
    assert any("memd@memd" in note for note in install.notes(noted(SETTINGS)))
